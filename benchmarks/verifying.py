"""What *verify* finds: statements that were changed, quotations that were altered, and whether
each quotation that a command prints stands where it says.

usage: python benchmarks/verifying.py JOSE [--parts perturbations,quotes,pages,draft,printed]
       [--workspace FOLDER] [--sentences 500] [--quotes 200] [--hits 300] [--seed 7] [--misses]

JOSE is a folder with ``pdf/`` and ``library.csl.json``; with the sample library of this
repository it is ingested into a temporary workspace (or into the one that is named, once).
Everything goes through the command ``citeloom`` in a process of its own. ``--misses`` prints
each case that went wrong.
"""

import argparse
import json
import os
import platform
import random
import re
import resource
import subprocess
import sys
import tempfile
import time
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from datetime import date
from pathlib import Path
from typing import Any, NamedTuple

from verifying_changes import CHANGES, SAME
from verifying_pages import other_pages, page_cases
from verifying_printed import check_printed
from verifying_quotes import ALTERED, RESET, marked, quotable
from verifying_sentences import Claim, Sentence, chosen, draft, sentences

ROOT = Path(__file__).resolve().parents[1]


class Took(NamedTuple):
    """What a command printed, its wall and processor seconds (children included)."""

    output: str
    wall: float
    processor: float


class Workspace:
    """A folder with two projects: ``jose`` and ``sample``."""

    def __init__(self, folder: Path, jose: Path) -> None:
        self.folder = folder
        self.jose = jose

    def fill(self) -> None:
        if (self.folder / ".citeloom").exists():
            return
        (self.folder / "citeloom.toml").touch()
        for project, files, library in (
            ("jose", self.jose / "pdf", self.jose / "library.csl.json"),
            ("sample", ROOT / "references" / "papers", ROOT / "references" / "library.csl.json"),
        ):
            self.run("ingest", str(files), "--project", project, "--references", str(library))

    def run(self, *arguments: str, fails: bool = False) -> Took:
        """Raises RuntimeError for a command that fails, with what it said."""
        before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
        done = subprocess.run(
            [sys.executable, "-m", "citeloom", "--workspace", str(self.folder), *arguments],
            capture_output=True,
            text=True,
            check=False,
            env={**os.environ, "COLUMNS": "100"},
        )
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        if done.returncode and not fails:
            raise RuntimeError(f"{' '.join(arguments)}: {done.stderr.strip()[-2000:]}")
        used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        return Took(done.stdout, time.perf_counter() - began, used)

    def sentences(self, project: str = "jose") -> list[Sentence]:
        told = self.run("inspect", "--project", project, "--sample", "all", "--json")
        return sentences(json.loads(told.output)["samples"])

    def verify(self, claims: Sequence[Claim], *extra: str) -> list[Any]:
        """The findings of a Markdown draft of these claims, those of each in a list."""
        path = self.folder / "draft.md"
        text, lines = draft(claims)
        path.write_text(text)
        told = self.run("verify", str(path), "--project", "jose", "--json", *extra)
        by_line = defaultdict(list)
        for finding in json.loads(told.output)["findings"]:
            by_line[finding["claim"]["begins"]["line"]].append(finding)
        starts = defaultdict(list)
        for line, findings in by_line.items():
            starts[lines[bisect_right(lines, line) - 1]] += findings
        return [starts[line] for line in lines]


