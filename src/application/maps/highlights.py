"""Which words and boxes a section or a quotation has, and bookmarks for nodes."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime

from citeloom.application.ports.maps import Bookmark
from citeloom.domain.documents.conversion import ConversionResult, Figure
from citeloom.domain.documents.spans import CharSpan, Region
from citeloom.domain.errors import InvalidRequest, NodeNotFound
from citeloom.domain.maps.document_map import map_document
from citeloom.domain.maps.resource_map import Node

_TITLE = 200
_SECTIONS = frozenset({"section", "subsection"})
_WHOLES = frozenset({"document", "virtual"})
_EVER = datetime(1970, 1, 1, tzinfo=UTC)


def regions_of_node(document: ConversionResult, node: Node) -> tuple[Region, ...]:
    """A box for each line of the node's section, or the box of the figure. Raises
    InvalidRequest for a node that is neither."""
    pages = node.location.pages or ()
    if node.type == "figure":
        found = [one for one in document.figures if one.page in pages and _captioned(one, node)]
        if len(found) == 1:
            return (Region(page=found[0].page, bbox=found[0].bbox),)
    spans = section_spans(document)
    if node.type not in _SECTIONS or node.id not in spans:
        raise InvalidRequest(
            f"{node.id}: no section with a text of its own; say with --quote what to mark",
            parameter="highlight",
        )
    return tuple(_lines(document, [spans[node.id]], pages))


def section_spans(document: ConversionResult) -> Mapping[str, CharSpan]:
    """The characters of each section, with its heading and all below it, by the id of its
    node in the map that is made of ``document``."""
    drawn = map_document(document, source_path="", source_size=0, created_at=_EVER)
    sections = [made for made in drawn.walk() if made.type in _SECTIONS]
    headings = list(document.structure.headings())
    return {one.id: heading.span for one, heading in zip(sections, headings, strict=False)}


def words_of_node(document: ConversionResult, node: Node) -> str:
    """What a section of a document says, as it is stored, with its heading; or all of it,
    for a node of the whole. Raises NodeNotFound for a section that ``document`` has not."""
    if node.type in _WHOLES:
        return document.plain_text
    spans = section_spans(document)
    if node.id not in spans:
        raise NodeNotFound(
            f"the document as it is read now has no section '{node.id}'; ingest it with --force, "
            "or map it again",
            node_id=node.id,
            available_nodes=list(spans),
        )
    return document.text_of(spans[node.id])


def regions_of_quote(
    document: ConversionResult, quote: str, pages: Sequence[int] | None
) -> tuple[Region, ...]:
    """A box for each line that has some of the quoted words, wherever they stand on
    ``pages``; line breaks and spaces may differ. Raises InvalidRequest if they stand nowhere
    there."""
    words = quote.split()
    if not words:
        raise InvalidRequest("--quote: holds no words", parameter="quote")
    pattern = re.compile(r"\s+".join(map(re.escape, words)))
    found = [
        CharSpan(start=one.start(), end=one.end()) for one in pattern.finditer(document.plain_text)
    ]
    regions = tuple(_lines(document, found, pages))
    if not regions:
        elsewhere = "; they stand on other pages" if found else ""
        raise InvalidRequest(
            f'--quote: "{" ".join(words[:8])}{"…" if len(words) > 8 else ""}" does not stand '
            f"on these pages{elsewhere}; quote the document's own words",
            parameter="quote",
        )
    return regions


def bookmarks_of(nodes: Iterable[Node], pages: Iterable[int]) -> tuple[Bookmark, ...]:
    """Nodes that begin on ``pages``, as deep as they are; those below one that does not
    take its place."""
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
