"""Whether the words that commands print are those of the document, at the offsets and on the
pages that stand beside them.

What ``--json`` says is held against the document's text in its bundle (specs/on-disk.md) and
against its pages by other readers of PDFs; the other formats against ``--json``.
"""

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from html import unescape
from pathlib import Path
from typing import Any

from verifying_witness import Printed, Standing, Witness, readings, standing

_OFFSETS = re.compile(r"/(\d+)-(\d+)/\$")
_SPACE = re.compile(r"\s+")
_ESCAPED = re.compile(r"\\([\\`*_\[\]<>|#])")
_EACH = 20

Run = Callable[..., str]
"""Runs a command and returns what it printed."""


def of_hits(command: str, items: Iterable[dict[str, Any]]) -> list[Printed]:
    """Passages of ``query --json``, and the best sentence of each where it stands in them."""
    found = []
    for item in items:
        match = _OFFSETS.search(item["knowledge_uri"])
        assert match is not None, item["knowledge_uri"]
        start, span = int(match[1]), item["page_span"]
        pages = tuple(range(span[0], span[1] + 1)) if span else ()
        text = item["text"].removesuffix(" …")
        found.append(Printed(command, text, item["document_id"], start, start + len(text), pages))
        if best := item["best_sentence"]:
            at = start + max(0, text.find(best))
            found.append(
                Printed(f"{command}, best", best, item["document_id"], at, at + len(best), pages)
            )
    return found


def of_findings(verification: dict[str, Any]) -> list[Printed]:
    """All words of sources in ``verify --json``: evidence, better sources, candidates."""
    quotes = [quote for one in verification["findings"] for quote in one["evidence"]]
    quotes += [one["better"] for one in verification["findings"] if one["better"]]
    quotes += [quote for one in verification["uncited"] or () for quote in one["candidates"]]
    return [
        Printed(
            "verify --json",
            quote["text"],
            quote["document_id"],
            quote["start"],
            quote["end"],
            tuple(sorted({quote["page"], *(one["page"] for one in quote["regions"])}))
            if quote["page"]
            else (),
        )
        for quote in quotes
    ]


class Tally:
    """Words printed and how they stand, by command."""

    def __init__(self, witness: Witness, *, misses: bool) -> None:
        self.witness = witness
        self._misses = misses
        self._seen: Counter[tuple[str, Standing]] = Counter()
        self._shown: set[str] = set()

    def printed(self, all_of: Iterable[Printed]) -> None:
        for one in all_of:
            self.told(one.command, self.witness.standing(one), one.text)

    def told(self, command: str, stands: Standing, text: str) -> None:
        self._seen[command, stands] += 1
        if self._misses and stands is not Standing.VERBATIM and text not in self._shown:
            self._shown.add(text)
            print(f"    {command}: {stands}\n      “{text}”")

    def show(self) -> None:
        print("\n| | words printed | verbatim | in another order | not there |")
        print("|---|---:|---:|---:|---:|")
        for command in dict.fromkeys(name for name, _ in self._seen):
            counts = [self._seen[command, stands] for stands in Standing]
            print(f"| {command} | {sum(counts)} | {' | '.join(map(str, counts))} |")


def check_printed(
    run: Run, folder: Path, asked: dict[str, Sequence[str]], draft: Path, *, misses: bool
) -> None:
    """``asked`` are questions by project; ``draft`` is one on the project jose."""
    witness = Witness(folder)
    tally = Tally(witness, misses=misses)
    for project, questions in asked.items():
        inspected = json.loads(run("inspect", "--project", project, "--sample", "all", "--json"))
        witness.sources |= {s["document_id"]: s["source_path"] for s in inspected["samples"]}
        for question in questions:
            _check_hits(run, tally, project, question)
    _check_report(run, tally, draft)
    print("\n### Words that commands print")
    tally.show()


def _check_hits(run: Run, tally: Tally, project: str, question: str) -> None:
    ask = ("query", question, "--project", project, "-k", str(_EACH))
    items = json.loads(run(*ask, "--json"))["items"]
    tally.printed(of_hits("query --json", items))
    for form in ("table", "markdown", "text"):
        out = run(*ask, "--format", form)
        told = _close(re.sub(r"^> ?", "", out, flags=re.MULTILINE))
        for item in items:
            stands = _same(_close(item["text"]) in told)
            tally.told(f"query --format {form}", stands, item["text"])
    for item in items:
        body = unescape(run("read", item["knowledge_uri"]))
        tally.told("read", _same(item["text"].removesuffix(" …") in body), item["text"])
        if item["page_span"] and item["source_path"].endswith(".pdf"):
            cut = json.loads(run("resolve", item["address"], "--project", project, "--json"))
            file, span = Path(cut["output_path"]), item["page_span"]
            pages = [readings(file, n + 1) for n in range(span[1] - span[0] + 1)]
            tally.told("resolve", standing(item["text"], pages), item["text"])


def _same(is_there: bool) -> Standing:
    return Standing.VERBATIM if is_there else Standing.ELSEWHERE


def _check_report(run: Run, tally: Tally, draft: Path) -> None:
    verify = ("verify", str(draft), "--project", "jose", "--uncited")
    found = json.loads(run(*verify, "--json"))
    tally.printed(of_findings(found))
    for one in (wrong for finding in found["findings"] for wrong in finding["misquoted"]):
        texts = (_close(tally.witness.text(i)) for i in tally.witness.sources)
        if one["closest"]:
            stands = _same(any(_close(one["closest"]) in text for text in texts))
            tally.told("verify --json, closest", stands, one["closest"])
    markdown = _close(_ESCAPED.sub(r"\1", run(*verify, "--format", "markdown")))
    sarif = json.loads(run(*verify, "--format", "sarif"))["runs"][0]["results"]
    table = _close(run(*verify))
    for finding, result in zip(found["findings"], sarif, strict=False):
        for quote in [*finding["evidence"][:1], *filter(None, [finding["better"]])]:
            shown = _close(quote["text"])
            cut = _close(" ".join(quote["text"].split())[:399])
            for command, text, wanted in (
                ("verify --format markdown", markdown, cut),
                ("verify --format table", table, cut),
                ("verify --format sarif", _close(result["message"]["text"]), shown),
            ):
                tally.told(command, _same(wanted in text), quote["text"])


def _close(text: str) -> str:
    return _SPACE.sub("", text)