def perturbations(workspace: Workspace, options: argparse.Namespace) -> None:
    """Of sentences of which a number or a direction can be changed: every change that there
    is a rule for, the sentence itself, and a paraphrase."""
    chance = random.Random(options.seed)
    able = [
        one
        for one in workspace.sentences()
        if any(CHANGES[kind](one.text, chance) for kind in ("number", "direction"))
    ]
    picked = chosen(able, options.sentences, options.seed)
    print(f"\n### Perturbations of {len(picked)} sentences (of {len(able)} that can be changed)\n")
    print("| | sentences | flagged % | contradicted % | verdicts |\n|---|---:|---:|---:|---|")
    for kind, rule in {**CHANGES, **SAME}.items():
        cases = [(one, told) for one in picked if (told := rule(one.text, chance))]
        findings = workspace.verify([(told, one.citekey, None) for one, told in cases], "--fresh")
        verdicts = [_worst(found) for found in findings]
        count = Counter(verdicts)
        flagged = sum(verdict != "SUPPORTED" for verdict in verdicts)
        print(
            f"| {kind} | {len(cases)} | {100 * flagged / len(cases):.1f} "
            f"| {100 * count['CONTRADICTED'] / len(cases):.1f} "
            f"| {', '.join(f'{name} {n}' for name, n in count.most_common())} |",
            flush=True,
        )
        if options.misses:
            for (one, told), found, verdict in zip(cases, findings, verdicts, strict=True):
                if (verdict == "SUPPORTED") == (kind in CHANGES):
                    _show(one.text, told, found)


def _worst(findings: Sequence[Any]) -> str:
    """That of a claim that was cut into several is the first that is not SUPPORTED."""
    # A work that the sentence itself names, typed, is not in the project: no matter here.
    found = [one["verdict"] for one in findings if not one.get("written")]
    verdicts = found or ["NOT CHECKED"]
    return next((one for one in verdicts if one != "SUPPORTED"), "SUPPORTED")


def _show(source: str, told: str, findings: Iterable[Any]) -> None:
    print(f"    source: {source}\n    draft:  {told}")
    for one in findings:
        quoted = one["evidence"][0]["text"] if one["evidence"] else ""
        print(f"    {one['verdict']} {one['confidence']}: {one['reasons']}\n      “{quoted}”")


def quotes(workspace: Workspace, options: argparse.Namespace) -> None:
    """Quotations set in other ways are none to complain of; those with other words are."""
    picked = chosen(workspace.sentences(), options.quotes, options.seed)
    print(f"\n### Quotations from {len(picked)} sentences\n")
    print("| | quotations | told as misquoted | goal |\n|---|---:|---:|---:|")
    for goal, kinds in ((True, ALTERED), (False, RESET)):
        for kind, rule in kinds.items():
            chance = random.Random(options.seed)
            cases = []
            for one in picked:
                quote = quotable(one.text, chance)
                if quote and (told := rule(quote, chance)):
                    cases.append((one, marked(told, chance)))
            claims = [(f"They write that {told}.", one.citekey, None) for one, told in cases]
            findings = workspace.verify(claims, "--fresh")
            verdicts = [_worst(found) for found in findings]
            wrong = [verdict == "MISQUOTED" for verdict in verdicts]
            wanted = len(cases) if goal else 0
            print(f"| {kind} | {len(cases)} | {sum(wrong)} | {wanted} |", flush=True)
            if options.misses:
                for (one, told), found, is_wrong in zip(cases, findings, wrong, strict=True):
                    if is_wrong != goal:
                        _show(one.text, told, found)


def pages(workspace: Workspace, options: argparse.Namespace) -> None:
    """Claims that are not borne out word by word, cited with their own page and with another."""
    known = workspace.sentences()
    other = other_pages(known)
    cases = [
        one
        for one in page_cases(known, options.quotes, options.seed)
        if (one.citekey, one.page) in other
    ]
    print(f"\n### Pages of {len(cases)} claims\n")
    print("| | claims | with | wrong page | verdicts |\n|---|---:|---|---:|---|")
    for kind in dict.fromkeys(one.kind for one in cases):
        of_kind = [one for one in cases if one.kind == kind]
        for name in ("its page", "another page"):
            cited = [
                one.page if name == "its page" else other[one.citekey, one.page] for one in of_kind
            ]
            claims = [
                (one.claim, one.citekey, page) for one, page in zip(of_kind, cited, strict=True)
            ]
            findings = workspace.verify(claims, "--fresh")
            count = Counter(_worst(found) for found in findings)
            verdicts = ", ".join(f"{verdict} {n}" for verdict, n in count.most_common())
            print(
                f"| {kind} | {len(claims)} | {name} | {count['WRONG_PAGE']} | {verdicts} |",
                flush=True,
            )
            if options.misses and name == "its page":
                for one, found in zip(of_kind, findings, strict=True):
                    if _worst(found) == "WRONG_PAGE":
                        _show(f"p. {one.page}", one.claim, found)


