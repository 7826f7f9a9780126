"""Resource map of a document from its headings and captioned figures."""

import re
from collections.abc import Iterator, Sequence
from datetime import datetime

from citeloom.domain.documents.conversion import BlockLabel, ConversionResult, Figure, Heading
from citeloom.domain.documents.spans import CharSpan
from citeloom.domain.maps.resource_map import (
    TITLE,
    UsedNames,
    first_sentence,
    short_title,
    slug,
    unique_name,
)

from .address import short_id
from .resource_map import Location, Node, ResourceMap

_WHOLE = "text"
FIGURE = "figure"
# "Figure 3", "Fig. 2.1", "Abbildung 4b", "図 1": a word and a number at the beginning.
_LABEL = re.compile(r"\W*([^\W\d_]+\.?\s*[A-Z]?\d+(?:[.\-–]\d+)*[a-z]?)\b")


def map_document(
    document: ConversionResult, *, source_path: str, source_size: int, created_at: datetime
) -> ResourceMap:
    """One node a heading, with the pages of its section, and below it one a captioned figure.

    A document without headings has one node a page; one without pages has virtual nodes; one
    with neither has a single node.
    """
    return _Mapper(document).map(source_path, source_size, created_at)


class _Mapper:
    def __init__(self, document: ConversionResult) -> None:
        self._document = document
        self._id = short_id(document.doc_id)
        self._figures = FigureNodes(document)
        self._prose = [b for b in document.blocks if b.is_prose]
        self._lines = [line for block in document.blocks for line in block.lines]

    def map(self, source_path: str, source_size: int, created_at: datetime) -> ResourceMap:
        tree = self._document.structure.heading_tree
        paged = bool(self._document.structure.page_map)
        used: UsedNames = {}
        nodes = tuple(self._nodes(tree, "", used))
        if nodes:
            nodes += self._figures.of_section(None, "", used)
        else:
            nodes = tuple(self._page_nodes()) or self._whole()
        return ResourceMap(
            resource_id=self._id,
            type="document" if paged else "virtual",
            title=self._document.title or source_path.replace("\\", "/").rsplit("/", 1)[-1],
            source_path=source_path,
            nodes=nodes,
            metadata={"source_hash": self._document.doc_id, "source_size": source_size},
            created_at=created_at,
        )

    def _nodes(self, headings: tuple[Heading, ...], prefix: str, used: UsedNames) -> Iterator[Node]:
        for heading in headings:
            node_id = f"{prefix}{unique_name(slug(heading.title), used)}"
            below: UsedNames = {}
            sections = tuple(self._nodes(heading.children, f"{node_id}.", below))
            yield Node(
                id=node_id,
                title=heading.title,
                type="section" if heading.level == 1 else "subsection",
                location=self._location(heading.span, node_id),
                summary=self._summary(heading),
                children=sections + self._figures.of_section(heading, f"{node_id}.", below),
            )

    def _page_nodes(self) -> Iterator[Node]:
        unprinted = "PDF page" if self._document.mime_type == "application/pdf" else "Page"
        for entry in self._document.structure.page_map:
            yield Node(
                id=f"page-{entry.page}",
                title=f"Page {entry.label}" if entry.label else f"{unprinted} {entry.page}",
                type="page",
                location=Location(modality="document", pages=(entry.page,)),
                summary=self._first_sentence(entry.spans[0]) if entry.spans else None,
                children=self._figures.of_page(entry.page, f"page-{entry.page}."),
            )

    def _whole(self) -> tuple[Node, ...]:
        text = self._document.plain_text
        if not text.strip():
            return ()
        place = f"virtual://{self._id}#{_WHOLE}"
        return (
            Node(
                id=_WHOLE,
                title=short_title(text.strip().split("\n\n", 1)[0][: 8 * TITLE]),
                type="document",
                location=Location(modality="virtual", virtual_address=place),
                summary=first_sentence(text),
            ),
        )

    def _location(self, span: CharSpan, node_id: str) -> Location:
        pages = sorted(
            {ln.page for ln in self._lines if ln.start < span.end and ln.end > span.start}
        )
        if pages:
            return Location(modality="document", pages=tuple(range(pages[0], pages[-1] + 1)))
        return Location(modality="virtual", virtual_address=f"virtual://{self._id}#{node_id}")

    def _summary(self, heading: Heading) -> str | None:
        end = heading.children[0].span.start if heading.children else heading.span.end
        return self._first_sentence(CharSpan(start=heading.span.start, end=end))

    def _first_sentence(self, span: CharSpan) -> str | None:
        for block in self._prose:
            if not span.start <= block.span.start < span.end:
                continue
            if sentence := first_sentence(self._document.text_of(block.span)):
                return sentence
        return None


class FigureNodes:
    """The captioned figures of ``document``; pictures without caption are mostly ornaments.

    A figure belongs to the section of its caption, else of the last line above it on its page.
    """

    def __init__(self, document: ConversionResult) -> None:
        self._document = document
        self._captions = [b for b in document.blocks if b.label is BlockLabel.CAPTION and b.lines]
        self._homes: list[tuple[Figure, Heading | None]] = [
            (figure, self._home(figure)) for figure in document.figures if figure.caption
        ]

    def of_section(self, heading: Heading | None, prefix: str, used: UsedNames) -> tuple[Node, ...]:
        """The figures directly in a section; None for those before the first."""
        figures = [figure for figure, home in self._homes if home is heading]
        return _nodes(figures, prefix, used)

    def of_page(self, page: int, prefix: str) -> tuple[Node, ...]:
        return _nodes([one for one, _ in self._homes if one.page == page], prefix, {})

    def _home(self, figure: Figure) -> Heading | None:
        """The innermost section, None before the first."""
        offset = self._offset(figure)
        level = self._document.structure.heading_tree
        home: Heading | None = None
        while offset is not None and (
            inside := next((h for h in level if h.span.start <= offset < h.span.end), None)
        ):
            home, level = inside, inside.children
        return home

    def _offset(self, figure: Figure) -> int | None:
        """A text offset near the figure; None if its page has no text."""
        begins = (figure.caption or "").split()[:6]
        for block in self._captions:
            on_page = any(line.page == figure.page for line in block.lines)
            if on_page and self._document.text_of(block.span).split()[: len(begins)] == begins:
                return block.span.start
        lines = [ln for b in self._document.blocks for ln in b.lines if ln.page == figure.page]
        above = [line for line in lines if line.bbox[3] <= figure.bbox[1]] or lines[:1]
        return max((line.start for line in above), default=None)


def _nodes(figures: Sequence[Figure], prefix: str, used: UsedNames) -> tuple[Node, ...]:
    return tuple(_node(figure, prefix, used) for figure in figures)


def _node(figure: Figure, prefix: str, used: UsedNames) -> Node:
    caption = " ".join((figure.caption or "").split())
    label = _LABEL.match(caption)
    title = label[1] if label else short_title(caption)
    text = caption[label.end() :].lstrip(" .:–—-|") if label else caption
    return Node(
        id=prefix + unique_name(slug(title or FIGURE).replace(".", "-"), used),
        title=title,
        type=FIGURE,
        location=Location(modality="document", pages=(figure.page,)),
        summary=first_sentence(text),
    )
