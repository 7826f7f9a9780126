"""The letters and digits of a text alone, and where each stands.

Two readings of the same page differ in spaces, line breaks, hyphens at the end of lines,
quotation marks, ligatures, letter case and accents; their letters and digits are the same.
"""

import unicodedata
from array import array
from functools import lru_cache

from citeloom.domain.documents.spans import CharSpan

#: So many letters and digits (about five words) stand nowhere by chance.
LONG = 24
# How much of a quote is in the text at least, where it begins and ends there.
_LEAST = 0.5


class Letters:
    """A text, to look for quotations in; made once, it takes as long as reading it."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._folded, self._at = _folded(text)

    def find(self, quote: str) -> list[CharSpan]:
        """Where the words of ``quote`` stand, in order, with the punctuation around them
        that the quote has too. From word to word, if they stand so anywhere; none for a quote
        without letters and digits."""
        wanted, _ = _folded(quote)
        if not wanted:
            return []
        found = []
        start = self._folded.find(wanted)
        while start >= 0:
            last = self._at[start + len(wanted) - 1]
            found.append(CharSpan(start=self._at[start], end=last + 1))
            start = self._folded.find(wanted, start + 1)
        whole = [span for span in found if self._is_whole(span)]
        before, after = _around(quote)
        return [self._widened(span, before, after) for span in whole or found]

    def find_ends(self, quote: str) -> list[CharSpan]:
        """Where a long quote begins and ends as it does in the text, although it has more
        between (what is printed around the text, where it goes over a page), in order. None
        for a quote that is too short to tell."""
        wanted, _ = _folded(quote)
        if len(wanted) < 3 * LONG:
            return []
        found = []
        start = self._folded.find(wanted[:LONG])
        while start >= 0:
            nearest = start + int(_LEAST * len(wanted)) - LONG
            end = self._folded.find(wanted[-LONG:], nearest, start + len(wanted))
            if end >= 0:
                last = self._at[end + LONG - 1]
                found.append(CharSpan(start=self._at[start], end=last + 1))
            start = self._folded.find(wanted[:LONG], start + 1)
        before, after = _around(quote)
        return [self._widened(span, before, after) for span in found]

    def _is_whole(self, span: CharSpan) -> bool:
        """Whether it neither begins nor ends within a word."""
        before = self._text[span.start - 1 : span.start]
        return not before.isalnum() and not self._text[span.end : span.end + 1].isalnum()

    def _widened(self, span: CharSpan, before: int, after: int) -> CharSpan:
        start, end = span.start, span.end
        while before and start and _is_punctuation(self._text[start - 1]):
            start, before = start - 1, before - 1
        while after and end < len(self._text) and _is_punctuation(self._text[end]):
            end, after = end + 1, after - 1
        return CharSpan(start=start, end=end)


def count_letters(text: str) -> int:
    """How many letters and digits."""
    return len(_folded(text)[0])


def _folded(text: str) -> tuple[str, "array[int]"]:
    """The letters, and for each the offset in ``text`` of what it was made of."""
    pieces: list[str] = []
    offsets = array("L")
    for at, char in enumerate(text):
        if letters := _letters(char):
            pieces.append(letters)
            offsets.extend([at] * len(letters))
    return "".join(pieces), offsets


@lru_cache(maxsize=4096)
def _letters(char: str) -> str:
    """``ﬁ`` is fi, ``É`` is e, ``²`` is 2; nothing for spaces, marks and punctuation."""
    apart = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", char).casefold())
    return "".join(one for one in apart if one.isalnum())


def _around(quote: str) -> tuple[int, int]:
    """How many characters of punctuation the quote has before and after its words."""
    text = quote.strip()
    words = [n for n, char in enumerate(text) if _letters(char)]
    return words[0], len(text) - 1 - words[-1]


def _is_punctuation(char: str) -> bool:
    return not char.isspace() and not char.isalnum()
