"""Marks and bookmarks of evidence: text and page regions of sections, quotations and spans."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from functools import cache
from itertools import chain
from pathlib import Path

from citeloom.application.ports.maps import Bookmark, CharacterBoxes
from citeloom.domain.documents.conversion import ConversionResult, Figure
from citeloom.domain.documents.spans import BBox, CharSpan, Line, Region, merged_spans
from citeloom.domain.errors import InvalidRequest, NodeNotFound
from citeloom.domain.maps.document_map import map_document
from citeloom.domain.maps.evidence import PageCharacter, box_of_words
from citeloom.domain.maps.resource_map import Node
from citeloom.domain.messages import Action, NextStep
from citeloom.domain.text.normalized_text import NormalizedText, QuoteLocator

_TITLE = 200
_SECTIONS = frozenset({"section", "subsection"})
_WHOLES = frozenset({"document", "virtual"})
_EVER = datetime(1970, 1, 1, tzinfo=UTC)

OnPage = Callable[[int], Sequence[PageCharacter]]
"""The characters of a page of the file, from 1."""


class WordMarks:
    """Finds the boxes of quotations: of whole lines as they are stored, of parts of lines by the
    characters of the page. A line without word positions is marked whole. Methods raise what
    ``CharacterBoxes`` raises."""

    def __init__(self, characters: CharacterBoxes) -> None:
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
        Raises InvalidRequest if there is none."""
        return regions_of_quote(document, quote, pages, self._on_page(source, password))

    def of_span(
        self, document: ConversionResult, span: CharSpan, source: Path, password: str | None
    ) -> tuple[Region, ...]:
        """The boxes of the text in ``span``; none in a document without pages."""
        return tuple(_regions(document, [span], None, self._on_page(source, password)))

    def _on_page(self, source: Path, password: str | None) -> OnPage:
        return cache(lambda page: self._characters(source, page, password))


def regions_of_quote(
    document: ConversionResult, quote: str, pages: Sequence[int] | None, on_page: OnPage
) -> tuple[Region, ...]:
    """All occurrences of the quotation on ``pages``. Raises InvalidRequest if there is none."""
    spans = _occurrences(document, quote)
    regions = tuple(_regions(document, spans, pages, on_page))
    if not regions:
        words = quote.split()
        elsewhere = "; they are on other pages" if spans else ""
        raise InvalidRequest(
            f'quote: "{" ".join(words[:8])}{"…" if len(words) > 8 else ""}" is not '
            f"on these pages{elsewhere}; quote the document's own words",
            parameter="quote",
        )
    return regions


def regions_of_node(document: ConversionResult, node: Node) -> tuple[Region, ...]:
    """The boxes of the lines of the node's section, or the box of its figure. Raises
    InvalidRequest for a node that is neither."""
    pages = node.location.pages or ()
    if node.type == "figure":
        figures = [one for one in document.figures if one.page in pages and _captioned(one, node)]
        if len(figures) == 1:
            return (Region(page=figures[0].page, bbox=figures[0].bbox),)
    spans = section_spans(document)
    if node.type not in _SECTIONS or node.id not in spans:
        raise InvalidRequest(
            f"{node.id}: no section with a text of its own; quote what to mark",
            parameter="highlight",
        )
    return tuple(_regions(document, [spans[node.id]], pages))


def section_spans(document: ConversionResult) -> Mapping[str, CharSpan]:
    """The span of each section, with heading and subsections, by the id of its node in the map
    of ``document``."""
    resource_map = map_document(document, source_path="", source_size=0, created_at=_EVER)
    sections = [candidate for candidate in resource_map.walk() if candidate.type in _SECTIONS]
    headings = list(document.structure.headings())
    return {one.id: heading.span for one, heading in zip(sections, headings, strict=False)}


def text_of_node(document: ConversionResult, node: Node) -> str:
    """The stored text of a section, with its heading, or of the whole document for its root
    node. Raises NodeNotFound for a section that ``document`` does not have."""
    if node.type in _WHOLES:
        return document.plain_text
    spans = section_spans(document)
    if node.id not in spans:
        raise NodeNotFound(
            f"the document as it is read now has no section '{node.id}'",
            NextStep(Action.INGEST_AGAIN),
            node_id=node.id,
            available_nodes=list(spans),
        )
    return document.text_of(spans[node.id])


def bookmarks_of(nodes: Iterable[Node], pages: Iterable[int]) -> tuple[Bookmark, ...]:
    """Bookmarks of the nodes that begin on ``pages``, nested as the nodes; children of other
    nodes move up."""
    return tuple(_bookmarks(nodes, frozenset(pages)))


def _bookmarks(nodes: Iterable[Node], pages: frozenset[int]) -> Iterator[Bookmark]:
    for node in nodes:
        below = tuple(_bookmarks(node.children, pages))
        first = node.location.pages[0] if node.location.pages else None
        if first in pages:
            title = " ".join((node.title or node.id).split())[:_TITLE]
            yield Bookmark(title=title, page=first, children=below)
        else:
            yield from below


def _captioned(figure: Figure, node: Node) -> bool:
    """Whether the figure's caption begins with the node's title (or an opening bracket)."""
    caption = " ".join((figure.caption or "").split())
    return caption.lstrip("([*").startswith(node.title or "") and bool(caption)


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
    on_page: OnPage | None = None,
) -> Iterator[Region]:
    """The lines on ``pages`` within ``spans``, cut to them; whole without ``on_page``."""
    for line in (line for block in document.blocks for line in block.lines):
        if pages is not None and line.page not in pages:
            continue
        for span in spans:
            start, end = max(line.start, span.start), min(line.end, span.end)
            if start < end:
                bbox = _box(document, line, start, end, on_page) if on_page else line.bbox
                yield Region(page=line.page, bbox=bbox)


def _box(document: ConversionResult, line: Line, start: int, end: int, on_page: OnPage) -> BBox:
    text = document.plain_text
    if not text[line.start : start].strip() and not text[end : line.end].strip():
        return line.bbox
    words = text[line.start : line.end], start - line.start, end - line.start
    return box_of_words(*words, line.bbox, on_page(line.page)) or line.bbox
