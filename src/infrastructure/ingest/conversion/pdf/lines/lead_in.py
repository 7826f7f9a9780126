"""Lead-ins: the beginning of a line in another face, as of a run-in heading or a term."""

import re
from collections.abc import Callable, Sequence
from enum import StrEnum
from typing import NamedTuple

from citeloom.domain.documents.spans import BBox
from citeloom.infrastructure.ingest.conversion.pdf.lines.vocabulary import TOP_SECTIONS
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
    """How a lead-in differs from the rest of its line."""

    BOLD = "bold"
    CAPS = "small capitals"
    ITALIC = "italic"
    NONE = "nothing but the dash or the colon behind it"


class LeadIn(NamedTuple):
    """A lead-in: number of characters, the gap after it and its right edge, in points."""

    length: int
    gap: float
    x: float
    face: Face


def lead_in_of(words: Sequence[Word]) -> LeadIn | None:
    """The lead-in of a line: a section name followed by a dash, else bold, else small capitals,
    else italics. A number before it may be in the face of the rest."""
    section_name = _section_name_lead_in(words)
    if section_name is not None:
        return section_name
    faces: tuple[tuple[Face, Callable[[Word], bool]], ...] = (
        (Face.BOLD, _is_bold),
        (Face.CAPS, _is_small_caps),
        (Face.ITALIC, _is_italic),
    )
    for face, in_face in faces:
        count = _leading_words(words, in_face)
        if 0 < count < len(words):
            end = words[count - 1].x1
            length = len(join_words(words[:count]))
            return LeadIn(length, words[count].x0 - end, end, face)
    return None


def _section_name_lead_in(words: Sequence[Word]) -> LeadIn | None:
    """*Abstract* and a dash, which the decoder does not split from the next word."""
    first = words[0]
    match = _DASHED.match(first.text)
    if match is None or squash(match[1]) not in TOP_SECTIONS:
        return None
    x = first.x0 + (first.x1 - first.x0) * len(match[1]) / len(first.text)
    return LeadIn(len(match[1]), 0.0, x, Face.NONE)


def is_deep_number(text: str) -> bool:
    """Whether a text is a number of four parts or more. Headings with such numbers may be in
    the face of the text after them, and end in a colon."""
    return _DEEP.fullmatch(text) is not None


def lead_in_to_colon(text: str, box: BBox) -> LeadIn | None:
    """The beginning of a line up to a colon that a sentence follows."""
    match = _COLON.match(text)
    if match is None:
        return None
    x = box[0] + (box[2] - box[0]) * match.end() / len(text)
    return LeadIn(match.end(), 0.0, x, Face.NONE)


def _is_bold(word: Word) -> bool:
    return word.bold


def _is_small_caps(word: Word) -> bool:
    return is_small_caps(word.font)


def _is_italic(word: Word) -> bool:
    return word.italic and not is_mathematical(word.font)


def _leading_words(words: Sequence[Word], in_face: Callable[[Word], bool]) -> int:
    """How many words the lead-in has. Punctuation counts as any face."""
    numbered = len(words) > 2 and _NUMBER.fullmatch(words[0].text) and in_face(words[1])
    count = 1 if numbered else 0
    while count < len(words) and (
        in_face(words[count]) or not any(map(str.isalnum, words[count].text))
    ):
        count += 1
    while count and not in_face(words[count - 1]):
        count -= 1
    return count
