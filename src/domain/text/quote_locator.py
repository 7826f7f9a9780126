"""Location of quotations in a text.

What typesetting changes does not count (``normalized_text``). In a quotation of an author, an
ellipsis stands for what was left out, square brackets for what the quoting author put in
(Chicago Manual of Style, 13.50-13.62); an inserted negation has to be in the source.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from citeloom.domain.documents.spans import CharSpan
from citeloom.domain.text.normalized_text import NormalizedText

#: So many letters and digits (about five words) stand nowhere by chance.
LONG: Final = 24
# The least share of a quote that is in the text where its beginning and its end are.
_LEAST: Final = 0.5
# What an ellipsis and a bracket may stand for at most, in characters of the source.
_LEFT_OUT, _REPLACED = 2_000, 80
_JOINT: Final = re.compile(
    r"(?P<ellipsis>\[\s*(?:…|\.\s?\.\s?\.(?:\s?\.)?)\s*\]|\(\s*(?:…|\.\s?\.\s?\.)\s*\)"
    r"|…|\.\s?\.\s?\.(?:\s?\.)?)"
    r"|\[(?P<inserted>[^\[\]]{0,200})\](?P<rest>[^\W\d_]*)"
)
_REMARK: Final = re.compile(
    r"\s*(?:sic!?|emphasis .*|my emphasis|italics .*|translat.*|original .*|\d[\d,\s–-]*)\s*",
    re.IGNORECASE,
)
_NEGATED: Final = re.compile(r"\b(?:no|not|never|none|nor|neither|without|\w+n['’]t)\b", re.I)


class QuotePart(NamedTuple):
    """The letters of a quotation between joints. It begins at most ``gap`` characters of the
    source after the part before it."""

    letters: str
    gap: int


class QuoteLocator:
    """A text in which quotations are located. Construction takes as long as reading the text;
    ``letters_only`` as in ``NormalizedText``."""

    def __init__(self, text: str, *, letters_only: bool = False) -> None:
        self._text = text
        self._letters_only = letters_only
        self.normalized = self._normalize(text)

    def find(self, quote: str) -> list[CharSpan]:
        """All places that have the words of ``quote``, in order, with the punctuation around
        them that the quote has too. Whole words if there are any such places; none for a quote
        without letters and digits."""
        letters = self._normalize(quote).letters
        if not letters:
            return []
        places = self.normalized.places
        starts = list(places(letters)) or list(places(letters, within_words=True))
        return [self._with_punctuation(quote, start, start + len(letters)) for start in starts]

    def find_ends(self, quote: str) -> list[CharSpan]:
        """All places, in order, that begin and end as a long quote does but may have more
        between (a running head where the text goes over a page). None for a short quote."""
        sought, letters = self._normalize(quote).letters, self.normalized.letters
        if len(sought) < 3 * LONG:
            return []
        spans = []
        start = letters.find(sought[:LONG])
        while start >= 0:
            nearest = start + int(_LEAST * len(sought)) - LONG
            end = letters.find(sought[-LONG:], nearest, start + len(sought))
            if end >= 0:
                spans.append(self._with_punctuation(quote, start, end + LONG))
            start = letters.find(sought[:LONG], start + 1)
        return spans

    def find_quotation(self, quotation: str) -> Iterator[tuple[CharSpan, ...]]:
        """All places that have an author's quotation in whole words, each as the spans of the
        parts between its ellipses and brackets."""
        for parts in readings(quotation):
            for start in self.normalized.places(parts[0].letters) if parts else ():
                spans = [self._span(start, start + len(parts[0].letters))]
                end: int | None = start + len(parts[0].letters)
                for part in parts[1:]:
                    if end is not None and (begin := self._next(part, end)) is not None:
                        end = begin + len(part.letters)
                        spans.append(self._span(begin, end))
                    else:
                        end = None
                if end is not None:
                    yield tuple(spans)

    def _next(self, part: QuotePart, after: int) -> int | None:
        limit = self.normalized.offset(after - 1) + part.gap
        start = next(self.normalized.places(part.letters, after), None)
        return start if start is not None and self.normalized.offset(start) <= limit else None

    def _normalize(self, text: str) -> NormalizedText:
        return NormalizedText(text, letters_only=self._letters_only)

    def _span(self, start: int, end: int) -> CharSpan:
        first, last = self.normalized.span(start, end)
        return CharSpan(start=first, end=last)

    def _with_punctuation(self, quote: str, start: int, end: int) -> CharSpan:
        first, last = self.normalized.span(start, end)
        count = len(self.normalized.letters)
        lowest = self.normalized.offset(start - 1) + 1 if start else 0
        highest = self.normalized.offset(end) if end < count else len(self._text)
        before, after = self._punctuation_around(quote)
        while before and first > lowest and _is_punctuation(self._text[first - 1]):
            first, before = first - 1, before - 1
        while after and last < highest and _is_punctuation(self._text[last]):
            last, after = last + 1, after - 1
        return CharSpan(start=first, end=last)

    def _punctuation_around(self, quote: str) -> tuple[int, int]:
        """The number of characters of punctuation before and after the words of a quote."""
        text = quote.strip()
        normalized = self._normalize(text)
        first, last = normalized.span(0, len(normalized.letters))
        return first, len(text) - last


def readings(quotation: str) -> Iterator[Sequence[QuotePart]]:
    """A quotation with what stands in brackets as words of the source (*[t]he*), and with it
    in place of other words of the source."""
    yield _parts(quotation, keeps_inserted=True)
    if "[" in quotation:
        yield _parts(quotation, keeps_inserted=False)


def without_joints(quotation: str) -> str:
    """The quotation without ellipses and brackets."""

    def plain(match: re.Match[str]) -> str:
        if match["ellipsis"]:
            return " "
        return " " if _REMARK.fullmatch(match["inserted"]) else match["inserted"] + match["rest"]

    return _JOINT.sub(plain, quotation)


def _parts(quote: str, *, keeps_inserted: bool) -> list[QuotePart]:
    pieces: list[tuple[str, int]] = []
    text, gap, at = "", 0, 0
    for match in _JOINT.finditer(quote):
        text += quote[at : match.start()]
        at = match.end()
        if match["ellipsis"]:
            pieces.append((text, gap))
            text, gap = "", _LEFT_OUT
            continue
        inserted, rest = match["inserted"], match["rest"]
        if _REMARK.fullmatch(inserted):
            text += f" {rest}"
        elif keeps_inserted or _NEGATED.search(inserted):
            text += inserted + rest
        else:
            pieces.append((text, gap))
            text, gap = "", _REPLACED
    pieces.append((text + quote[at:], gap))
    parts: list[QuotePart] = []
    gap = 0
    for piece, before in pieces:
        gap = max(gap, before)
        if letters := NormalizedText(piece).letters:
            parts.append(QuotePart(letters, gap))
            gap = 0
    return parts


def _is_punctuation(char: str) -> bool:
    return not char.isspace() and not char.isalnum()
