"""Sequence of section numbers, which tells headings from other numbered lines."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from citeloom.infrastructure.ingest.conversion.pdf.headings.candidates import HeadingCandidate, Type
from citeloom.infrastructure.ingest.conversion.pdf.lines.line_flow import FAR
from citeloom.infrastructure.ingest.conversion.pdf.lines.numbering import (
    Numbering,
    follows,
    numbering_candidates,
    skips_one,
)
from citeloom.infrastructure.ingest.conversion.pdf.lines.vocabulary import (
    KNOWN_HEADINGS,
    TOP_SECTIONS,
)
from citeloom.infrastructure.ingest.conversion.pdf.words.glyphs import squash

SAME_SPACE = 1.15  # greatest ratio of the spaces above headings of one kind


def levels_by_number(candidates: Sequence[HeadingCandidate]) -> dict[int, int]:
    """Levels of the candidates whose numbers are in sequence, by first line.

    The main scheme is the one in which most candidates are in sequence.
    """
    schemes = dict.fromkeys(
        n.scheme for c in candidates if c.numbering for n in numbering_candidates(c.text)
    )
    best: list[tuple[HeadingCandidate, int]] = []
    for scheme in sorted(schemes):
        counter = _SectionCounter(scheme)
        leveled = [(c, level) for c in candidates if (level := counter.level_of(c)) is not None]
        if len(leveled) > max(len(best), scheme == "A"):
            best = leveled
    return {} if _are_items(best, candidates) else {c.first: level for c, level in best}


class _SubNumbering(NamedTuple):
    """A numbering below the main one, which restarts in each section."""

    scheme: str
    last: tuple[int, ...]
    level: int


class _SectionCounter:
    """The last number of the main scheme, and of each scheme below it."""

    def __init__(self, scheme: str) -> None:
        self._scheme = scheme
        self._last: tuple[int, ...] = ()
        self._subs: list[_SubNumbering] = []
        self._top: Type | None = None  # of the last main heading of level 1

    def level_of(self, candidate: HeadingCandidate) -> int | None:
        """The level of the next candidate; None if its number is not in sequence."""
        if candidate.numbering is None:
            if squash(candidate.text) in TOP_SECTIONS:
                self._subs = []
            return None
        read = numbering_candidates(candidate.text)
        for number in read:
            if self._is_next(number, candidate):
                self._scheme, self._last, self._subs = number.scheme, number.path, []
                if len(number.path) == 1:
                    self._top = candidate.type
                return len(number.path)
        return next((level for n in read if (level := self._sub_level(n)) is not None), None)

    def _is_next(self, number: Numbering, candidate: HeadingCandidate) -> bool:
        """Whether the number continues the main sequence, begins it, or begins the lettered
        appendices, which are set like the sections before them."""
        begins = number.path[0] == 1
        if number.scheme == self._scheme:
            if not self._last:
                return follows(number.path, ()) and (begins or number.scheme == "1")
            if follows(number.path, self._last) or skips_one(number.path, self._last):
                return True
        alike = number.worded or candidate.type == self._top
        anew = number.scheme != self._scheme or (self._last > (1,) == number.path)
        return bool(self._last) and begins and number.scheme == "A" and alike and anew

    def _sub_level(self, number: Numbering) -> int | None:
        if not self._last or len(number.path) > 1 or number.scheme == self._scheme:
            return None
        for i, sub in enumerate(self._subs):
            if sub.scheme == number.scheme:
                if not follows(number.path, sub.last):
                    return None
                self._subs[i:] = [sub._replace(last=number.path)]
                return sub.level
        if number.path != (1,):
            return None
        level = (self._subs[-1].level if self._subs else len(self._last)) + 1
        self._subs.append(_SubNumbering(number.scheme, number.path, level))
        return level


def headings_by_space(candidates: Sequence[HeadingCandidate]) -> list[HeadingCandidate]:
    """The candidates set off by space that are headings: numbered 1, 2, … in one type, or of
    that type with the same space above."""
    by_space = [c for c in candidates if c.by_space]
    levels = levels_by_number(by_space)
    tops = [c for c in by_space if levels.get(c.first) == 1]
    types = {c.type for c in tops if sum(c.type == other.type for other in tops) >= 2}
    if not types:
        return []
    spaces = sorted(c.above for c in tops if c.type in types and c.above != FAR)
    usual = spaces[len(spaces) // 2] if spaces else FAR
    return [
        c
        for c in by_space
        if c.type in types
        and (
            c.first in levels
            or (c.numbering is None and usual / SAME_SPACE < c.above < usual * SAME_SPACE)
        )
    ]


def _are_items(
    numbered: Iterable[tuple[HeadingCandidate, int]], candidates: Sequence[HeadingCandidate]
) -> bool:
    """Whether the numbered lines are list items: smaller than headings with usual names, and
    not bolder."""
    top_level = [c for c, level in numbered if level == 1]
    tops = [c.ratio for c in top_level]
    bold = any(c.type[1] for c in top_level)
    named_ratios = [
        c.ratio
        for c in candidates
        if c.numbering is None and squash(c.text) in KNOWN_HEADINGS and c.type[1] >= bold
    ]
    return (
        bool(tops)
        and len(named_ratios) >= 2
        and max(tops) < 0.94 * sorted(named_ratios)[len(named_ratios) // 2]
    )
