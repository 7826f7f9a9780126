"""Which lines are headings, and of which level, judged across the whole document.

Three witnesses: the PDF's outline, section numbers in sequence, and type that stands out
from the text. In a numbered document an unnumbered line in bold is no heading, unless it is
much larger than the text or has one of the usual names (Abstract, References, …).
"""

import re
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from citeloom.infrastructure.conversion.pdf.figures import CAPTION
from citeloom.infrastructure.conversion.pdf.flow import FAR, Placed, Style
from citeloom.infrastructure.conversion.pdf.glyphs import squash
from citeloom.infrastructure.conversion.pdf.names import (
    ALWAYS,
    BULLET,
    KNOWN,
    THEOREM,
    Numbering,
    follows,
    numbering_of,
)
from citeloom.infrastructure.conversion.pdf.outlines import OutlineMatch

LARGER = 1.1  # times the text's size, to stand out by size alone
MUCH_LARGER = 1.16
LONGEST = 4  # lines
REPEATED = 3  # the same words as often as this are labels, not headings
_SENTENCE = re.compile(r"[.;,]$")
_OPERATOR = re.compile(
    "[=<>\u2264\u2265\u2211\u222b\u220f\u221a\u2208\u2192\u2282\u222a\u2229\u2248\u2202\u221e]"
)
_RUN_IN_END = re.compile(r"[.:\u2014-]$")


class HeadingMark(NamedTuple):
    """Lines ``first`` to ``last`` are a heading. ``run_in`` counts the characters of a head
    that stands at the beginning of its paragraph's first line; 0 for a head on its own."""

    first: int
    last: int
    level: int
    run_in: int = 0


class _Candidate(NamedTuple):
    first: int
    last: int
    text: str
    numbering: Numbering | None
    ratio: float
    key: tuple[float, bool, bool, bool]


def find_headings(
    flow: Sequence[Placed],
    style: Style,
    outline: Sequence[OutlineMatch] = (),
    skip: frozenset[int] = frozenset(),
) -> list[HeadingMark]:
    """Headings in reading order. ``skip`` are lines that cannot be (title, tables, …)."""
    fixed = {match.first: match for match in outline if match.first not in skip}
    taken = {i for match in outline for i in range(match.first, match.last + 1)} | skip
    candidates = _candidates(flow, style, taken)
    numbered = _in_sequence(candidates)
    if _are_items(numbered, candidates):
        numbered = []
    many = len([c for c in numbered if len(c.numbering.path if c.numbering else ()) == 1]) >= 3
    outline_numbered = sum(
        numbering_of(flow[m.first].line.text) is not None for m in outline
    ) > 0.5 * len(outline)
    outline_keys = {_key(flow[m.first], style) for m in outline}
    marks = [HeadingMark(m.first, m.last, m.level) for m in fixed.values()]
    accepted: list[_Candidate] = []
    for candidate in candidates:
        named = squash(candidate.text) in KNOWN
        if fixed:
            deeper = candidate in numbered and outline_numbered
            alike = candidate.key in outline_keys and candidate.ratio > 1.04 and not many
            if squash(candidate.text) in ALWAYS or deeper or alike:
                accepted.append(candidate)
        elif candidate in numbered:
            accepted.append(candidate)
        elif many:
            if named or candidate.ratio >= MUCH_LARGER:
                accepted.append(candidate)
        elif candidate.numbering is None or candidate.ratio >= LARGER:
            accepted.append(candidate)
    seen = Counter(squash(c.text) for c in accepted if c.numbering is None)
    accepted = [c for c in accepted if seen[squash(c.text)] < REPEATED]
    marks += _levelled(accepted, fixed, flow, style, many)
    marks += _run_ins(flow, style, marks, skip, many)
    return sorted(_without_overlap(marks))


def _candidates(
    flow: Sequence[Placed], style: Style, taken: frozenset[int] | set[int]
) -> list[_Candidate]:
    found: list[_Candidate] = []
    i = 0
    while i < len(flow):
        last = _extent(i, flow, style, taken) if i not in taken else None
        if last is None:
            i += 1
            continue
        text = " ".join(flow[k].line.text for k in range(i, last + 1))
        if _may_head(text):
            found.append(
                _Candidate(
                    i,
                    last,
                    text,
                    numbering_of(text),
                    style.ratio(flow[i].line),
                    _key(flow[i], style),
                )
            )
        i = last + 1
    return found


def _extent(
    first: int, flow: Sequence[Placed], style: Style, taken: frozenset[int] | set[int]
) -> int | None:
    """The last line of a heading that may begin at ``first``; None if none begins there."""
    placed = flow[first]
    if placed.aside or not _stands_out(placed, style):
        return None
    if CAPTION.match(placed.line.text) or BULLET.match(placed.line.text):
        return None
    last = first
    while last + 1 < len(flow) and last - first < LONGEST and last + 1 not in taken:
        after = flow[last + 1]
        if after.column != placed.column or not _same_type(placed, after):
            break
        if after.above > 1.75 * placed.line.size or numbering_of(after.line.text) is not None:
            break
        last += 1
    if last - first >= LONGEST:
        return None
    space = placed.above
    usual = style.pitch * max(1.0, style.ratio(placed.line))
    ratio = style.ratio(placed.line)
    isolated = space == FAR or space > 1.12 * usual or ratio > LARGER
    if not isolated and squash(placed.line.text) not in KNOWN:
        numbered = numbering_of(placed.line.text)
        if numbered is None or not (placed.line.bold or ratio > 1.05):
            return None
    return last


