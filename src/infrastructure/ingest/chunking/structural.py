"""The structure-aware chunker.

Sentences, list items and table rows are packed into passages of even size that fit the
embedding model's window together with the headings that are put in front of them. A
passage never crosses a section of the top two levels; small deeper sections are merged
with their neighbours; a heading stays with the text below it, a caption with its table, a
list with the sentence that leads to it, a reference in one piece; notes in the margin and
the text in figures are passages of their own. Passages of running text
overlap by a sentence or two. Every passage is an exact slice of the text, and all text is
in some passage.
"""

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import dataclass
from enum import StrEnum
from itertools import groupby

from citeloom.application.ports.models import TokenCounter
from citeloom.domain.citation.metadata import labels_of
from citeloom.domain.documents.conversion import BlockLabel, ConversionResult
from citeloom.domain.documents.spans import (
    CONTEXT_HEADINGS,
    CharSpan,
    Chunk,
    ChunkKind,
    Line,
    PageSpan,
    chunk_id,
    heading_context,
    regions_of,
)
from citeloom.domain.projects.project import EmbeddingModel

from .units import Path, TokenMeasure, Unit, units_of

_TOP_LEVELS = 2
# Sections below the top levels that are smaller than this are merged with neighbours.
_SMALL = 80
# Anything smaller joins its neighbour in the same section, of whatever kind.
_CRUMB = 25
_FIGURE = re.compile(r"\W*(?:fig|abb|рис|图|圖|図|scheme|plate|chart)", re.IGNORECASE)


class SectionKind(StrEnum):
    """Running text, as opposed to one table with its captions, a list of references, the text in a
    figure, or margin notes."""

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


_MOST_REPEATED = 2
# Cost of a passage with no more than a line on one of its pages (its citation names that page
# for next to nothing); 1.0 is the cost of a passage off its even size by all of it.
_SLIVER = 0.4
_LINE = 90


