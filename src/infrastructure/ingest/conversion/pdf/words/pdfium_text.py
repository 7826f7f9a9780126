"""Exact dashes, quotes and spaces of words, restored from pdfium's text.

docling-parse writes every dash and minus as ``-`` and every quote in its ASCII form. It joins
words of one font where the file has a gap but no space, and the symbols of a formula. pdfium
reads the same page in a tenth of the time and keeps them apart.
"""

import ctypes
import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from io import BytesIO
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, Self

import pypdfium2
import pypdfium2.raw as pdfium

from citeloom.domain.documents.spans import BBox
from citeloom.infrastructure.ingest.conversion.pdf.page_record import Word
from citeloom.infrastructure.ingest.conversion.pdf.words.formula_symbols import (
    Glyph,
    may_hold_symbols,
    split_symbols,
)
from citeloom.infrastructure.ingest.conversion.pdf.words.unspaced_text import UnspacedText

if TYPE_CHECKING:
    from PIL.Image import Image

_PLAIN = {
    **dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2015\u2212", "-"),
    **dict.fromkeys("\u2018\u2019\u201a\u201b\u2032", "'"),
    **dict.fromkeys("\u201c\u201d\u201e\u201f\u2033", '"'),
}
_MARK = re.compile(f"[{''.join(_PLAIN)}]")
_TO_PLAIN = str.maketrans(_PLAIN)
_SLACK = 1.5  # points by which boxes of pdfium and docling-parse may differ
_LEAST_GAP = 0.13  # of the word's height: no space is set below this
_LONGEST = 60  # characters of a word that is worth splitting
_SCALE = 100  # device units per point
_REOPEN_EVERY = 64  # pages
_LONGEST_NAME = 128  # bytes of a font's name


class PdfiumText(NamedTuple):
    """A page's text by pdfium. ``box_of`` and ``glyph_of`` take the index of a character and
    return its box (points from the top left of the page as displayed) or glyph; None for a
    character that pdfium generated, such as a space."""

    text: str
    box_of: Callable[[int], BBox | None]
    glyph_of: Callable[[int], Glyph | None]


class ExactPage:
    """An open page of pdfium."""

    def __init__(self, page: pypdfium2.PdfPage) -> None:
        self._page = page

    def plain_text(self) -> str:
        """The page's text in pdfium's order, with its line breaks."""
        text = self._page.get_textpage()
        try:
            plain: str = text.get_text_range()
        finally:
            text.close()
        return plain

    def read(self, words: Sequence[Word]) -> list[Word]:
        """``words`` of the page with exact characters and spaces."""
        text = self._page.get_textpage()
        try:
            return exact_words(words, _reading(self._page, text))
        finally:
            text.close()

    def image(self) -> "Image":
        """The page rendered with one pixel a point."""
        picture: Image = self._page.render(scale=1.0).to_pil()
        return picture


class ExactText:
    """A file's pages by pdfium.

    pdfium keeps every font and picture until the document is closed. It is reopened every
    64 pages, so that a thousand pages fit in memory.
    """

    def __init__(self, source: BytesIO | Path, password: str | None) -> None:
        self._open = partial(pypdfium2.PdfDocument, source, password=password)
        self._document = self._open()
        self._read = 0

    @contextmanager
    def page(self, number: int) -> Iterator[ExactPage]:
        """A page (from 1), open as long as the context lasts."""
        if self._read and self._read % _REOPEN_EVERY == 0:
            self.close()
            self._document = self._open()
        self._read += 1
        opened = self._document[number - 1]
        try:
            yield ExactPage(opened)
        finally:
            opened.close()

    def close(self) -> None:
        self._document.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _reading(page: pypdfium2.PdfPage, text: pypdfium2.PdfTextPage) -> PdfiumText:
    whole = text.get_text_range()
    wide = [i for i, char in enumerate(whole) if char > "\uffff"]  # two of pdfium's characters
    width, height = (round(side * _SCALE) for side in page.get_size())
    right, down = ctypes.c_int(), ctypes.c_int()
    x, y = ctypes.c_double(), ctypes.c_double()
    font = ctypes.create_string_buffer(_LONGEST_NAME)

    def shown(x: float, y: float) -> tuple[float, float]:
        pdfium.FPDF_PageToDevice(page, 0, 0, width, height, 0, x, y, right, down)
        return right.value / _SCALE, down.value / _SCALE

    def index_of(at: int) -> int | None:
        index = pdfium.FPDFText_GetCharIndexFromTextIndex(text, at + bisect_left(wide, at))
        made_up = index < 0 or pdfium.FPDFText_IsGenerated(text, index) == 1
        return None if made_up else index

    def framed(box: BBox) -> BBox:
        a, b = shown(*box[:2]), shown(*box[2:])
        return (min(a[0], b[0]), min(a[1], b[1]), max(a[0], b[0]), max(a[1], b[1]))

    def box_of(at: int) -> BBox | None:
        index = index_of(at)
        return None if index is None else framed(text.get_charbox(index))

    def glyph_of(at: int) -> Glyph | None:
        index = index_of(at)
        if index is None:
            return None
        loose = framed(text.get_charbox(index, loose=True))
        pdfium.FPDFText_GetCharOrigin(text, index, x, y)
        pdfium.FPDFText_GetFontInfo(text, index, font, _LONGEST_NAME, None)
        name = font.value.decode("utf-8", "replace")
        return Glyph(loose[0], loose[2], loose[3] - loose[1], shown(x.value, y.value)[1], name)

    return PdfiumText(whole, box_of, glyph_of)


