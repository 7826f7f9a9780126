"""Packing of units into passages of even size."""

import math
from collections import Counter
from collections.abc import Iterator, Sequence

from citeloom.infrastructure.ingest.chunking.units import Unit

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

    Whole units, of the same section (none before a heading) and the same pages, of at most
    ``room`` tokens, never all of ``before``.
    """
    if passage[0].heading:
        return ()
    pages = {page for unit in passage for page, _ in unit.pages}
    tail: list[Unit] = []
    for unit in reversed(before[1:]):
        room -= unit.size
        elsewhere = any(page not in pages for page, _ in unit.pages)
        if room < 0 or unit.heading or elsewhere or len(tail) == _MOST_REPEATED:
            break
        tail.insert(0, unit)
    return tuple(tail)
