"""Token counts, and splitting of text that is too long for one passage."""

import unicodedata
from collections.abc import Iterator

from citeloom.application.ports.models import TokenCounter

# BERT's tokenizers make one unknown token of any word of more than 100 characters. So that
# a kilobyte of base64 is not one token, a text counts as at least its length over this
# (English prose has 4 to 5 characters a token).
_CHARACTERS_A_TOKEN = 8
_PAUSES = frozenset("、，；：・;")


class TokenMeasure:
    """Sizes of texts in tokens."""

    def __init__(self, tokens: TokenCounter) -> None:
        self._tokens = tokens

    def size(self, text: str) -> int:
        """Tokens, or characters over 8 if more; at least 1, so that a passage is finite."""
        return max(self._tokens.count(text), -(-len(text) // _CHARACTERS_A_TOKEN), 1)

    def tokens(self, text: str) -> int:
        return self._tokens.count(text)

    def fitting(self, text: str, start: int, end: int, limit: int) -> Iterator[tuple[int, int]]:
        """``text[start:end]`` in pieces of at most ``limit`` tokens: whole if it fits, else
        split at white space or punctuation, else between tokens."""
        while self.size(text[start:end]) > limit:
            reach = min(end, start + limit * _CHARACTERS_A_TOKEN)
            stop = _before_marks(text, start, start + self._longest(text[start:reach], limit))
            yield start, stop
            start = stop
            while start < end and text[start].isspace():
                start += 1
        if start < end:
            yield start, end

    def _longest(self, reach: str, limit: int) -> int:
        """Number of characters of ``reach`` that fit one piece (at least 1)."""
        ends = self._tokens.ends(reach)
        stop, count = len(reach), min(limit, len(ends))
        if len(ends) > limit:
            stop = ends[count - 1]
            # A part of a word may take more tokens alone than it did within the word.
            while count > 1 and self._tokens.count(reach[:stop]) > limit:
                count -= 1
                stop = ends[count - 1]
        stop = max(1, stop)
        for at in range(stop, stop // 2, -1):
            if (at < len(reach) and reach[at].isspace()) or reach[at - 1] in _PAUSES:
                return at
        return stop


def _before_marks(text: str, start: int, stop: int) -> int:
    """The last offset from ``start`` to ``stop`` that splits no letter from its accents."""
    for at in range(stop, start, -1):
        if at == len(text) or not (unicodedata.combining(text[at]) or text[at] in "\u200d\ufe0f"):
            return at
    return stop
