"""A page's text without spaces and line ends, in which words with gaps are found."""

import re
from collections.abc import Iterator
from itertools import pairwise

_WHITE = re.compile("[ \u00a0\r\n]+")
# A space, the end of a line, or both.
_GAPS = frozenset(space + end for space in ("", " ", "\u00a0") for end in ("", "\n", "\r\n"))


class UnspacedText:
    """``text`` without single spaces and line ends, with the offset of each character."""

    def __init__(self, text: str) -> None:
        parts: list[str] = []
        self._places: list[int] = []
        gaps = [white.span() for white in _WHITE.finditer(text) if white[0] in _GAPS]
        for (_, start), (end, _) in pairwise([(0, 0), *gaps, (len(text), len(text))]):
            parts.append(text[start:end])
            self._places.extend(range(start, end))
        self._text = "".join(parts)

    def find(self, word: str) -> Iterator[list[int]]:
        """Offsets of the characters of ``word`` in the whole text, for each occurrence, with or
        without gaps in it."""
        at = self._text.find(word)
        while at >= 0:
            yield self._places[at : at + len(word)]
            at = self._text.find(word, at + len(word))