def pack_units(units: Sequence[Unit], budget: int, room: int) -> list[tuple[Unit, ...]]:
    """``units`` in passages of at most ``budget`` tokens, with the least total cost.

    One passage if all fit. Else the cost is the sum of squared deviations from the even size,
    of the bonds between passages, and of the pages that a passage hardly touches. The even
    size is that of as few passages as hold everything with ``room`` in each.
    """
    if sum(unit.size for unit in units) <= budget:
        return [tuple(units)]
    total = sum(unit.size for unit in units)
    even = total / -(-total // max(1, min(room, budget)))
    best: list[float] = [0.0] + [math.inf] * len(units)
    begins = [0] * (len(units) + 1)
    for start in range(len(units)):
        size = units[start].header_size
        cut = units[start].bond if start else 0.0
        pages: Counter[int] = Counter()
        for end in range(start + 1, len(units) + 1):
            size += units[end - 1].size
            if size > budget and end > start + 1:
                break
            pages.update(dict(units[end - 1].pages))
            cost = best[start] + cut + ((size - even) / even) ** 2 + _page_slivers(pages)
            if cost < best[end]:
                best[end], begins[end] = cost, start
    return list(reversed(list(_passages_from_end(units, begins))))


def _page_slivers(pages: Counter[int]) -> float:
    if len(pages) < 2:
        return 0.0
    return _SLIVER * sum(characters < _LINE for characters in pages.values())


def _passages_from_end(units: Sequence[Unit], begins: Sequence[int]) -> Iterator[tuple[Unit, ...]]:
    end = len(units)
    while end > 0:
        yield tuple(units[begins[end] : end])
        end = begins[end]


def overlap_units(before: Sequence[Unit], passage: Sequence[Unit], room: int) -> tuple[Unit, ...]:
    """The last sentence or two of ``before``, repeated at the beginning of ``passage``.

    Whole units, of the same section (none before a heading) and the same pages, no references, of
    at most ``room`` tokens, never all of ``before``.
    """
    if passage[0].heading:
        return ()
    pages = {page for unit in passage for page, _ in unit.pages}
    tail: list[Unit] = []
    for unit in reversed(before[1:]):
        room -= unit.size
        elsewhere = any(page not in pages for page, _ in unit.pages)
        apart = unit.heading or unit.kind is ChunkKind.REFERENCE
        if room < 0 or apart or elsewhere or len(tail) == _MOST_REPEATED:
            break
        tail.insert(0, unit)
    return tuple(tail)


_VERSION = 7
_SPECIAL_TOKENS = 2
_OVERLAP = 45
# Headings in front of a passage take at most this many tokens, and this share of the window.
_MOST_CONTEXT = 60
_CONTEXT_SHARE = 4


class StructuralChunker:
    """Cuts at most ``max_tokens`` for each passage, or the model's window if that is None."""

    def __init__(self, max_tokens: int | None = None, overlap_tokens: int = _OVERLAP) -> None:
        if max_tokens is not None and max_tokens <= overlap_tokens:
            raise ValueError(f"an overlap of {overlap_tokens} tokens in passages of {max_tokens}")
        self._max_tokens = max_tokens
        self._overlap = overlap_tokens

    @property
    def fingerprint(self) -> str:
        return f"structural-{_VERSION}:{self._max_tokens or 'window'}:{self._overlap}"

    def chunk(
        self, document: ConversionResult, model: EmbeddingModel, tokens: TokenCounter
    ) -> Sequence[Chunk]:
        window = min(self._max_tokens or model.max_tokens, model.max_tokens) - _SPECIAL_TOKENS
        return list(_Cutter(document, model, TokenMeasure(tokens), window, self._overlap).chunks())


class _Cutter:
    """Cuts one document; ``window`` is the limit of a passage with its headings."""

    def __init__(
        self,
        document: ConversionResult,
        model: EmbeddingModel,
        measure: TokenMeasure,
        window: int,
        overlap: int,
    ) -> None:
        self._document = document
        self._model = model
        self._measure = measure
        self._window = window
        self._most_context = min(_MOST_CONTEXT, window // _CONTEXT_SHARE)
        self._overlap = min(overlap, window // _CONTEXT_SHARE)
        self._labels = document.structure.labels

    def chunks(self) -> Iterator[Chunk]:
        room = self._window - self._most_context
        units = units_of(self._document, self._measure, room)
        index = 0
        sections = sorted(
            sections_of(self._document, units, room), key=lambda one: one.kind in APART
        )
        for section in sections:
            for passage in self._passages(section):
                yield self._chunk(index, section.kind, passage)
                index += 1

    def _passages(self, section: ChunkSection) -> list[tuple[Unit, ...]]:
        """The passages of a section. Pieces may take more tokens together than one by one
        (line ends between them, words that were cut); then the budget is lowered."""
        context = max(self._context(path)[1] for path in {u.path for u in section.units})
        overlap = self._overlap if section.kind is SectionKind.LOOSE else 0
        budget = self._window - context
        while True:
            passages = pack_units(section.units, budget, budget - overlap)
            excess = max(self._excess(passage) for passage in passages)
            if excess <= 0 or all(len(passage) == 1 for passage in passages):
                break
            budget -= excess
        return [
            passage if n == 0 else self._overlapping(passages[n - 1], passage, budget, overlap)
            for n, passage in enumerate(passages)
        ]

    def _overlapping(
        self, before: Sequence[Unit], passage: tuple[Unit, ...], budget: int, overlap: int
    ) -> tuple[Unit, ...]:
        left = budget - sum(unit.size for unit in passage)
        tail = overlap_units(before, passage, min(overlap, left))
        while tail and self._excess(tail + passage) > 0:
            tail = tail[1:]
        return tail + passage

    def _context(self, path: Path) -> tuple[int, int]:
        """How many headings are put in front of a passage, and what they cost."""
        for headings in range(CONTEXT_HEADINGS, 0, -1):
            cost = self._measure.tokens(heading_context(path, "", headings))
            if cost <= self._most_context:
                return headings, cost
        return 0, 0

    def _excess(self, units: Sequence[Unit]) -> int:
        """By how many tokens a passage is too long (negative if it is not)."""
        start, end = units[0].start, units[-1].end
        text, path = self._document.plain_text[start:end], path_of(units)
        context = heading_context(path, text, self._context(path)[0])
        front = [part for part in (context, units[0].header) if part]
        return self._measure.tokens("\n".join([*front, text])) - self._window

    def _chunk(self, index: int, kind: SectionKind, units: Sequence[Unit]) -> Chunk:
        start, end = units[0].start, units[-1].end
        path = path_of(units)
        lines = list(self._lines(units[0].block, units[-1].block, start, end))
        pages = PageSpan.covering(line.page for line in lines)
        text = self._document.plain_text[start:end]
        return Chunk(
            id=chunk_id(self._document.doc_id, pages, path, self._model.fingerprint, index),
            doc_id=self._document.doc_id,
            chunk_idx=index,
            text=text,
            char_span=CharSpan(start=start, end=end),
            page_span=pages,
            page_labels=labels_of(pages, self._labels),
            regions=regions_of(lines),
            section_path=path,
            paragraph=self._document.paragraph_at(units[0].block),
            kind=_kind(kind, units),
            tokens=self._measure.tokens(text),
            table_header=units[0].header,
            context_headings=0 if kind is SectionKind.MARGIN else self._context(path)[0],
        )

    def _lines(self, first: int, last: int, start: int, end: int) -> Iterator[Line]:
        for block in self._document.blocks[first : last + 1]:
            yield from (ln for ln in block.lines if ln.start < end and ln.end > start)


def _kind(kind: SectionKind, units: Sequence[Unit]) -> ChunkKind:
    if kind is SectionKind.TABLE:
        return ChunkKind.TABLE
    if kind is SectionKind.REFERENCES:
        return ChunkKind.REFERENCE
    if kind is SectionKind.FIGURE:
        return ChunkKind.FIGURE
    kinds = {unit.kind for unit in units if not unit.heading}
    return ChunkKind.CAPTION if kinds == {ChunkKind.CAPTION} else ChunkKind.TEXT
