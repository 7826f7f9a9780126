"""Sequence of section numbers, to tell headings from other numbered lines."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from citeloom.infrastructure.ingest.conversion.pdf.lines.vocabulary import (
    KNOWN_HEADINGS,
    TOP_SECTIONS,
    Numbering,
    headings_between,
    numbering_candidates,
)
from citeloom.infrastructure.ingest.conversion.pdf.words.characters import squash

from .candidates import Contrast, HeadingCandidate, Type

_DIGIT = re.compile(r"\D*\d")
MOST_MISSING = 3  # headings between two of a sequence that were not found
LEAST_PARTS = 2
_PER_MISSING = 0.5
_RUN_IN = 0.3  # weight of a single number before a heading that its paragraph continues
_MISREAD = 0.25  # cost of a number that OCR has misread
_IN_SMALLER = 0.05  # share of the weight of a number in smaller type than others of its level
_MUCH_SMALLER = 0.12  # times the text's size
_SAME_TYPE = 0.2  # added for a section in the type of the section before it
_WEIGHT = {Contrast.TYPE: 1.0, Contrast.FONT: 0.6, Contrast.SPACE: 0.6, Contrast.NONE: 0.3}


class _Link(NamedTuple):
    """A heading in a sequence, with the sequence that leads to it. ``top`` is the type of its
    last section of level 1; ``largest`` is the largest type of each level, as a share of
    the text's size."""

    candidate: HeadingCandidate
    number: Numbering
    before: "_Link | None"
    score: float
    top: Type | None
    largest: tuple[float, ...] = ()

    def sequence(self) -> list["_Link"]:
        links: list[_Link] = []
        link: _Link | None = self
        while link is not None:
            links.append(link)
            link = link.before
        return links[::-1]


def levels_by_number(candidates: Sequence[HeadingCandidate]) -> dict[int, int]:
    """Levels, by first line, of the candidates whose numbers make the best sequence, in the scheme
    in which it is best, and of those in other schemes, which restart in each section."""
    schemes = {n.scheme for c in candidates for n in numbering_candidates(c.text)}
    best: _Link | None = None
    for scheme in sorted(schemes):
        last = _best_sequence(candidates, scheme)
        least = max(best.score if best else 0.0, 1.5 if scheme == "A" else 0.0)
        if last is not None and last.score > least:
            best = last
    links = _confirmed(best.sequence()) if best else []
    if not links or _are_items(links, candidates):
        return {}
    depths = {len(link.number.path) for link in links if 0 not in link.number.path[1:-1]}
    levels = {link.candidate.first: _depth(link.number.path, depths) for link in links}
    levels |= _appendix_levels(candidates, links[-1])
    levels |= _sub_levels(candidates, levels, links[0].number.scheme)
    return levels | _part_levels(candidates, links)


def _depth(path: tuple[int, ...], depths: set[int]) -> int:
    """The level of a section number. 4.0.0.2 skips levels: it is one below the last level."""
    if 0 not in path[1:-1]:
        return len(path)
    return 1 + max((depth for depth in depths if depth < len(path)), default=0)


def _best_sequence(candidates: Sequence[HeadingCandidate], scheme: str) -> _Link | None:
    """The end of the sequence with the highest sum of weights, less a cost for each number that
    is missing. Lettered appendices may follow the main numbers."""
    main: dict[tuple[int, ...], _Link] = {}  # the best sequence to each number
    appendix: dict[tuple[int, ...], _Link] = {}
    for candidate in candidates:
        for number in numbering_candidates(candidate.text):
            if number.scheme == "A":
                _keep_better(appendix, _appendix_link(candidate, number, main))
                _keep_better(appendix, _next_link(candidate, number, appendix))
            if number.scheme == scheme:
                _keep_better(main, _first_link(candidate, number))
                _keep_better(main, _next_link(candidate, number, main))
    ends = [*main.values(), *appendix.values()]
    return max(ends, key=lambda link: link.score, default=None)


def _keep_better(best: dict[tuple[int, ...], _Link], link: _Link | None) -> None:
    if link is None:
        return
    known = best.get(link.number.path)
    if known is None or link.score > known.score:
        best[link.number.path] = link


def _first_link(candidate: HeadingCandidate, number: Numbering) -> _Link | None:
    """A sequence that begins here: with 1, or in Arabic numbers a little later."""
    missing = headings_between(number.path, ())
    if missing is None or missing > MOST_MISSING or (number.scheme != "1" and missing):
        return None
    return _link(candidate, number, None, missing)


def _next_link(
    candidate: HeadingCandidate, number: Numbering, best: Mapping[tuple[int, ...], _Link]
) -> _Link | None:
    links = []
    for path, link in best.items():
        missing = headings_between(number.path, path)
        if missing is not None and missing <= MOST_MISSING:
            links.append(_link(candidate, number, link, missing))
    return max(links, key=lambda link: link.score, default=None)


def _appendix_link(
    candidate: HeadingCandidate, number: Numbering, main: Mapping[tuple[int, ...], _Link]
) -> _Link | None:
    """The first appendix, which is set like the sections before it."""
    if number.path[0] != 1 or candidate.contrast is Contrast.NONE:
        return None
    links = [
        _link(candidate, number, link, 0)
        for path, link in main.items()
        if (number.worded or candidate.type == link.top)
        and (link.number.scheme != "A" or path > (1,) == number.path)
    ]
    return max(links, key=lambda link: link.score, default=None)


