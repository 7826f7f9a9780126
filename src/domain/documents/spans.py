"""Positions in a document, and chunks: the passages that are embedded and searched.

Pages count from 1. Boxes are ``(left, top, right, bottom)`` in points (1/72 inch) from the top left
corner of the page as displayed. Character spans are half-open, ``text[start:end]``.
"""

import json
from collections.abc import Iterable, Sequence
from typing import NamedTuple, Self
from uuid import UUID, uuid5

from pydantic import Field, field_validator, model_validator

from citeloom.domain.choices import ChunkKind as ChunkKind
from citeloom.domain.value import Value

BBox = tuple[float, float, float, float]


class Line(NamedTuple):
    """One physical line of a block: page and box of ``text[start:end]``."""

    start: int
    end: int
    page: int
    bbox: BBox


class Region(Value):
    """A box on a page, in points from the top left."""

    page: int = Field(ge=1)
    bbox: BBox


class CharSpan(Value):
    """A half-open range of characters in a document's text."""

    start: int = Field(ge=0)
    end: int = Field(ge=0)

    @model_validator(mode="after")
    def _ordered(self) -> Self:
        if self.start > self.end:
            raise ValueError(f"character span starts at {self.start}, after its end {self.end}")
        return self

    def __len__(self) -> int:
        return self.end - self.start


def merged_spans(spans: Iterable[CharSpan]) -> list[CharSpan]:
    """The union of the spans, in order; none empty."""
    merged: list[CharSpan] = []
    for span in sorted(spans, key=lambda one: one.start):
        if merged and span.start <= merged[-1].end:
            end = max(merged[-1].end, span.end)
            merged[-1] = CharSpan(start=merged[-1].start, end=end)
        elif len(span):
            merged.append(span)
    return merged


class PageSpan(Value):
    """First and last PDF page (or slide, or sheet), from 1, both inclusive."""

    start: int = Field(ge=1)
    end: int = Field(ge=1)

    @model_validator(mode="after")
    def _ordered(self) -> Self:
        if self.start > self.end:
            raise ValueError(f"page span starts on page {self.start}, after its end {self.end}")
        return self

    @classmethod
    def covering(cls, pages: Iterable[int]) -> "PageSpan | None":
        """The smallest span that holds all of ``pages``; None if there are none."""
        numbers = sorted(set(pages))
        return cls(start=numbers[0], end=numbers[-1]) if numbers else None

    @property
    def pages(self) -> range:
        return range(self.start, self.end + 1)

    def as_tuple(self) -> tuple[int, int]:
        return (self.start, self.end)


class SectionPath(Value):
    """The headings above a place, from the outermost to the nearest one."""

    segments: tuple[str, ...] = Field(min_length=1)

    @field_validator("segments")
    @classmethod
    def _named(cls, segments: tuple[str, ...]) -> tuple[str, ...]:
        if any(not segment.strip() for segment in segments):
            raise ValueError("a section path has an empty segment")
        return segments

    @property
    def leaf(self) -> str:
        return self.segments[-1]

    def __str__(self) -> str:
        return " > ".join(self.segments)


def rounded(box: BBox) -> BBox:
    """The box in hundredths of a point."""
    return (round(box[0], 2), round(box[1], 2), round(box[2], 2), round(box[3], 2))


def union(boxes: Sequence[BBox]) -> BBox:
    """The smallest box around ``boxes`` (at least one)."""
    return (
        min(b[0] for b in boxes),
        min(b[1] for b in boxes),
        max(b[2] for b in boxes),
        max(b[3] for b in boxes),
    )


def moved(box: BBox, right: float, down: float) -> BBox:
    return (box[0] + right, box[1] + down, box[2] + right, box[3] + down)


def regions_of(lines: Iterable[Line]) -> tuple[Region, ...]:
    """Boxes that cover ``lines``: one for each run of lines in one column of one page.

    A new box begins with a new page, and where a line is above the previous one (a new column).
    """
    runs: list[list[Line]] = []
    for line in lines:
        last = runs[-1][-1] if runs else None
        goes_on = (
            last is not None
            and last.page == line.page
            and line.bbox[3] > last.bbox[1]
            and _share_column(union([one.bbox for one in runs[-1]]), line.bbox)
        )
        if goes_on:
            runs[-1].append(line)
        else:
            runs.append([line])
    return tuple(Region(page=run[0].page, bbox=union([ln.bbox for ln in run])) for run in runs)


