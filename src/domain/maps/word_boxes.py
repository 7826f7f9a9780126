"""Boxes of words: parts of lines, by the characters of the page."""

from collections.abc import Sequence
from typing import NamedTuple

from citeloom.domain.documents.spans import BBox, union
from citeloom.domain.text.normalized_text import NormalizedText


class PageCharacter(NamedTuple):
    """A character of a page, in the file's order; ``bbox`` is in points from the top left of the
    page as displayed."""

    text: str
    bbox: BBox


def box_of_words(
    line: str, start: int, end: int, bbox: BBox, characters: Sequence[PageCharacter]
) -> BBox | None:
    """The box of ``line[start:end]``, within the ``bbox`` of the line: as high as the line and as
    wide as these words, or the other way round where the line runs down the page.

    None where ``characters`` (those of the whole page) do not tell where the words are.
    """
    own = [one for one in characters if _is_in(one.bbox, bbox)]
    text = "".join(one.text[:1] or " " for one in own)
    span = _same_words(line, start, end, text)
    if span is None:
        return None
    words = union([own[n].bbox for n in range(*span) if not text[n].isspace()])
    left, top, right, bottom = bbox
    if bottom - top > right - left:
        return (left, words[1], right, words[3])
    return (words[0], top, words[2], bottom)


def _is_in(box: BBox, line: BBox) -> bool:
    x, y = (box[0] + box[2]) / 2, (box[1] + box[3]) / 2
    return line[0] - 1 <= x <= line[2] + 1 and line[1] <= y <= line[3]


def _same_words(line: str, start: int, end: int, text: str) -> tuple[int, int] | None:
    """Where in ``text``, another reading of the line, the words ``line[start:end]`` are."""
    whole, other = (NormalizedText(one, letters_only=True) for one in (line, text))
    before = len(NormalizedText(line[:start], letters_only=True).letters)
    letters = NormalizedText(line[start:end], letters_only=True).letters
    if not letters:
        return None
    if whole.letters != other.letters:
        if other.letters.count(letters) != 1:
            return None
        before = other.letters.index(letters)
    first, last = other.span(before, before + len(letters))
    return _with_punctuation(text, first, last, line[start:end].strip())


def _with_punctuation(text: str, first: int, last: int, words: str) -> tuple[int, int]:
    """The span with the punctuation that the words begin and end with."""
    opening = len(words) - len(words.lstrip(_marks(words)))
    closing = len(words) - len(words.rstrip(_marks(words)))
    while opening and first and _is_mark(text[first - 1]):
        first, opening = first - 1, opening - 1
    while closing and last < len(text) and _is_mark(text[last]):
        last, closing = last + 1, closing - 1
    return first, last


def _marks(words: str) -> str:
    return "".join({char for char in words if _is_mark(char)})


def _is_mark(char: str) -> bool:
    return not char.isalnum() and not char.isspace()
