"""The beginning of a line in another face than the rest: a head of the paragraph, a term."""

import re
from collections.abc import Callable, Sequence
from enum import StrEnum
from typing import NamedTuple

from citeloom.domain.documents.spans import BBox
from citeloom.infrastructure.ingest.conversion.pdf.lines.vocabulary import ALWAYS
from citeloom.infrastructure.ingest.conversion.pdf.page_record import Word
from citeloom.infrastructure.ingest.conversion.pdf.words.font_faces import (
    is_mathematical,
    is_small_caps,
)
from citeloom.infrastructure.ingest.conversion.pdf.words.glyphs import squash
from citeloom.infrastructure.ingest.conversion.pdf.words.word_spacing import join_words

_NUMBER = re.compile(r"\(?(?:\d{1,2}|[A-Za-z]|[IVXivx]{1,5})(?:\.\d{1,3})*[.)]?")
_DEEP = re.compile(r"\d{1,2}(?:\.\d{1,3}){3,}")
_COLON = re.compile(r"(?:[\d.]+\s+)?[^.;:]*[^\s.;:]\.?:(?=\s+[^\W\d_a-z])")
_DASHED = re.compile(r"(.{2,30}?)[\u2014\u2013]")


class Face(StrEnum):
    """In what the beginning differs from the rest of its line."""

    BOLD = "bold"
    CAPS = "small capitals"
    ITALIC = "italic"
    NONE = "nothing but the dash or the colon behind it"


class Lead(NamedTuple):
    """The beginning of a line in another face: its characters, the space after it and where
    it ends, both in points."""

    length: int
    gap: float
    x: float
    face: Face


def lead_of(words: Sequence[Word]) -> Lead | None:
    """The beginning of a line: the name of a section with a dash behind it, or what is in
    bold, in small capitals or in italics, whichever is first in this order. A number in
    front may be in the face of the rest."""
    named = _named(words)
    if named is not None:
        return named
    marked: tuple[tuple[Face, Callable[[Word], bool]], ...] = (
        (Face.BOLD, _is_bold),
        (Face.CAPS, _is_small_caps),
        (Face.ITALIC, _is_italic),
    )
    for face, has in marked:
        count = _count(words, has)
        if 0 < count < len(words):
            end = words[count - 1].x1
            length = len(join_words(words[:count]))
            return Lead(length, words[count].x0 - end, end, face)
    return None


def _named(words: Sequence[Word]) -> Lead | None:
    """*Abstract* and a dash, which a decoder does not part from the word behind it."""
    first = words[0]
    match = _DASHED.match(first.text)
    if match is None or squash(match[1]) not in ALWAYS:
        return None
    x = first.x0 + (first.x1 - first.x0) * len(match[1]) / len(first.text)
    return Lead(len(match[1]), 0.0, x, Face.NONE)


def is_deep_number(text: str) -> bool:
    """Whether a text is a number of four parts or more. Heads with such numbers may be in
    the face of what follows them, and end in a colon."""
    return _DEEP.fullmatch(text) is not None


def lead_to_colon(text: str, box: BBox) -> Lead | None:
    """The beginning of a line up to a colon, behind which a sentence begins."""
    match = _COLON.match(text)
    if match is None:
        return None
    x = box[0] + (box[2] - box[0]) * match.end() / len(text)
    return Lead(match.end(), 0.0, x, Face.NONE)


def _is_bold(word: Word) -> bool:
    return word.bold


def _is_small_caps(word: Word) -> bool:
    return is_small_caps(word.font)


def _is_italic(word: Word) -> bool:
    return word.italic and not is_mathematical(word.font)


def _count(words: Sequence[Word], has: Callable[[Word], bool]) -> int:
    """How many words the beginning has. Signs are in any face."""
    numbered = len(words) > 2 and _NUMBER.fullmatch(words[0].text) and has(words[1])
    count = 1 if numbered else 0
    while count < len(words) and (
        has(words[count]) or not any(map(str.isalnum, words[count].text))
    ):
        count += 1
    while count and not has(words[count - 1]):
        count -= 1
    return count
