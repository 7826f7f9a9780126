"""Passages in quotation marks, and whether a source has them word for word.

Typesetting makes no difference (``text.quote_locator``). Words, numbers with their signs, and
symbols such as % and < have to be the same.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple

from citeloom.domain.documents.spans import CharSpan
from citeloom.domain.text.normalized_text import (
    NormalizedText,
    NormalizedWord,
    QuoteLocator,
    readings,
    without_joints,
)

#: So alike are a quotation and the place that it was taken from at least, however altered.
CLOSE: Final = 0.6
# Around the likeliest place, this share of the quote's length is looked through, too.
_MARGIN: Final = 0.35

_MARKED: Final = re.compile(
    r"“(?P<a>[^“”]{1,4000}?)”"
    r"|«\s?(?P<b>[^«»]{1,4000}?)\s?»"
    r"|„(?P<c>[^„“”]{1,4000}?)[“”]"
    r"|``(?P<d>.{1,4000}?)''"
    r"|(?<![\w\"])\"(?=\S)(?P<e>[^\"]{1,4000}?)(?<=\S)\"(?!\w)"
    r"|(?<!\w)‘(?P<f>[^‘]{1,4000}?)’(?!\w)",
    re.DOTALL,
)
_BLANK_LINE: Final = re.compile(r"\n\s*\n")


class QuotedPassage(NamedTuple):
    """A passage in quotation marks: ``text[start:end]`` is the text between them."""

    start: int
    end: int
    text: str


class Difference(NamedTuple):
    """Where a quotation departs from its source: its words, and the source's instead.

    One of the two is empty where words were added or left out."""

    quoted: str
    stated: str


class QuoteMatch(NamedTuple):
    """Where the quoted words stand, ``source[start:end]``, the likeliest place if nowhere.

    ``similarity`` is in 0..1. Below ``CLOSE`` no place is like the quotation; then start and
    end are 0, and the whole quotation is the one difference."""

    exact: bool
    start: int
    end: int
    similarity: float
    differences: tuple[Difference, ...] = ()


def quoted_passages(text: str) -> tuple[QuotedPassage, ...]:
    """The outermost texts in quotation marks, in order; no passage crosses a blank line. Single
    words and terms are included: the caller decides whether marks quote a source or only set off a
    word."""
    found = []
    at = 0
    while match := _MARKED.search(text, at):
        group = match.lastgroup or ""
        if _BLANK_LINE.search(match[group]) or not match[group].strip():
            at = match.start() + 1
            continue
        found.append(QuotedPassage(*match.span(group), match[group]))
        at = match.end()
    return tuple(found)


class QuotedFrom:
    """A source to look for quotations in. Construction takes as long as reading it."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._locator = QuoteLocator(text)

    def locate(self, quote: str) -> QuoteMatch:
        """The first place that has the quotation word for word, or else the likeliest one."""
        if place := next(self.places(quote), None):
            return QuoteMatch(True, place.start, place.end, 1.0)
        letters = "".join(part.letters for part in next(readings(quote)))
        if not letters:
            return QuoteMatch(False, 0, 0, 0.0)
        return self._nearest(without_joints(quote), letters)

    def places(self, quote: str) -> Iterator[CharSpan]:
        """All places that have the quotation word for word, in order."""
        for spans in self._locator.find_quotation(quote):
            yield CharSpan(start=spans[0].start, end=spans[-1].end)

    def _nearest(self, quote: str, wanted: str) -> QuoteMatch:
        from rapidfuzz import fuzz

        letters = self._locator.normalized.letters
        lost = QuoteMatch(False, 0, 0, 0.0, (Difference(quote.strip(), ""),))
        found = fuzz.partial_ratio_alignment(wanted, letters, score_cutoff=100 * CLOSE)
        if not letters or found is None:
            return lost
        margin = int(_MARGIN * len(wanted)) + 12
        first, last = (
            (found.dest_start, found.dest_end) if len(wanted) <= len(letters) else (0, len(letters))
        )
        spans = (
            self._locator.normalized.span(max(0, first - more), min(len(letters), last + more))
            for more in (0, margin)
        )
        places = (self._compared(quote, *self._widened(*span)) for span in spans)
        return max(places, key=lambda one: one.similarity)

    def _widened(self, start: int, end: int) -> tuple[int, int]:
        while start and self._text[start - 1].isalnum():
            start -= 1
        while end < len(self._text) and self._text[end].isalnum():
            end += 1
        return start, end

    def _compared(self, quote: str, start: int, end: int) -> QuoteMatch:
        """The words of the quotation against those of ``text[start:end]``, which may be more
        than the place at both of its ends."""
        from rapidfuzz.distance import Indel

        mine, theirs = NormalizedText(quote).words(), NormalizedText(self._text[start:end]).words()
        edits = list(Indel.opcodes([w.letters for w in mine], [w.letters for w in theirs]))
        equal = [n for n, edit in enumerate(edits) if edit.tag == "equal"]
        if not equal:
            return QuoteMatch(False, 0, 0, 0.0, (Difference(quote.strip(), ""),))
        first, last = edits[equal[0]], edits[equal[-1]]
        # Before the first word that is the same, as many words of the source are compared
        # as there are words of the quotation; and after the last one.
        begin = max(0, first.dest_start - first.src_start)
        end_at = min(len(theirs), last.dest_end + len(mine) - last.src_end)
        covered = theirs[begin:end_at]
        matched = [edits[n] for n in equal]
        gaps = zip(
            [(0, begin), *((edit.src_end, edit.dest_end) for edit in matched)],
            [*((edit.src_start, edit.dest_start) for edit in matched), (len(mine), end_at)],
            strict=True,
        )
        differences = tuple(
            Difference(
                _shown(quote, mine[quoted_from:quoted_to]),
                _shown(self._text[start:end], theirs[stated_from:stated_to]),
            )
            for (quoted_from, stated_from), (quoted_to, stated_to) in gaps
            if quoted_from < quoted_to or stated_from < stated_to
        )
        same = sum(edit.src_end - edit.src_start for edit in matched)
        similarity = 2 * same / (len(mine) + len(covered))
        return QuoteMatch(
            False,
            start + covered[0].start,
            start + covered[-1].end,
            min(similarity, 0.99),
            differences,
        )


def _shown(text: str, words: Sequence[NormalizedWord]) -> str:
    """Words as in the text, on one line."""
    return " ".join(text[words[0].start : words[-1].end].split()) if words else ""


def misquoted(sentence: str, quotes: Iterable[str]) -> tuple[str, ...]:
    """Quotations in ``sentence``, single words included, that none of ``quotes`` has verbatim."""
    normalized_quotes = [NormalizedText(quote) for quote in quotes]
    missing_quotes = []
    for one in quoted_passages(sentence):
        letters = NormalizedText(one.text).letters
        if not letters or not any(any(s.places(letters)) for s in normalized_quotes):
            missing_quotes.append(one.text)
    return tuple(missing_quotes)
