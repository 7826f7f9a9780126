"""Depth of list items, by indents and labels."""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from citeloom.domain.documents.conversion import BlockLabel
from citeloom.infrastructure.ingest.conversion.pdf.blocks.blocks import BlockDraft
from citeloom.infrastructure.ingest.conversion.pdf.lines.numbering import roman

STEP = 0.6  # least difference in indent between levels, in line heights
ALIGNED = 2.0  # greatest difference in indent of numbers set flush right, in line heights
DEEPEST = 6

_NUMBER = re.compile(r"^(?P<open>\(?)(?P<number>\d{1,2}|[A-Za-z]|[ivxIVX]{2,5})(?P<close>[.)])")


class _Mark(NamedTuple):
    """The label of an item: ``style`` is a bullet, or the form of its number."""

    style: str
    value: int = 0


class _Level(NamedTuple):
    indent: float
    marks: tuple[_Mark, ...]


def with_list_depths(drafts: Sequence[BlockDraft]) -> list[BlockDraft]:
    """The drafts with ``depth`` set on list items, 1 for the outermost, and on blocks between
    them that do not end the list: formulas, floating blocks, and paragraphs indented like an
    item's text."""
    open_: list[_Level] = []
    with_depths: list[BlockDraft] = []
    for draft in drafts:
        if draft.label == BlockLabel.LIST_ITEM:
            open_ = _open_levels(open_, draft)
            with_depths.append(draft._replace(depth=min(len(open_), DEEPEST)))
            continue
        inside = open_ and draft.indent > open_[0].indent + STEP * draft.lines[0].size
        if not (draft.floating or draft.label == BlockLabel.FORMULA or inside):
            open_ = []
        with_depths.append(draft._replace(depth=min(len(open_), DEEPEST)))
    return with_depths


def _open_levels(open_: list[_Level], item: BlockDraft) -> list[_Level]:
    """The open levels after ``item``."""
    size = item.lines[0].size
    marks = tuple(_marks(item.lines[0].text))
    level = _Level(item.indent, marks)
    for depth in range(len(open_), 0, -1):
        open_level = open_[depth - 1]
        shift = item.indent - open_level.indent
        if _follows(marks, open_level.marks) and abs(shift) < ALIGNED * size:
            nested = depth < len(open_) and shift > STEP * size
            if not nested:
                return [
                    *open_[: depth - 1],
                    level._replace(indent=min(open_level.indent, item.indent)),
                ]
    while open_ and item.indent < open_[-1].indent - STEP * size:
        open_ = open_[:-1]
    if open_ and item.indent < open_[-1].indent + STEP * size:
        return [*open_[:-1], level]
    return [*open_, level]


def _marks(text: str) -> Iterator[_Mark]:
    """Every reading of an item's label: ``i.`` may be a letter or one."""
    match = _NUMBER.match(text)
    if match is None:
        yield _Mark(text[:1])
        return
    shape = f"{match['open']}%s{match['close']}"
    number = match["number"]
    if number.isdigit():
        yield _Mark(shape % "1", int(number))
        return
    case = "a" if number.islower() else "A"
    if len(number) == 1:
        yield _Mark(shape % case, ord(number.lower()) - ord("a") + 1)
    value = roman(number.upper())
    if value is not None:
        yield _Mark(shape % ("i" if case == "a" else "I"), value)


def _follows(marks: Sequence[_Mark], before: Sequence[_Mark]) -> bool:
    """Whether a numbered item directly follows another."""
    return any(m.style == b.style and m.value == b.value + 1 for m in marks for b in before)
