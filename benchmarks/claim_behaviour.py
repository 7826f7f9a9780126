"""How the verdicts of *verify* behave on sentences as authors write them: one thing changed,
unchanged, closely paraphrased, freely paraphrased, invented.

usage: python benchmarks/claim_behaviour.py JOSE [--workspace FOLDER] [--half develop|unseen|all]
       [--kinds number,direction,...] [--cite right|wrong|no] [--wrong]

JOSE is a folder with ``pdf/`` and ``library.csl.json``. It is ingested into a temporary workspace
(or into the one that is named, once; its citeloom.toml says which judge decides). The rows are in
``claim_behaviour/KIND.jsonl``: id, citekey, page, source (the sentence of the paper), claim (the
sentence of the draft), kind, wording, half. Half of the sources is for development, half is kept
apart; ``--wrong`` prints the wrong rows of the development half alone. ``--cite wrong`` cites each
row's work with the page that is farthest from the row's, and counts the wrong pages told.
"""

import argparse
import json
import tempfile
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from verifying import Workspace

FOLDER = Path(__file__).with_suffix("")
CHANGED = ("number", "direction", "entity", "hedge", "cause")
_NOT_SUPPORTED = ("PARTIAL", "NOT_ESTABLISHED", "UNSUPPORTED", "CONTRADICTED", "WRONG_PAGE")
_LEAST_PAGES = 2

Row = Mapping[str, Any]
Verdicts = Counter[str]


class Goal(NamedTuple):
    """What is counted, the share of rows that it must reach or stay under, and its name."""

    name: str
    counts: Callable[[str], bool]
    share: float
    at_least: bool

    def reached(self, verdicts: Verdicts) -> bool:
        found = self.share_of(verdicts)
        return found >= self.share if self.at_least else found <= self.share

    def share_of(self, verdicts: Verdicts) -> float:
        return sum(n for verdict, n in verdicts.items() if self.counts(verdict)) / verdicts.total()


_FLAGGED = Goal("flagged", lambda verdict: verdict != "SUPPORTED", 0.85, True)
_SUPPORTED = Goal("supported", lambda verdict: verdict == "SUPPORTED", 0.90, True)
_RARELY_SUPPORTED = Goal("supported", lambda verdict: verdict == "SUPPORTED", 0.05, False)
_NO_ALARM = Goal("contradicted", lambda verdict: verdict == "CONTRADICTED", 0.01, False)
_FEW_ALARMS = Goal("contradicted", lambda verdict: verdict == "CONTRADICTED", 0.02, False)
_SILENT = Goal(
    "supported or not established",
    lambda verdict: verdict in ("SUPPORTED", "NOT_ESTABLISHED"),
    1.0,
    True,
)
GOALS: dict[str, tuple[Goal, ...]] = {
    **dict.fromkeys(CHANGED, (_FLAGGED,)),
    "unchanged": (_SUPPORTED, _NO_ALARM),
    "close": (_SUPPORTED, _NO_ALARM),
    "invented": (_RARELY_SUPPORTED,),
    "free": (_FEW_ALARMS, _SILENT),
}


def rows(kinds: Sequence[str], half: str) -> list[Row]:
    found = [
        json.loads(line)
        for kind in kinds
        for line in (FOLDER / f"{kind}.jsonl").read_text("utf-8").splitlines()
    ]
    return [row for row in found if half in ("all", row["half"])]


def with_wrong_pages(chosen: Sequence[Row], workspace: Workspace) -> list[Row]:
    """Rows with a page, that of the paper farthest from their own in its place; of papers with
    three pages or more."""
    samples = json.loads(
        workspace.run("inspect", "--project", "jose", "--sample", "all", "--json").output
    )["samples"]
    pages: dict[str, set[int]] = {}
    for one in samples:
        labels = {int(label) for label in one["page_labels"] if label and label.isdigit()}
        pages.setdefault(one["citekey"], set()).update(labels)
    return [
        {**row, "page": max(sorted(known), key=lambda page: abs(page - row["page"]))}
        for row in chosen
        if row["page"] and len(known := pages[row["citekey"]]) > _LEAST_PAGES
    ]


