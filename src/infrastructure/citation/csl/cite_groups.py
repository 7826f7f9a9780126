"""Cite grouping and collapsing: cites of the same authors in one citation (CSL 1.0.2).

The specification's sections "Cite Grouping" and "Cite Collapsing":
https://docs.citationstyles.org/en/v1.0.2/specification.html#cite-grouping
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from citeloom.infrastructure.citation.csl.rendering.rich_text import EMPTY, Runs, runs
from citeloom.infrastructure.citation.csl.style import StyleNode

_YEARS = ("year", "year-suffix", "year-suffix-ranged")
_RANGE_FROM = 3
"""Number of successive year suffixes that become a range."""


@dataclass(frozen=True, slots=True)
class GroupedCite:
    """A cite as rendered. ``names`` is the text of its first ``names`` element; ``bare`` the cite
    without them; ``year`` is ``bare`` without the year ``suffix``."""

    text: Runs
    names: str
    bare: Runs
    year: str
    suffix: str
    has_locator: bool


def groups_cites(area: StyleNode) -> bool:
    """Whether a style groups the cites of the same authors."""
    return area.get("collapse") in _YEARS or "cite-group-delimiter" in area.attrs


def join_groups(
    cites: Sequence[GroupedCite], area: StyleNode, layout: StyleNode, glue: Callable[..., Runs]
) -> Runs:
    """The cites of a citation, those of the same authors together at the place of the first."""
    delimiter = layout.get("delimiter")
    groups: dict[str, list[GroupedCite]] = {}
    for n, cite in enumerate(cites):
        groups.setdefault(cite.names or f"\0{n}", []).append(cite)
    joined, before = EMPTY, ""
    for group in groups.values():
        for between, text in _members(group, area, delimiter):
            if joined and text:
                joined = glue(joined, runs(before if between is None else between))
            joined = glue(joined, text) if joined else text
        collapsed = len(group) > 1 and area.get("collapse") in _YEARS
        before = (area.get("after-collapse-delimiter") if collapsed else "") or delimiter
    return joined


def _members(
    group: Sequence[GroupedCite], area: StyleNode, delimiter: str
) -> Iterator[tuple[str | None, Runs]]:
    """The texts of a group, each with the delimiter before it (None: that between groups)."""
    collapse, between = area.get("collapse"), area.attrs.get("cite-group-delimiter", ", ")
    first, *others = group
    yield None, first.text
    if collapse not in _YEARS:
        yield from ((between, cite.text) for cite in others)
        return
    at = 1
    while at < len(group):
        end = _end_of_year(group, at) if collapse != "year" else at
        if end == at:
            yield between, group[at].bare
            at += 1
            continue
        ranged = collapse.endswith("ranged")
        apart = area.get("year-suffix-delimiter") or delimiter
        for mark, suffix in _suffixes([one.suffix for one in group[at - 1 : end]], ranged=ranged):
            yield mark or apart, runs(suffix)
        at = end


def _end_of_year(group: Sequence[GroupedCite], at: int) -> int:
    """The position after the cites from ``at`` on that differ from the one before only by their
    year suffix; a locator belongs to one cite."""
    before = group[at - 1]
    while (
        at < len(group)
        and group[at].suffix
        and before.suffix
        and group[at].year == before.year
        and not (group[at].has_locator or group[at - 1].has_locator)
    ):
        at += 1
    return at


def _suffixes(suffixes: Sequence[str], *, ranged: bool) -> Iterator[tuple[str, str]]:
    """The suffixes after the first, which is in the text before, with ``–`` where a range ends."""
    at = 0
    while at < len(suffixes):
        end = at
        while ranged and end + 1 < len(suffixes) and _follows(suffixes[end], suffixes[end + 1]):
            end += 1
        if at > 0:
            yield "", suffixes[at]
        if end - at + 1 >= _RANGE_FROM:
            yield "–", suffixes[end]
        else:
            yield from (("", suffix) for suffix in suffixes[at + 1 : end + 1])
        at = end + 1


def _follows(suffix: str, following: str) -> bool:
    same = suffix[:-1] == following[:-1]
    return same and ord(following[-1]) == ord(suffix[-1]) + 1
