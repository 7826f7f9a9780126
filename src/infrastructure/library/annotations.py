"""Kinds and positions of Zotero annotations."""

import json
import math
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from citeloom.domain.library.snapshot import AnnotationKind

Rect = tuple[float, float, float, float]

_KINDS = {kind.value: kind for kind in AnnotationKind}
_MAX_RECTS = 2000  # more than the lines of two full pages of any mark


class AnnotationPosition(NamedTuple):
    """``page`` from 1, None where the format has no pages; boxes (left, bottom, right, top) in
    points from the bottom left."""

    page: int | None = None
    rects: tuple[Rect, ...] = ()
    rects_next: tuple[Rect, ...] = ()


def kind_of(raw: Mapping[str, Any]) -> AnnotationKind | None:
    """None for an unknown kind."""
    return _KINDS.get(str(raw.get("annotationType")))


def position_of(raw: Mapping[str, Any]) -> AnnotationPosition:
    """Position from ``annotationPosition``, which is JSON: in PDFs ``pageIndex`` (from 0),
    ``rects`` and ``nextPageRects``; for drawings ``paths``, of which the bounding box of each
    stroke is given. Annotations of EPUBs and web pages have selectors instead, hence no page; an
    unreadable position has none either."""
    position = raw.get("annotationPosition")
    if isinstance(position, str):
        try:
            position = json.loads(position)
        except (ValueError, RecursionError):
            return AnnotationPosition()
    if not isinstance(position, Mapping):
        return AnnotationPosition()
    index = position.get("pageIndex")
    if isinstance(index, bool) or not isinstance(index, int) or index < 0:
        return AnnotationPosition()
    rects = (*_rects(position.get("rects")), *_strokes(position.get("paths")))
    return AnnotationPosition(
        index + 1, rects[:_MAX_RECTS], tuple(_rects(position.get("nextPageRects")))
    )


def _rects(value: Any) -> Iterator[Rect]:
    for rect in value[:_MAX_RECTS] if isinstance(value, list) else ():
        numbers = _numbers(rect)
        if len(numbers) == 4:
            left, bottom, right, top = numbers
            yield (min(left, right), min(bottom, top), max(left, right), max(bottom, top))


def _strokes(value: Any) -> Iterator[Rect]:
    for path in value[:_MAX_RECTS] if isinstance(value, list) else ():
        numbers = _numbers(path)
        if len(numbers) >= 2 and len(numbers) % 2 == 0:
            across, up = numbers[::2], numbers[1::2]
            yield (min(across), min(up), max(across), max(up))


def _numbers(value: Any) -> list[float]:
    """The numbers of a list; empty if it contains anything else."""
    if not isinstance(value, list):
        return []
    numbers = [
        float(number)
        for number in value
        if isinstance(number, int | float)
        and not isinstance(number, bool)
        and abs(number) < 1e9
        and math.isfinite(number)
    ]
    return numbers if len(numbers) == len(value) else []