def verdict_of(findings: Sequence[Any]) -> str:
    """A sentence that *verify* cuts into several claims is supported if each of them is, and
    contradicted if one of them is."""
    verdicts = {finding["verdict"] for finding in findings} or {"NOT_CHECKED"}
    if "CONTRADICTED" in verdicts:
        return "CONTRADICTED"
    return next((one for one in sorted(verdicts) if one != "SUPPORTED"), "SUPPORTED")


def table(told: Sequence[tuple[Row, str]], by: Callable[[Row], str]) -> None:
    groups: dict[str, Verdicts] = {}
    for row, verdict in told:
        groups.setdefault(by(row), Counter())[verdict] += 1
    heads = ["rows", "SUPPORTED", *_NOT_SUPPORTED, "other", "figure", "goal"]
    print(f"| | {' | '.join(heads)} |\n|---|{'---:|' * len(heads)}")
    for name, verdicts in sorted(groups.items(), key=lambda group: _place(group[0])):
        named = [verdicts["SUPPORTED"], *(verdicts[one] for one in _NOT_SUPPORTED)]
        goals = GOALS[name.split(",")[0]]
        figures = "; ".join(f"{one.name} {100 * one.share_of(verdicts):.1f} %" for one in goals)
        wanted = "; ".join(
            f"{'≥' if one.at_least else '≤'} {100 * one.share:.0f} %"
            f"{'' if one.reached(verdicts) else ' missed'}"
            for one in goals
        )
        counts = " | ".join(str(n) for n in (*named, verdicts.total() - sum(named)))
        print(f"| {name} | {verdicts.total()} | {counts} | {figures} | {wanted} |")


def _place(name: str) -> tuple[int, str]:
    return list(GOALS).index(name.split(",")[0]), name


def wrong(row: Row, verdict: str) -> bool:
    """One that counts against a goal."""
    return any(goal.counts(verdict) != goal.at_least for goal in GOALS[row["kind"]])


def show(row: Row, verdict: str, findings: Sequence[Any]) -> None:
    print(f"\n{row['id']} {verdict} ({row['wording']}, {row['citekey']}, p. {row['page']})")
    print(f"  draft:  {row['claim']}\n  source: {row['source'] or '(none)'}")
    for one in findings:
        quoted = one["evidence"][0]["text"] if one["evidence"] else ""
        print(f"  {one['verdict']}: {' '.join(one['reasons'])}\n    “{quoted}”")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("jose", type=Path)
    parser.add_argument("--workspace", type=Path)
    parser.add_argument("--half", choices=("develop", "unseen", "all"), default="develop")
    parser.add_argument("--kinds", default=",".join(GOALS))
    parser.add_argument("--cite", choices=("right", "wrong", "no"), default="right", help="page")
    parser.add_argument("--wrong", action="store_true")
    options = parser.parse_args()
    chosen = rows(options.kinds.split(","), options.half)
    with tempfile.TemporaryDirectory() as folder:
        workspace = Workspace(options.workspace or Path(folder), options.jose)
        workspace.fill()
        if options.cite == "wrong":
            chosen = with_wrong_pages(chosen, workspace)
        cited = [
            (row["claim"], row["citekey"], None if options.cite == "no" else row["page"])
            for row in chosen
        ]
        findings = workspace.verify(cited, "--fresh")
    told = [(row, verdict_of(found)) for row, found in zip(chosen, findings, strict=True)]
    table(told, lambda row: str(row["kind"]))
    if options.half == "all":
        print()
        table(told, lambda row: f"{row['kind']}, {row['half']}")
    if changed := [one for one in told if one[0]["kind"] in CHANGED]:
        print()
        table(changed, lambda row: f"{row['kind']}, {row['wording']}")
    if options.wrong:
        for (row, verdict), found in zip(told, findings, strict=True):
            if row["half"] == "develop" and wrong(row, verdict):
                show(row, verdict, found)


if __name__ == "__main__":
    main()
