"""Positions in a document: character spans, pages, boxes, section paths.

Pages count from 1. Boxes are ``(left, top, right, bottom)`` in points (1/72 inch)
from the top left corner of the page as displayed. Character spans are half-open,
``text[start:end]``.
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple, Self

from pydantic import Field, field_validator, model_validator

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