def _claims(workspace: Workspace, options: argparse.Namespace) -> list[Claim]:
    chance = random.Random(options.seed)
    claims: list[Claim] = []
    for number, one in enumerate(chosen(workspace.sentences(), 100, options.seed)):
        rule = CHANGES[("number", "negation", "direction")[number % 3]]
        told = rule(one.text, chance) if number % 2 else None
        claims.append((told or one.text, one.citekey, one.page_label))
    return claims


def timed(workspace: Workspace, options: argparse.Namespace) -> None:
    """A draft of a hundred claims, half of them as the papers have it with its page, half of
    them with something changed: the first time, the second, and with one sentence changed."""
    claims = _claims(workspace, options)
    print(f"\n### A draft of {len(claims)} claims\n")
    print("| | wall s | processor s | load |\n|---|---:|---:|---:|")
    path = workspace.folder / "hundred.md"
    for name in ("first time", "second time", "one claim changed"):
        if name == "one claim changed":
            claims[50] = ("Nothing of this kind was ever seen there before.", *claims[50][1:])
        path.write_text(draft(claims)[0])
        fresh = ["--fresh"] if name == "first time" else []
        load = os.getloadavg()[0]
        took = workspace.run("verify", str(path), "--project", "jose", "--json", *fresh)
        print(f"| {name} | {took.wall:.1f} | {took.processor:.1f} | {load:.1f} |", flush=True)


def printed(workspace: Workspace, options: argparse.Namespace) -> None:
    """As many questions as it takes, of both projects, by the command in this process; and
    the draft of a hundred claims, every fifth of them without its citation."""
    from typer.testing import CliRunner

    from citeloom.infrastructure.cli.app import app

    def run(*arguments: str) -> str:
        done = CliRunner().invoke(app, ["--workspace", str(workspace.folder), *arguments])
        if done.exit_code:
            raise RuntimeError(f"{' '.join(arguments)}: {done.output[-2000:]}")
        return str(done.stdout)

    asked = {
        project: [
            one.text
            for one in chosen(workspace.sentences(project), options.hits // share, options.seed)
        ]
        for project, share in (("jose", 20), ("sample", 60))
    }
    path = workspace.folder / "hundred.md"
    text = draft(_claims(workspace, options))[0]
    blocks = text.split("\n\n")
    blocks[::5] = [re.sub(r" \[@[^\]]*\]", "", block) for block in blocks[::5]]
    path.write_text("\n\n".join(blocks))
    check_printed(run, workspace.folder, asked, path, misses=options.misses)


PARTS = {
    "perturbations": perturbations,
    "quotes": quotes,
    "pages": pages,
    "draft": timed,
    "printed": printed,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("jose", type=Path)
    parser.add_argument("--parts", default=",".join(PARTS))
    parser.add_argument("--workspace", type=Path)
    parser.add_argument("--sentences", type=int, default=500)
    parser.add_argument("--quotes", type=int, default=200)
    parser.add_argument("--hits", type=int, default=300)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--misses", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        workspace = Workspace(options.workspace or Path(folder), options.jose)
        workspace.fill()
        machine = f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores"
        print(f"{date.today()}, {machine}, load {os.getloadavg()[0]:.1f}")
        for part in options.parts.split(","):
            PARTS[part](workspace, options)


if __name__ == "__main__":
    main()