def _link(
    candidate: HeadingCandidate, number: Numbering, before: _Link | None, missing: int
) -> _Link:
    item_like = candidate.run_in > 0 and len(number.path) == 1
    score = _RUN_IN if item_like else _WEIGHT[candidate.contrast]
    known = before.largest if before else ()
    level, ratio = len(number.path), candidate.type.ratio
    largest = [*known, *[0.0] * (level - len(known))]
    if ratio < largest[level - 1] - _MUCH_SMALLER and number.scheme != "A":
        score *= _IN_SMALLER
    largest[level - 1] = max(largest[level - 1], ratio)
    misread = number.scheme == "1" and not _DIGIT.match(candidate.text)
    score -= _PER_MISSING * missing + _MISREAD * misread
    top = before.top if before else None
    if before is not None:
        score += before.score
    if len(number.path) == 1:
        score += _SAME_TYPE * (candidate.type == top)
        top = candidate.type
    return _Link(candidate, number, before, score, top, tuple(largest))


def _confirmed(links: Sequence[_Link]) -> list[_Link]:
    """The links, without the last ones if they stand out too little. Sections separated only by
    space must be two of one type, or have a heading after them that stands out."""
    spaced = Counter(
        link.candidate.type
        for link in links
        if link.candidate.contrast is Contrast.SPACE and len(link.number.path) == 1
    )
    last = max(
        (
            i
            for i, link in enumerate(links)
            if link.candidate.contrast is Contrast.TYPE or spaced[link.candidate.type] >= 2
        ),
        default=-1,
    )
    return list(links[: last + 1])


class _SubNumbering(NamedTuple):
    """A numbering below the main one, which restarts in each section."""

    scheme: str
    last: tuple[int, ...]
    level: int


def _sub_levels(
    candidates: Sequence[HeadingCandidate], main: Mapping[int, int], scheme: str
) -> dict[int, int]:
    """Levels of headings with numbers of other schemes below those of the main sequence."""
    levels: dict[int, int] = {}
    subs: list[_SubNumbering] = []
    above = 0
    for candidate in candidates:
        if candidate.first in main:
            subs, above = [], main[candidate.first]
        elif candidate.numbering is None:
            if squash(candidate.text) in TOP_SECTIONS:
                subs = []
        elif above and candidate.contrast is Contrast.TYPE:
            for number in _readings(candidate):
                level = None if number.scheme == scheme else _sub_level(number, subs, above)
                if level is not None:
                    levels[candidate.first] = level
                    break
    return levels


def _readings(candidate: HeadingCandidate) -> tuple[Numbering, ...]:
    number = candidate.numbering
    lettered = number is not None and number.scheme == "a"
    return (number,) if number and lettered else numbering_candidates(candidate.text)


def _sub_level(number: Numbering, subs: list[_SubNumbering], above: int) -> int | None:
    """The level of a number below ``subs``, which are brought up to date."""
    if len(number.path) > 1:
        return None
    for i, sub in enumerate(subs):
        if sub.scheme == number.scheme:
            if number.path[0] != sub.last[0] + 1:
                return None
            subs[i:] = [sub._replace(last=number.path)]
            return sub.level
    if number.path != (1,):
        return None
    level = (subs[-1].level if subs else above) + 1
    subs.append(_SubNumbering(number.scheme, number.path, level))
    return level


def _appendix_levels(candidates: Sequence[HeadingCandidate], last: _Link) -> dict[int, int]:
    """Levels of appendices after the last section whose numbers restart: *Appendix 1*."""
    levels: dict[int, int] = {}
    for candidate in candidates:
        number = candidate.numbering
        if candidate.first <= last.candidate.first or number is None or not number.worded:
            continue
        stands_out = candidate.contrast is Contrast.TYPE and not candidate.run_in
        if stands_out and number.scheme in ("1", "I") and number.path == (len(levels) + 1,):
            levels[candidate.first] = 1
    return levels


def _part_levels(candidates: Sequence[HeadingCandidate], links: Sequence[_Link]) -> dict[int, int]:
    """Levels of parts in Roman numbers that continue through the sections: *Part II*, or numbers
    the first of which is above the first section."""
    first = links[0].candidate.first
    if links[0].number.scheme == "I" or links[0].number.path[0] > 1:
        return {}
    sure = [c for c in candidates if c.contrast is Contrast.TYPE and not c.run_in]
    last = _best_sequence(sure, "I")
    parts = last.sequence() if last else []
    worded = all(part.number.worded for part in parts)
    if len(parts) < LEAST_PARTS or (parts[0].candidate.first > first and not worded):
        return {}
    return {part.candidate.first: 1 for part in parts}


def _are_items(links: Iterable[_Link], candidates: Sequence[HeadingCandidate]) -> bool:
    """Whether the numbered lines are list items: smaller than headings with usual names, and
    not bolder."""
    top_level = [link.candidate for link in links if len(link.number.path) == 1]
    tops = [c.type.ratio for c in top_level]
    bold = any(c.type.bold for c in top_level)
    named_ratios = [
        c.type.ratio
        for c in candidates
        if c.numbering is None and squash(c.text) in KNOWN_HEADINGS and c.type.bold >= bold
    ]
    return (
        bool(tops)
        and len(named_ratios) >= 2
        and max(tops) < 0.94 * sorted(named_ratios)[len(named_ratios) // 2]
    )
