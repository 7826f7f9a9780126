"""Normalised text for the comparison of quotations, with offsets into the original.

Line breaks, hyphens at line ends, ligatures, diacritics, letter case, quotation marks, white
space, punctuation and reference numbers in brackets are removed. Numbers keep their signs,
points, commas and dashes; symbols such as % and < stay.
"""

import re
import unicodedata
from array import array
from collections.abc import Iterator
from functools import lru_cache
from itertools import pairwise
from typing import Final, NamedTuple

_DASHES: Final = frozenset("-\u2010\u2011\u2012\u2013\u2014\u2015\u2212\u00ad\ufe63\uff0d")
_SYMBOLS: Final = frozenset("%<>=±°$€£¥≤≥×~≈∞√∑")
# Reference numbers as journals print them: [3], [4, 5], [7-9].
_REFERENCE: Final = re.compile(r"(?<!CI )\[\s?\d{1,3}(?:\s?[,;\u2013-]\s?\d{1,3})*\s?\]")
_ASCII_LETTERS_OR_ONE: Final = re.compile(r"[A-Za-z]+|[^A-Za-z ]")


class NormalizedWord(NamedTuple):
    """A word as compared, which stands at ``text[start:end]``."""

    start: int
    end: int
    letters: str


class NormalizedText:
    """The letters of a text and their offsets in it.

    Letters are those of words and numbers, in lower case and without accents; points, commas,
    dashes and white space between digits (2.5, 3-5, 10 20); a minus before a number; symbols.
    ``letters_only`` keeps letters and digits alone, those of reference numbers too: two
    programs that read the same page agree on these."""

    def __init__(self, text: str, *, letters_only: bool = False) -> None:
        self._text = text
        pieces: list[str] = []
        offsets = array("L")
        after = 0
        skipped = set() if letters_only else _reference_offsets(text)
        for match in _ASCII_LETTERS_OR_ONE.finditer(text):
            at, end = match.span()
            run = match[0]
            if run.isascii() and run.isalpha():
                pieces.append(run.lower())
                offsets.extend(range(at, end))
                after = end
                continue
            if at in skipped:
                continue
            letters = _letters(run) if letters_only else _folded(run) or _within_number(text, at)
            if not letters:
                after += at == after and unicodedata.combining(run) > 0
                continue
            is_apart = not letters_only and at > after and bool(pieces)
            if is_apart and pieces[-1][-1].isdigit() and letters[0].isdigit():
                pieces.append(" ")
                offsets.append(at)
            pieces.append(letters)
            offsets.extend([at] * len(letters))
            after = end
        self.letters = "".join(pieces)
        self._offsets = offsets

    def offset(self, letter: int) -> int:
        """Where a letter stands in the text."""
        return self._offsets[letter]

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Offsets in the text of ``letters[start:end]``, which are some."""
        return self._offsets[start], self._offsets[end - 1] + 1

    def places(self, letters: str, after: int = 0, *, within_words: bool = False) -> Iterator[int]:
        """Where these letters stand, from ``after`` on, in order: as whole words, or
        ``within_words`` too, but never within a ligature."""
        is_border = self._is_between_characters if within_words else self._is_edge
        at = self.letters.find(letters, after)
        while at >= 0:
            if is_border(at) and is_border(at + len(letters)):
                yield at
            at = self.letters.find(letters, at + 1)

    def words(self) -> list[NormalizedWord]:
        """The letters between edges, in order."""
        edges = [at for at in range(len(self.letters) + 1) if self._is_edge(at)]
        return [
            NormalizedWord(*self.span(start, end), letters)
            for start, end in pairwise(edges)
            if (letters := self.letters[start:end].strip())
        ]

    def _is_between_characters(self, at: int) -> bool:
        if at in (0, len(self.letters)) or self.letters[at - 1] == " ":
            return True
        return self._offsets[at - 1] < self._offsets[at]

    def _is_edge(self, at: int) -> bool:
        """Whether a word begins or ends before the letter ``at``."""
        if at in (0, len(self.letters)) or self.letters[at - 1] == " ":
            return True
        if not self._is_between_characters(at):
            return False
        if not _SYMBOLS.isdisjoint(self.letters[at - 1 : at + 1]):
            return True
        gap = range(self._offsets[at - 1] + 1, self._offsets[at])
        return any(not _joins(self._text, offset) for offset in gap)


def count_letters(text: str) -> int:
    """The number of letters and digits."""
    return len(NormalizedText(text, letters_only=True).letters)


def _reference_offsets(text: str) -> set[int]:
    return {at for match in _REFERENCE.finditer(text) for at in range(*match.span())}


@lru_cache(maxsize=8192)
def _folded(char: str) -> str:
    """``ﬁ`` is fi, ``É`` is e, ``²`` is 2; symbols as they are; nothing for the rest."""
    apart = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", char).casefold())
    return "".join(one for one in apart if one.isalnum() or one in _SYMBOLS)


@lru_cache(maxsize=8192)
def _letters(char: str) -> str:
    return "".join(one for one in _folded(char) if one.isalnum())


def _within_number(text: str, at: int) -> str:
    """What a punctuation mark means to the number around it: a point, a comma, a dash
    between digits, a minus before them; or nothing."""
    char, before, after = text[at], text[at - 1 : at] if at else "", text[at + 1 : at + 2]
    if char in ".,·" and before.isdigit() and after.isdigit():
        return "." if char == "·" else char
    if char not in _DASHES or char == "\u00ad":
        return ""
    if after.isdigit() and not before.isalnum() and not before.isspace():
        return "" if before in _DASHES else "-"
    left, right = text[max(0, at - 4) : at].rstrip()[-1:], text[at + 1 : at + 5].lstrip()[:1]
    if left.isdigit() and right.isdigit():
        return "" if char == "\u2014" and before.isspace() and after.isspace() else "-"
    return "-" if after.isdigit() and not before.isalnum() else ""


def _joins(text: str, at: int) -> bool:
    """Whether a character that is no letter stands within a word: a mark on a letter, a soft
    hyphen, an apostrophe, a hyphen, and the line break after one."""
    char = text[at]
    if unicodedata.combining(char) or char == "\u00ad":
        return True
    if char.isspace():
        start = at
        while start and text[start - 1].isspace():
            start -= 1
        end = at
        while end < len(text) and text[end].isspace():
            end += 1
        broken = "\n" in text[start:end] and start > 1 and text[start - 1] in _DASHES
        return broken and text[start - 2].isalpha() and text[end : end + 1].isalpha()
    if char in _DASHES or char in "'\u2019":
        return text[at - 1 : at].isalpha() and text[at + 1 : at + 2] not in ("", " ")
    return False
