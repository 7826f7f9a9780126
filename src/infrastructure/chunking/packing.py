"""Packing pieces into passages of even size."""

import math
from collections.abc import Iterator, Sequence

from citeloom.infrastructure.chunking.units import Unit

_MOST_REPEATED = 2


def packed(units: Sequence[Unit], budget: int, room: int) -> list[tuple[Unit, ...]]:
    """``units`` in passages of at most ``budget``, cut where it hurts least.

    One passage if all fit. Else, of all ways to cut, the one in which the sum of squared
    deviations from the even size, and of the bonds that are cut, is smallest; the even
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
        for end in range(start + 1, len(units) + 1):
            size += units[end - 1].size
            if size > budget and end > start + 1:
                break
            cost = best[start] + cut + ((size - even) / even) ** 2
            if cost < best[end]:
                best[end], begins[end] = cost, start
    return list(reversed(list(_backwards(units, begins))))


def _backwards(units: Sequence[Unit], begins: Sequence[int]) -> Iterator[tuple[Unit, ...]]:
    end = len(units)
    while end > 0:
        yield tuple(units[begins[end] : end])
        end = begins[end]


def repeated(before: Sequence[Unit], passage: Sequence[Unit], room: int) -> tuple[Unit, ...]:
    """The last sentence or two of ``before`` that ``passage`` begins with as well.

    Whole ones of the same section (one begins with its heading, and sections that were
    merged fit one passage), in all at most ``room``, never all of ``before``.
    """
    if passage[0].heading:
        return ()
    tail: list[Unit] = []
    for unit in reversed(before[1:]):
        room -= unit.size
        if room < 0 or unit.heading or len(tail) == _MOST_REPEATED:
            break
        tail.insert(0, unit)
    return tuple(tail)
