"""A text without its setting: what is left of it when line breaks, hyphens at line ends,
ligatures, spaces, quotation marks, numbers of references and letter case are taken away,
and where each letter stands.
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
# Numbers of references, as journals print them.
_REFERENCE: Final = re.compile(r"(?<!CI )\[\s?\d{1,3}(?:\s?[,;\u2013-]\s?\d{1,3})*\s?\]")


class SetWord(NamedTuple):
    """A word as compared, which stands at ``text[start:end]``."""

    start: int
    end: int
    letters: str


class Setting:
    """The letters of a text and their offsets in it.

    Letters are those of words and numbers, small and without accents; points, commas, dashes
    and white space between digits (2.5, 3-5, 10 20); a minus before a number; symbols."""

    def __init__(self, text: str) -> None:
        pieces: list[str] = []
        offsets = array("L")
        edges: set[int] = set()
        length = 0
        previous = ""
        references = {
            at for match in _REFERENCE.finditer(text) for at in range(match.start(), match.end())
        }
        for at, char in enumerate(text):
            folded = "" if at in references else _folded(char)
            if not folded and not char.isspace() and at not in references:
                folded = _within_number(text, at)
            if not folded:
                if not _joins(text, at):
                    edges.add(length)
                previous = char if not unicodedata.combining(char) else previous
                continue
            if previous and pieces and pieces[-1][-1].isdigit() and folded[0].isdigit():
                pieces.append(" ")
                offsets.append(at)
                length += 1
                edges.add(length)
            if folded in _SYMBOLS:
                edges.update((length, length + 1))
            pieces.append(folded)
            offsets.extend([at] * len(folded))
            length += len(folded)
            previous = ""
        self.letters = "".join(pieces)
        self._offsets = offsets
        self._edges = edges | {0, length}

    def offset(self, letter: int) -> int:
        """Where a letter stands in the text."""
        return self._offsets[letter]

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Offsets in the text of ``letters[start:end]``, which are some."""
        return self._offsets[start], self._offsets[end - 1] + 1

    def places(self, letters: str, after: int = 0) -> Iterator[int]:
        """Where these letters stand as whole words, from ``after`` on, in order."""
        at = self.letters.find(letters, after)
        while at >= 0:
            if at in self._edges and at + len(letters) in self._edges:
                yield at
            at = self.letters.find(letters, at + 1)

    def words(self) -> list[SetWord]:
        """The letters between edges, in order."""
        found = []
        for start, end in pairwise(sorted(self._edges)):
            if letters := self.letters[start:end].strip():
                found.append(SetWord(*self.span(start, end), letters))
        return found


@lru_cache(maxsize=8192)
def _folded(char: str) -> str:
    """``ﬁ`` is fi, ``É`` is e, ``²`` is 2; symbols as they are; nothing for the rest."""
    apart = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", char).casefold())
    return "".join(one for one in apart if one.isalnum() or one in _SYMBOLS)


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