def _share_column(box: BBox, other: BBox) -> bool:
    return min(box[2], other[2]) > max(box[0], other[0])


class ChunkPosition(NamedTuple):
    """Where a passage stands: its document, and its place among the passages of that (from 0)."""

    document_id: str
    place: int


# uuid5 of the DNS namespace and "citeloom.chunk"; fixed for ever, ids depend on it.
_NAMESPACE = UUID("6c64c2b0-4b0e-5a54-93a5-3c9a7c5c6e0f")


# Number of nearest headings prepended to a chunk for embedding.
CONTEXT_HEADINGS = 2


def chunk_id(
    doc_id: str,
    page_span: PageSpan | None,
    section_path: tuple[str, ...],
    embedding_model_id: str,
    chunk_idx: int,
) -> str:
    """uuid5 over the JSON array of all five, an injective encoding."""
    pages = list(page_span.as_tuple()) if page_span else None
    key = json.dumps(
        [doc_id, pages, list(section_path), embedding_model_id, chunk_idx],
        ensure_ascii=True,
        separators=(",", ":"),
    )
    return str(uuid5(_NAMESPACE, key))


def annotation_chunk_id(doc_id: str, library: str, key: str, embedding_model_id: str) -> str:
    """The id of an annotation's passage, independent of its place in the document. ``library``
    and ``key`` are as in ``zotero://`` addresses."""
    name = json.dumps(["annotation", doc_id, library, key, embedding_model_id])
    return str(uuid5(_NAMESPACE, name))


class Chunk(Value):
    """A passage: exactly ``document.text[char_span]``, with its locations.

    ``page_labels`` are the printed labels of ``page_span``, empty where unknown.
    ``section_path`` is empty before the first heading. ``paragraph`` counts those of its
    section from 1 (for formats without pages). ``table_header`` has the heads if the chunk
    has later rows of a table, or the caption if it has the text in a figure.
    ``context_headings`` is the number of nearest headings prepended for embedding. Only an
    annotation's text may be empty (on a page without text).
    """

    id: str = Field(min_length=1)
    doc_id: str = Field(min_length=1)
    chunk_idx: int = Field(ge=0)
    text: str
    char_span: CharSpan
    page_span: PageSpan | None = None
    page_labels: tuple[str, ...] = ()
    regions: tuple[Region, ...] = ()
    section_path: tuple[str, ...] = ()
    paragraph: int = Field(default=1, ge=1)
    kind: ChunkKind = ChunkKind.TEXT
    tokens: int = Field(default=0, ge=0)
    table_header: str | None = None
    context_headings: int = Field(default=CONTEXT_HEADINGS, ge=0)

    @model_validator(mode="after")
    def _text_fits_span(self) -> Self:
        if len(self.text) != len(self.char_span):
            raise ValueError("a chunk's text is as long as its character span")
        if not self.text and self.kind is not ChunkKind.ANNOTATION:
            raise ValueError("a chunk has a text")
        return self

    @property
    def section_heading(self) -> str | None:
        return self.section_path[-1] if self.section_path else None

    def embedding_text(self) -> str:
        """The text with nearest headings and table header prepended, for embedding only. A heading
        that the text begins with is not repeated."""
        context = heading_context(self.section_path, self.text, self.context_headings)
        parts = [context, self.table_header or ""]
        return "\n".join([part for part in parts if part] + [self.text])


def heading_context(path: tuple[str, ...], text: str, headings: int = CONTEXT_HEADINGS) -> str:
    """The last ``headings`` headings of ``path``, except those that ``text`` begins with."""
    shown = []
    for heading in path[-headings:] if headings else ():
        after = text.removeprefix(heading)
        if after != text and (not after or after[0].isspace()):
            text = after.lstrip()
        else:
            shown.append(heading)
    return " > ".join(shown)
