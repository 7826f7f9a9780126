"""Marks of quotations: the boxes of their words on the pages of a PDF."""

from collections.abc import Callable, Iterator, Sequence
from functools import cache
from itertools import chain
from pathlib import Path

from citeloom.application.ports.maps import CharacterBoxes
from citeloom.domain.documents.conversion import ConversionResult
from citeloom.domain.documents.spans import CharSpan, Line, Region, merged_spans
from citeloom.domain.errors import InvalidRequest
from citeloom.domain.maps.evidence import PageCharacter, box_of_words
from citeloom.domain.text.normalized_text import NormalizedText
from citeloom.domain.text.quote_locator import QuoteLocator

OnPage = Callable[[int], Sequence[PageCharacter]]


class WordMarks:
    """Finds the boxes of quotations: of whole lines as they are stored, of parts of lines by the
    characters of the page."""

    def __init__(self, characters: Callable[[], CharacterBoxes]) -> None:
        self._characters = characters

    def __call__(
        self,
        document: ConversionResult,
        quote: str,
        pages: Sequence[int] | None,
        source: Path,
        password: str | None,
    ) -> tuple[Region, ...]:
        """All occurrences of the quotation on ``pages`` of ``source``, the file of ``document``.
        A line of which the file does not tell the words is marked as a whole.

        Raises InvalidRequest if there is no occurrence, and what ``CharacterBoxes`` raises.
        """

        on_page = self._on_page(source, password)
        return regions_of_quote(document, quote, pages, on_page)

    def of_span(
        self, document: ConversionResult, span: CharSpan, source: Path, password: str | None
    ) -> tuple[Region, ...]:
        """The boxes of the text in ``span``; none in a document without pages. Raises what
        ``CharacterBoxes`` raises."""
        return tuple(_regions(document, [span], None, self._on_page(source, password)))

    def _on_page(self, source: Path, password: str | None) -> OnPage:
        @cache
        def on_page(page: int) -> Sequence[PageCharacter]:
            return self._characters().characters(source, page, password)

        return on_page


def regions_of_quote(
    document: ConversionResult, quote: str, pages: Sequence[int] | None, on_page: OnPage
) -> tuple[Region, ...]:
    """The same; ``on_page`` gives the characters of a page."""
    spans = _occurrences(document, quote)
    regions = tuple(_regions(document, spans, pages, on_page))
    if not regions:
        words = quote.split()
        elsewhere = "; they stand on other pages" if spans else ""
        raise InvalidRequest(
            f'quote: "{" ".join(words[:8])}{"…" if len(words) > 8 else ""}" does not stand '
            f"on these pages{elsewhere}; quote the document's own words",
            parameter="quote",
        )
    return regions


def _occurrences(document: ConversionResult, quote: str) -> list[CharSpan]:
    if not NormalizedText(quote).letters:
        raise InvalidRequest("quote: holds no words", parameter="quote")
    locator = QuoteLocator(document.plain_text)
    spans = list(chain.from_iterable(locator.find_quotation(quote))) or locator.find(quote)
    # Two readings of what is in brackets may find one place.
    return merged_spans(spans)


def _regions(
    document: ConversionResult,
    spans: Sequence[CharSpan],
    pages: Sequence[int] | None,
    on_page: OnPage,
) -> Iterator[Region]:
    for line in (line for block in document.blocks for line in block.lines):
        if pages is not None and line.page not in pages:
            continue
        for span in spans:
            start, end = max(line.start, span.start), min(line.end, span.end)
            if start < end:
                yield Region(page=line.page, bbox=_box(document, line, start, end, on_page))


def _box(
    document: ConversionResult, line: Line, start: int, end: int, on_page: OnPage
) -> tuple[float, float, float, float]:
    text = document.plain_text
    if not text[line.start : start].strip() and not text[end : line.end].strip():
        return line.bbox
    words = text[line.start : line.end], start - line.start, end - line.start
    return box_of_words(*words, line.bbox, on_page(line.page)) or line.bbox
