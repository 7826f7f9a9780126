"""Splitting a document into reading chunks by headings, within a token budget.

Small adjacent sections are packed together. A section over the budget is split recursively: its
parts are numbered below its own number, and its heading is kept as the section's title, not in
their text. A paragraph over the budget is split at sentences, a sentence at words.
"""

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import NamedTuple

from pydantic import Field

from citeloom.domain.documents.conversion import Block, BlockLabel, ConversionResult, Heading
from citeloom.domain.documents.spans import CharSpan
from citeloom.domain.text.sentences import sentence_spans
from citeloom.domain.text.words import count_tokens
from citeloom.domain.value import Value

READING_TOKENS = 4000
"""Token budget of a part, Nandam's."""

_HEADINGS = (BlockLabel.SECTION_HEADER, BlockLabel.TITLE)
_WORD = re.compile(r"\S+\s*")


class ReadingChunk(Value):
    """A part of a document: ``plain_text[span]``. ``indexes`` are its number below those of its
    split sections; empty for the whole document."""

    indexes: tuple[int, ...]
    span: CharSpan
    tokens: int = Field(ge=0)


class ReadingSection(Value):
    """A split section: number and heading."""

    indexes: tuple[int, ...]
    title: str
    level: int = Field(ge=1)


class ChunkedDocument(Value):
    """All parts of a document in order, and the split sections."""

    chunks: tuple[ReadingChunk, ...]
    sections: tuple[ReadingSection, ...] = ()

    def chunk(self, indexes: tuple[int, ...]) -> ReadingChunk | None:
        return next((one for one in self.chunks if one.indexes == indexes), None)

    def below(self, indexes: tuple[int, ...]) -> "ChunkedDocument":
        """The parts of one section; none for another index."""
        size = len(indexes)
        return ChunkedDocument(
            chunks=tuple(one for one in self.chunks if one.indexes[:size] == indexes),
            sections=tuple(one for one in self.sections if one.indexes[:size] == indexes),
        )

    def holding(self, span: CharSpan) -> ReadingChunk | None:
        """The part that contains ``span``; None if none does."""
        return next(
            (c for c in self.chunks if c.span.start <= span.start and span.end <= c.span.end), None
        )


class _Unit(NamedTuple):
    """A block, or a piece of one over the budget."""

    start: int
    end: int
    tokens: int
    heading: bool


class _CutPart(NamedTuple):
    """Units ``first`` to ``last`` (exclusive); with ``section`` they are to be split."""

    first: int
    last: int
    section: Heading | None = None


def cut_for_reading(
    document: ConversionResult, max_tokens: int = READING_TOKENS
) -> ChunkedDocument:
    """Deterministic chunks of at most ``max_tokens`` tokens. They tile the text except white
    space and the headings of split sections."""
    return _SectionCutter(document, max_tokens).cut()