def exact_words(words: Sequence[Word], reading: PdfiumText) -> list[Word]:
    """The words with exact dashes and quotes, split where the decoder joined several."""
    marks = _exact_marks(words, reading)
    plain = reading.text.translate(_TO_PLAIN)
    page_words, unspaced = set(plain.split()), UnspacedText(plain)
    split_words: list[Word] = []
    for i, word in enumerate(words):
        exact = word._replace(text=_restore_marks(word, marks[i])) if i in marks else word
        if word.text in page_words or not _is_splittable(word.text) or word.text in plain:
            parts, whole = [exact], not may_hold_symbols(word)
        else:
            parts, whole = _split(exact, word.text, unspaced, reading), False
        for part in parts:
            plain_text = part.text.translate(_TO_PLAIN)
            split_words.extend(
                [part] if whole else split_symbols(part, plain_text, unspaced, reading.glyph_of)
            )
    return split_words


def _exact_marks(words: Sequence[Word], reading: PdfiumText) -> dict[int, list[tuple[float, str]]]:
    """Horizontal centre and character of each dash and quote, by index of its word."""
    rows: dict[int, list[int]] = defaultdict(list)
    for i, word in enumerate(words):
        if any(c in word.text for c in "-'\""):
            for row in range(int(word.top - _SLACK) // 8, int(word.bottom + _SLACK) // 8 + 1):
                rows[row].append(i)
    marks: dict[int, list[tuple[float, str]]] = defaultdict(list)
    for match in _MARK.finditer(reading.text):
        box = reading.box_of(match.start())
        if box is None:
            continue
        x, y = (box[0] + box[2]) / 2, (box[1] + box[3]) / 2
        index = next((i for i in rows.get(int(y) // 8, ()) if _covers(words[i], x, y)), None)
        if index is not None:
            marks[index].append((x, match[0]))
    return marks


def _covers(word: Word, x: float, y: float) -> bool:
    return (
        word.x0 - _SLACK / 2 <= x <= word.x1 + _SLACK / 2
        and word.top - _SLACK <= y <= word.bottom + _SLACK
    )


def _restore_marks(word: Word, marks: Sequence[tuple[float, str]]) -> str:
    """The word's text with each mark in place of the nearest ASCII form of it."""
    text = word.text
    for x, mark in sorted(marks):
        places = [i for i, char in enumerate(text) if char == _PLAIN[mark]]
        if places:
            expected = (x - word.x0) / max(word.x1 - word.x0, 0.1) * len(text) - 0.5
            at = min(places, key=lambda i: abs(i - expected))
            text = text[:at] + mark + text[at + 1 :]
    return text


def _is_splittable(text: str) -> bool:
    letters = sum(char.isalpha() for char in text)
    return letters > 0 and 2 < len(text) <= _LONGEST and 4 * letters >= len(text)


def _split(word: Word, plain: str, page: UnspacedText, reading: PdfiumText) -> list[Word]:
    """The parts of a word between which pdfium sees a gap; the word itself without one."""
    for places in page.find(plain):
        start, run = places[0], reading.text[places[0] : places[-1] + 1]
        first = reading.box_of(start) if "\n" not in run else None
        if first is None or not _covers(word, (first[0] + first[2]) / 2, (first[1] + first[3]) / 2):
            continue
        parts = list(_split_parts(run, start, reading))
        if _are_words([text for text, _, _ in parts]) and _has_gaps(parts, word.size):
            return list(_words(word, parts))
    return [word]


def _are_words(parts: Sequence[str]) -> bool:
    """Whether the parts are words: not single letters, which are kerned or spread, except after
    a section number; none begins with a closing bracket."""
    if any(part[0] in ")]}" for part in parts[1:]):
        return False
    if any(char.isalpha() for char in parts[0]):
        return all(len(part) > 1 for part in parts)
    return len(parts) == 2 and len(parts[0]) > 1 and parts[1][0].isupper()


def _split_parts(run: str, start: int, reading: PdfiumText) -> Iterator[tuple[str, float, float]]:
    """Text, left and right edge of each part."""
    for part in re.finditer("[^ \u00a0]+", run):
        first = reading.box_of(start + part.start())
        last = reading.box_of(start + part.end() - 1)
        yield part[0], first[0] if first else 0.0, last[2] if last else 0.0


def _has_gaps(parts: Sequence[tuple[str, float, float]], size: float) -> bool:
    pairs = pairwise(parts)
    return len(parts) > 1 and all(b[1] - a[2] > _LEAST_GAP * size for a, b in pairs)


def _words(word: Word, parts: Sequence[tuple[str, float, float]]) -> Iterator[Word]:
    at, last = 0, len(parts) - 1
    for i, (text, x0, x1) in enumerate(parts):
        exact = word.text[at : at + len(text)]
        at += len(text)
        yield word._replace(text=exact, x0=x0 if i else word.x0, x1=x1 if i < last else word.x1)
