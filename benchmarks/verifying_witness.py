"""What stands on the pages of PDFs, by readers that the conversion does not take words from.

Words and their order are docling-parse's in the conversion; here they are pdfium's, and
poppler's where ``pdftotext`` is installed. Texts are compared by their letters and digits,
ligatures taken apart.
"""

import gzip
import json
import re
import shutil
import subprocess
import unicodedata
from collections import Counter
from collections.abc import Sequence
from enum import StrEnum
from functools import lru_cache
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import pypdfium2

_WORD = re.compile(r"[^\W_]+")
_PIECE = re.compile(r"\n|(?<= )\|(?= )|^\||\|$", re.MULTILINE)
_POPPLER = shutil.which("pdftotext")


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

    def _page(self, document_id: str, page: int) -> tuple[str, ...]:
        return readings(Path(self.sources[document_id]), page)

    def standing(self, printed: Printed) -> Standing:
        own = self.text(printed.document_id)[printed.start : printed.end]
        if own != printed.text:
            return Standing.ELSEWHERE
        if not printed.pages:
            return Standing.VERBATIM
        return standing(
            printed.text, [self.page(printed.document_id, page) for page in printed.pages]
        )


def readings(path: Path, page: int) -> tuple[str, ...]:
    """The text of a page, once for each reader."""
    with pypdfium2.PdfDocument(path) as pdf:
        first = pdf[page - 1].get_textpage().get_text_bounded()
    if not _POPPLER:
        return (first,)
    asked = [_POPPLER, "-f", str(page), "-l", str(page), str(path), "-"]
    done = subprocess.run(asked, capture_output=True, encoding="utf-8", check=True)
    return first, done.stdout


def letters(text: str) -> str:
    """Its letters and digits alone, small, ligatures taken apart."""
    apart = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", text).casefold())
    return "".join(char for char in apart if char.isalnum())


def standing(text: str, pages: Sequence[tuple[str, ...]]) -> Standing:
    """How the paragraphs and table cells of a text stand on pages that follow each other: each
    on one of them or on two, one after the other, by one reader at least; or else their words
    do, in another order (of the lines of cells, of formulas)."""
    runs = [[letters(page) for page in reader] for reader in zip(*pages, strict=True)]
    found = Standing.VERBATIM
    for paragraph in _PIECE.split(text):
        wanted = letters(paragraph)
        if any(_runs(wanted, run) for run in runs):
            continue
        known = Counter(letters(word) for page in pages for word in _WORD.findall(page[0]))
        whole = "".join(runs[0])
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