class _SectionCutter:
    def __init__(self, document: ConversionResult, max_tokens: int) -> None:
        self._document = document
        self._max = max(1, max_tokens)
        self._units = [unit for block in _blocks(document) for unit in self._pieces(block)]
        self._starts = [unit.start for unit in self._units]
        self._totals = list(accumulate((unit.tokens for unit in self._units), initial=0))
        self._chunks: list[ReadingChunk] = []
        self._sections: list[ReadingSection] = []

    def cut(self) -> ChunkedDocument:
        everything = _CutPart(0, len(self._units))
        if self._tokens(everything) <= self._max:
            span = CharSpan(start=0, end=len(self._document.plain_text))
            whole = ReadingChunk(indexes=(), span=span, tokens=self._tokens(everything))
            return ChunkedDocument(chunks=(whole,))
        self._cut(0, len(self._units), self._document.structure.heading_tree, ())
        return ChunkedDocument(chunks=tuple(self._chunks), sections=tuple(self._sections))

    def _cut(
        self, first: int, last: int, headings: Sequence[Heading], above: tuple[int, ...]
    ) -> None:
        number = 0
        for part in self._packed(self._parts(first, last, headings, over_all=not above)):
            indexes = (*above, number)
            number += 1
            if part.section is None:
                self._chunks.append(
                    ReadingChunk(
                        indexes=indexes,
                        span=CharSpan(
                            start=self._units[part.first].start,
                            end=self._units[part.last - 1].end,
                        ),
                        tokens=self._tokens(part),
                    )
                )
                continue
            section = part.section
            self._sections.append(
                ReadingSection(indexes=indexes, title=section.title, level=section.level)
            )
            first_unit = self._units[part.first]
            begins = part.first + (first_unit.heading and first_unit.start == section.span.start)
            self._cut(begins, part.last, section.children, indexes)

    def _parts(
        self, first: int, last: int, headings: Sequence[Heading], *, over_all: bool
    ) -> Iterator[_CutPart]:
        """The text before the first heading unit by unit, and the sections. A single heading
        ``over_all`` others (the paper's title) is not a section of its own."""
        at = first
        for heading in headings:
            begin = self._at(heading.span.start, at, last)
            end = self._at(heading.span.end, begin, last)
            yield from (_CutPart(n, n + 1) for n in range(at, begin))
            at = max(at, end)
            section = _CutPart(begin, end)
            if begin == end:
                continue
            if self._tokens(section) <= self._max:
                yield section
            elif over_all and len(headings) == 1 and end == last:
                yield from self._parts(begin, end, heading.children, over_all=True)
            else:
                yield _CutPart(begin, end, heading)
        yield from (_CutPart(n, n + 1) for n in range(at, last))

    def _packed(self, parts: Iterator[_CutPart]) -> Iterator[_CutPart]:
        open_part: _CutPart | None = None
        for part in parts:
            if open_part and part.section is None:
                joined = _CutPart(open_part.first, part.last)
                if self._tokens(joined) <= self._max:
                    open_part = joined
                    continue
            if open_part:
                yield open_part
            open_part = None
            if part.section is None:
                open_part = part
            else:
                yield part
        if open_part:
            yield open_part

    def _at(self, offset: int, first: int, last: int) -> int:
        return bisect_left(self._starts, offset, first, last)

    def _tokens(self, part: _CutPart) -> int:
        return self._totals[part.last] - self._totals[part.first]

    def _pieces(self, block: Block) -> Iterator[_Unit]:
        text = self._document.text_of(block.span)
        tokens = count_tokens(text)
        heading = block.label in _HEADINGS
        if tokens <= self._max:
            yield _Unit(block.span.start, block.span.end, tokens, heading)
            return
        for start, end in _packed_spans(text, self._max):
            size = count_tokens(text[start:end])
            yield _Unit(block.span.start + start, block.span.start + end, size, heading)
            heading = False


def _blocks(document: ConversionResult) -> Iterator[Block]:
    """The document's blocks; without any, its text as one block."""
    if document.blocks:
        yield from (block for block in document.blocks if len(block.span))
    elif document.plain_text.strip():
        whole = CharSpan(start=0, end=len(document.plain_text))
        yield Block(label=BlockLabel.TEXT, span=whole)


def _packed_spans(text: str, max_tokens: int) -> Iterator[tuple[int, int]]:
    """Spans that tile ``text`` except white space, of as many whole sentences as fit."""
    start, end, total = 0, 0, 0
    for begin, stop in _small_spans(text, max_tokens):
        tokens = count_tokens(text[begin:stop])
        if total and total + tokens > max_tokens:
            yield start, end
            total = 0
        if not total:
            start = begin
        end = stop
        total += tokens
    if total:
        yield start, end


def _small_spans(text: str, max_tokens: int) -> Iterator[tuple[int, int]]:
    for start, end in sentence_spans(text):
        if count_tokens(text[start:end]) <= max_tokens:
            yield start, end
            continue
        for word in _WORD.finditer(text, start, end):
            bare = word.start() + len(word.group().rstrip())
            # No character is more than one token.
            step = max_tokens if count_tokens(word.group()) > max_tokens else len(word.group())
            for at in range(word.start(), bare, step):
                yield at, min(at + step, bare)
