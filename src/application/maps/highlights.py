"""Highlights of evidence: text and page regions of sections and quotations, bookmarks."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime

from citeloom.application.ports.maps import Bookmark
from citeloom.domain.documents.conversion import ConversionResult, Figure
from citeloom.domain.documents.spans import CharSpan, Region
from citeloom.domain.errors import InvalidRequest, NodeNotFound
from citeloom.domain.maps.document_map import map_document
from citeloom.domain.maps.resource_map import Node
from citeloom.domain.messages import Action, NextStep

_TITLE = 200
_SECTIONS = frozenset({"section", "subsection"})
_WHOLES = frozenset({"document", "virtual"})
_EVER = datetime(1970, 1, 1, tzinfo=UTC)


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
    return tuple(_lines(document, [spans[node.id]], pages))


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


def _lines(
    document: ConversionResult, spans: Sequence[CharSpan], pages: Sequence[int] | None
) -> Iterator[Region]:
    for block in document.blocks:
        for line in block.lines:
            inside = any(line.start < span.end and line.end > span.start for span in spans)
            if inside and (pages is None or line.page in pages):
                yield Region(page=line.page, bbox=line.bbox)
