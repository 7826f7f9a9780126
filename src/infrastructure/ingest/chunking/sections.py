"""Sections for chunking: runs of units that may share a passage."""

import re
from collections.abc import Iterable, Iterator, Set
from dataclasses import dataclass
from enum import StrEnum
from itertools import groupby

from citeloom.domain.documents.chunk import ChunkKind
from citeloom.domain.documents.conversion import BlockLabel, ConversionResult
from citeloom.infrastructure.ingest.chunking.units import Path, Unit

_TOP_LEVELS = 2
# Sections below the top levels that are smaller than this are merged with neighbours.
_SMALL = 80
# Anything smaller joins its neighbour in the same section, of whatever kind.
_CRUMB = 25
_FIGURE = re.compile(r"\W*(?:fig|abb|рис|图|圖|図|scheme|plate|chart)", re.IGNORECASE)


class SectionKind(StrEnum):
    """Running text, as opposed to one table with its captions, a list of references, the text
    in a figure, or what stands beside the text."""

    LOOSE = "loose"
    MARGIN = "margin"
    TABLE = "table"
    REFERENCES = "references"
    FIGURE = "figure"


APART = (SectionKind.MARGIN, SectionKind.FIGURE)
"""Sections that share no passage with others, and come after them."""


@dataclass(frozen=True, slots=True)
class ChunkSection:
    """Consecutive units of one kind, of one section or of small ones that were merged."""

    kind: SectionKind
    units: tuple[Unit, ...]

    @property
    def size(self) -> int:
        return sum(unit.size for unit in self.units)

    @property
    def path(self) -> Path:
        return path_of(self.units)

    @property
    def has_caption(self) -> bool:
        """Whether this is a table that is named, and so meant to be one."""
        captions = (unit.kind is ChunkKind.CAPTION for unit in self.units)
        return self.kind is SectionKind.TABLE and any(captions)

    @property
    def only_headings(self) -> bool:
        return all(unit.heading for unit in self.units)


def path_of(units: Iterable[Unit]) -> Path:
    """The section that all of ``units`` are in; headings in front of a text do not count."""
    units = list(units)
    paths = [unit.path for unit in units if not unit.heading] or [unit.path for unit in units[-1:]]
    shared: list[str] = []
    for segments in zip(*paths, strict=False):
        if len(set(segments)) > 1:
            break
        shared.append(segments[0])
    return tuple(shared)


def sections_of(
    document: ConversionResult, units: Iterable[Unit], room: int
) -> Iterator[ChunkSection]:
    """Sections in reading order; merged ones have at most the size ``room``."""
    tables = _tables(document)

    def key(unit: Unit) -> tuple[Path, SectionKind, int | None]:
        table = tables.get(unit.block)
        if table is not None:
            return unit.path, SectionKind.TABLE, table
        block = document.blocks[unit.block]
        if block.label is BlockLabel.REFERENCE:
            return unit.path, SectionKind.REFERENCES, None
        if block.label is BlockLabel.FIGURE_TEXT:
            return unit.path, SectionKind.FIGURE, None
        return unit.path, SectionKind.MARGIN if block.aside else SectionKind.LOOSE, None

    runs = (ChunkSection(kind, tuple(members)) for (_, kind, _), members in groupby(units, key))
    titles = {n for n, block in enumerate(document.blocks) if block.label is BlockLabel.TITLE}
    return _merge_small(_join_headings(runs, titles), room)


def _tables(document: ConversionResult) -> dict[int, int]:
    """For each block of a table or of its captions, the index of the table's block.

    A caption belongs to the table that follows it, else to the one in front of it.
    """
    blocks = document.blocks
    tables = {i: i for i, block in enumerate(blocks) if block.label is BlockLabel.TABLE}
    for i, block in enumerate(blocks):
        if block.label is BlockLabel.CAPTION and not _FIGURE.match(document.text_of(block.span)):
            table = next((n for n in (i + 1, i - 1) if tables.get(n) == n), None)
            if table is not None:
                tables[i] = table
    return tables


def _join_headings(sections: Iterable[ChunkSection], titles: Set[int]) -> Iterator[ChunkSection]:
    """A heading without text of its own is joined to the next section, if that is part of it (a
    subsection, a table). So is the document's title. Before a margin note or the text in a
    figure it stays alone."""
    pending_heading: ChunkSection | None = None
    for section in sections:
        if pending_heading is not None:
            is_title = all(unit.block in titles for unit in pending_heading.units)
            below = is_title or section.path[: len(pending_heading.path)] == pending_heading.path
            if below and section.kind not in APART:
                section = ChunkSection(section.kind, pending_heading.units + section.units)
            else:
                yield pending_heading
            pending_heading = None
        if section.only_headings:
            pending_heading = section
        else:
            yield section
    if pending_heading is not None:
        yield pending_heading


def _merge_small(sections: Iterable[ChunkSection], room: int) -> Iterator[ChunkSection]:
    current: ChunkSection | None = None
    for section in sections:
        if current is None:
            current = section
        elif _are_mergeable(current, section, room):
            kind = max(current, section, key=lambda member: member.size).kind
            current = ChunkSection(kind, current.units + section.units)
        else:
            yield current
            current = section
    if current is not None:
        yield current


def _are_mergeable(a: ChunkSection, b: ChunkSection, room: int) -> bool:
    if a.path[:_TOP_LEVELS] != b.path[:_TOP_LEVELS]:
        return False
    if a.kind is not b.kind and (a.kind in APART or b.kind in APART):
        return False
    smaller = min(a, b, key=lambda member: member.size)
    if a.path == b.path and smaller.size < _CRUMB and not smaller.has_caption:
        return True
    if a.kind is not b.kind:
        return False
    small = smaller.size < _SMALL and a.size + b.size <= room
    if a.kind is SectionKind.TABLE:
        # A table without a caption of its own is what is left of the one in front of it.
        return small and a.path == b.path and not b.has_caption
    return small or a.path == b.path
