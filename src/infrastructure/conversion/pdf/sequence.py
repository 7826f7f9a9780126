"""Section numbers in sequence: what tells numbered headings from numbered anything else."""

from collections.abc import Sequence

from citeloom.infrastructure.conversion.pdf.candidates import Candidate
from citeloom.infrastructure.conversion.pdf.flow import FAR
from citeloom.infrastructure.conversion.pdf.glyphs import squash
from citeloom.infrastructure.conversion.pdf.names import KNOWN, follows

SAME_SPACE = 1.15  # spaces above heads of one kind differ less


def in_sequence(candidates: Sequence[Candidate]) -> list[Candidate]:
    """The numbered candidates whose numbers follow one another."""
    kept: list[Candidate] = []
    last: tuple[int, ...] = ()
    letters: tuple[int, ...] = ()
    for candidate in candidates:
        numbering = candidate.numbering
        if numbering is None:
            continue
        if numbering.lettered:
            ok = follows(numbering.path, letters) if letters else numbering.path[0] == 1
            if ok and (letters or numbering.stopped or candidate.ratio > 1.04 or last):
                letters = numbering.path
                kept.append(candidate)
        elif follows(numbering.path, last) or _skips_one(numbering.path, last):
            last = numbering.path
            letters = ()
            kept.append(candidate)
    return [] if _are_items(kept, candidates) else kept


def quiet_headings(candidates: Sequence[Candidate]) -> list[Candidate]:
    """Those of the quiet candidates that are headings: they are numbered 1, 2, … in one
    type, or look just like those that are."""
    quiet = [c for c in candidates if c.quiet]
    numbered = [c for c in in_sequence(quiet) if c.numbering and len(c.numbering.path) == 1]
    kinds = {c.type for c in numbered if sum(c.type == other.type for other in numbered) >= 2}
    if not kinds:
        return []
    spaces = sorted(c.above for c in numbered if c.type in kinds and c.above != FAR)
    usual = spaces[len(spaces) // 2] if spaces else FAR
    return [
        c
        for c in quiet
        if c.type in kinds
        and (c in numbered or usual / SAME_SPACE < c.above < usual * SAME_SPACE)
        and (c in numbered or c.numbering is None)
    ]


def _are_items(numbered: Sequence[Candidate], candidates: Sequence[Candidate]) -> bool:
    """Whether the numbered lines are items of a list: smaller than the usual heads."""
    tops = [c.ratio for c in numbered if c.numbering and len(c.numbering.path) == 1]
    named = [c.ratio for c in candidates if c.numbering is None and squash(c.text) in KNOWN]
    return bool(tops) and len(named) >= 2 and max(tops) < 0.94 * sorted(named)[len(named) // 2]


def _skips_one(path: tuple[int, ...], last: tuple[int, ...]) -> bool:
    """Whether one section between the two may have been missed."""
    if not last:
        return False
    if len(path) > len(last):
        return path[:-1] == (*last[:-1], last[-1])[: len(path) - 1] and path[-1] <= 2
    depth = len(path) - 1
    return (path[:depth] == last[:depth] and path[depth] == last[depth] + 2) or (
        len(path) == 2 and path[0] == last[0] + 1 and path[1] == 1
    )