def _stands_out(placed: Placed, style: Style) -> bool:
    line = placed.line
    ratio = style.ratio(line)
    if len(line.pieces) > 2 or (len(line.pieces) == 2 and len(line.pieces[0].text) > 9):
        return False
    if ratio < 0.88 or line.maths > 0.3:
        return False
    if (line.bold and not style.bold) or ratio >= LARGER:
        return True
    if squash(line.text) in ALWAYS and placed.above > 1.1 * style.pitch:
        return True
    letters = [c for c in line.text if c.isalpha()]
    capitals = len(letters) > 3 and sum(c.isupper() for c in letters) > 0.9 * len(letters)
    other = line.font != style.font and placed.above > 1.2 * style.pitch
    numbered = numbering_of(line.text) is not None
    return other and (capitals or (numbered and (line.italic or capitals)))


def _same_type(one: Placed, other: Placed) -> bool:
    a, b = one.line, other.line
    return abs(a.size - b.size) < 0.06 * a.size and a.bold == b.bold and a.italic == b.italic


def _may_head(text: str) -> bool:
    letters = sum(c.isalpha() for c in text)
    if letters < 2 or len(text) > 220 or letters < 0.45 * len(text.replace(" ", "")):
        return False
    if THEOREM.match(text) or "@" in text or "://" in text:
        return False
    if numbering_of(text) is None and (text[:1].islower() or _OPERATOR.search(text)):
        return False
    return not (
        _SENTENCE.search(text)
        and not re.search(r"\b[A-Z]\.$|etc\.$", text)
        and not (numbering_of(text) and len(text) < 60)
        and squash(text) not in KNOWN
    )


def _key(placed: Placed, style: Style) -> tuple[float, bool, bool, bool]:
    line = placed.line
    letters = [c for c in line.text if c.isalpha()]
    capitals = len(letters) > 3 and all(c.isupper() for c in letters)
    return (round(style.ratio(line) * 20) / 20, line.bold, line.italic, capitals)


def _in_sequence(candidates: Sequence[_Candidate]) -> list[_Candidate]:
    """The numbered candidates whose numbers follow one another."""
    kept: list[_Candidate] = []
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
    return kept


def _are_items(numbered: Sequence[_Candidate], candidates: Sequence[_Candidate]) -> bool:
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


def _levelled(
    accepted: Sequence[_Candidate],
    fixed: dict[int, OutlineMatch],
    flow: Sequence[Placed],
    style: Style,
    numbered: bool,
) -> list[HeadingMark]:
    """Levels from numbers, else from the outline's heads in the same type, else by rank."""
    by_key: dict[tuple[float, bool, bool, bool], Counter[int]] = {}
    for match in fixed.values():
        by_key.setdefault(_key(flow[match.first], style), Counter())[match.level] += 1
    if numbered:
        for c in accepted:
            if c.numbering is not None:
                by_key.setdefault(c.key, Counter())[len(c.numbering.path)] += 1
    ranks = _ranks([c for c in accepted if not (numbered and c.numbering)])
    marks = []
    for c in accepted:
        known = by_key.get(c.key)
        if c.numbering is not None and (numbered or not known):
            level = len(c.numbering.path)
        elif squash(c.text) in ALWAYS or numbered:
            level = 1
        elif known:
            level = known.most_common(1)[0][0]
        else:
            level = ranks[c.key]
        marks.append(HeadingMark(c.first, c.last, level))
    return marks


def _ranks(
    candidates: Sequence[_Candidate],
) -> dict[tuple[float, bool, bool, bool], int]:
    """Levels of styles: the larger the type, the higher; then capitals, bold, upright."""
    keys = sorted({c.key for c in candidates}, key=lambda k: (-k[0], not k[3], not k[1], k[2]))
    ranks: dict[tuple[float, bool, bool, bool], int] = {}
    level, before = 0, None
    for key in keys:
        near = before is not None and before[1:] == key[1:] and before[0] - key[0] < 0.06
        if not near:
            level += 1
        ranks[key] = level
        before = key
    return ranks


def _run_ins(
    flow: Sequence[Placed],
    style: Style,
    marks: Sequence[HeadingMark],
    skip: frozenset[int],
    numbered: bool,
) -> list[HeadingMark]:
    """Heads such as LaTeX's paragraph heads: bold, then a space of about an em, then text."""
    if style.bold:
        return []
    deepest = max((m.level for m in marks), default=1)
    found = []
    for i, placed in enumerate(flow):
        line = placed.line
        if not line.lead or i in skip or placed.aside or abs(style.ratio(line) - 1) > 0.12:
            continue
        head = line.text[: line.lead].strip()
        named = squash(head) in ALWAYS
        wide = line.lead_gap > 0.95 * line.size
        if not (wide or (named and _RUN_IN_END.search(head))):
            continue
        if placed.above < 1.1 * style.pitch or len(head) > 80 or line.raised:
            continue
        if THEOREM.match(head) or CAPTION.match(head) or not _may_head(head.rstrip(".:")):
            continue
        if BULLET.match(line.text) or (head[:1].islower() and not named):
            continue
        level = 1 if named else min(deepest + 1, 4)
        found.append(HeadingMark(i, i, level, line.lead))
    return found if numbered or marks else []


def _without_overlap(marks: Sequence[HeadingMark]) -> list[HeadingMark]:
    kept: list[HeadingMark] = []
    used: set[int] = set()
    for mark in marks:
        lines = set(range(mark.first, mark.last + 1))
        if not lines & used:
            kept.append(mark)
            used |= lines
    return kept
