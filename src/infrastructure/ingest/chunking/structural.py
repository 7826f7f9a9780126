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

from collections.abc import Iterator, Sequence

from citeloom.application.ports.models import TokenCounter
from citeloom.domain.citation.metadata import labels_of
from citeloom.domain.documents.chunk import (
    CONTEXT_HEADINGS,
    Chunk,
    ChunkKind,
    chunk_id,
    heading_context,
)
from citeloom.domain.documents.conversion import ConversionResult
from citeloom.domain.documents.spans import CharSpan, Line, PageSpan, regions_of
from citeloom.domain.projects.embedding_model import EmbeddingModel
from citeloom.infrastructure.ingest.chunking.packing import overlap_units, pack_units
from citeloom.infrastructure.ingest.chunking.sections import (
    APART,
    ChunkSection,
    SectionKind,
    path_of,
    sections_of,
)
from citeloom.infrastructure.ingest.chunking.token_counts import TokenMeasure
from citeloom.infrastructure.ingest.chunking.units import Path, Unit, units_of

_VERSION = 4
_SPECIAL_TOKENS = 2
_OVERLAP = 45
# Headings in front of a passage take at most this many tokens, and this share of the window.
_MOST_CONTEXT = 60
_CONTEXT_SHARE = 4


class StructuralChunker:
    """Cuts at most ``max_tokens`` a passage, or the model's window where that is None."""

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
    """Cuts one document; ``window`` is what a passage may take with all that is put in
    front of it."""

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
            paragraph=units[0].block + 1,
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
