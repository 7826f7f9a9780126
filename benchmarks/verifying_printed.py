"""Whether the words that commands print are those of the document, at the offsets and on the
pages that stand beside them.

The document's text is read from its bundle (specs/on-disk.md). What is on a page is asked of
pypdfium2: words and their order are docling-parse's in the conversion, pdfium's here. Both are
compared by their letters and digits, ligatures taken apart.
"""

import gzip
import json
import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from enum import StrEnum
from functools import lru_cache
from html import unescape
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import pypdfium2

_OFFSETS = re.compile(r"/(\d+)-(\d+)/\$")
_SPACE = re.compile(r"\s+")
_ESCAPED = re.compile(r"\\([\\`*_\[\]<>|#])")
_WORD = re.compile(r"[^\W_]+")
_PIECE = re.compile(r"\n|(?<= )\|(?= )|^\||\|$", re.MULTILINE)
_EACH = 20

Run = Callable[..., str]
"""Runs a command and returns what it printed."""


class Printed(NamedTuple):
    """Words that a command printed, and where it says that they stand (pages of the file)."""

    command: str
    text: str
    document_id: str
    start: int
    end: int
    pages: tuple[int, ...]


class Standing(StrEnum):
    VERBATIM = "verbatim"
    ORDER = "the same words in another order"
    ELSEWHERE = "not there"


class Witness:
    """The documents of a workspace: their texts by bundle, their pages by pypdfium2."""

    def __init__(self, folder: Path) -> None:
        self._home = folder / ".citeloom"
        self.sources: dict[str, str] = {}
        self.text = lru_cache(maxsize=64)(self._text)
        self.page = lru_cache(maxsize=512)(self._page)

    def _text(self, document_id: str) -> str:
        path = self._home / "bundles" / document_id[:2] / f"{document_id}.json.gz"
        with gzip.open(path, "rt", encoding="utf-8") as file:
            file.readline()
            return str(json.load(file)["plain_text"])

    def _page(self, document_id: str, page: int) -> str:
        with pypdfium2.PdfDocument(self.sources[document_id]) as pdf:
            return pdf[page - 1].get_textpage().get_text_bounded()

    def standing(self, printed: Printed) -> Standing:
        own = self.text(printed.document_id)[printed.start : printed.end]
        if own != printed.text:
            return Standing.ELSEWHERE
        if not printed.pages:
            return Standing.VERBATIM
        return standing(
            printed.text, [self.page(printed.document_id, page) for page in printed.pages]
        )


def letters(text: str) -> str:
    """Its letters and digits alone, small, ligatures taken apart."""
    apart = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", text).casefold())
    return "".join(char for char in apart if char.isalnum())


def standing(text: str, pages: Sequence[str]) -> Standing:
    """How the paragraphs and table cells of a text stand on pages that follow each other: each
    on one of them or on two, one after the other; or else their words do, in another order (of
    the lines of cells, formulas, a figure in the middle of a sentence)."""
    run = [letters(page) for page in pages]
    found = Standing.VERBATIM
    for paragraph in _PIECE.split(text):
        wanted = letters(paragraph)
        if _runs(wanted, run):
            continue
        known = Counter(letters(word) for page in pages for word in _WORD.findall(page))
        whole = "".join(run)
        gone = [
            word
            for word in map(letters, _WORD.findall(paragraph))
            if not known[word] and word not in whole
        ]
        if gone:
            return Standing.ELSEWHERE
        found = Standing.ORDER
    return found


def _runs(wanted: str, pages: Sequence[str]) -> bool:
    if any(wanted in page for page in pages):
        return True
    return any(
        wanted[:cut] in one and wanted[cut:] in other
        for one, other in pairwise(pages)
        for cut in range(1, len(wanted))
    )


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
            with pypdfium2.PdfDocument(cut["output_path"]) as pdf:
                pages = [page.get_textpage().get_text_bounded() for page in pdf]
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
