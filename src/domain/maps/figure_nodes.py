"""Captioned figures of a document as nodes of its map, by section."""

import re
from collections.abc import Sequence

from citeloom.domain.documents.conversion import BlockLabel, ConversionResult, Figure, Heading
from citeloom.domain.maps.node_names import (
    UsedNames,
    first_sentence,
    short_title,
    slug,
    unique_name,
)
from citeloom.domain.maps.resource_map import Location, Node

FIGURE = "figure"
# "Figure 3", "Fig. 2.1", "Abbildung 4b", "図 1": a word and a number at the beginning.
_LABEL = re.compile(r"\W*([^\W\d_]+\.?\s*[A-Z]?\d+(?:[.\-–]\d+)*[a-z]?)\b")


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
