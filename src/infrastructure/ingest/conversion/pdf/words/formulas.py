"""Formulas on one line: fractions, roots, limits of operators and large brackets as one word each.

TeX and word processors write the parts of a fraction one after the other in the page's content,
centred on its bar, which is as wide as the wider part; the neighbours are level with the bar. A bar
without all of this is a rule of a table or underlines text. The notation is that of
``formats/formulas.py``: ``(a+b)/c``, ``√(1−x)``, ``∑_(i=1)^n``.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby, pairwise

from citeloom.domain.documents.spans import BBox, union
from citeloom.domain.text.scripts import lowered, raised
from citeloom.infrastructure.ingest.conversion.pdf.page_record import Word, overlap

from .characters import ASCENT, DESCENT, is_mathematical
from .page_words import AXIS, FUNCTIONS
from .pictured_signs import LEVEL, FormulaPart, joined, parts_of, with_brackets, with_overlays
from .scripts import bracketed, text_of
from .word_runs import SCRIPT_RATIO, TIGHT

_ROOT = "√"
_OPERATORS = frozenset("∑∏∐∫∮⋃⋂⋁⋀⨁⨂⨀⨄")
_NAMED = frozenset("lim max min sup inf limsup liminf argmax argmin arg Pr gcd det".split())
_MOST_BARS = 600  # a drawing or a table has as many, no page of formulas
# All in ems of the text. TeX has its bars at AXIS above the baseline, and parts of a fraction up to
# .3 from them; its scripts are raised by less than .5, limits by more than .7.
_CLEAR, _REACH = 0.55, 2.6
_OVER, _UNDER = 0.62, 0.5
_ASIDE, _OFF = 4.0, 0.75  # of a part of a limit, and of the middle of it all (twice)
_SLACK = 0.35  # of the width of a bar: the space around the wider part
_FAR = 2.0  # widest gap between a fraction and its neighbour
_SAME_ROW = 1.0
_AT_ROOT = 1.0  # points from the end of a root to its bar
_ROOTED = 4.0  # ems from the bar of a root to the lowest of what is in it
_BETWEEN = 16  # parts of a numerator between a root and what is under it
_RAISED, _LOWERED = -0.36, 0.15  # the usual shifts of scripts, down the page
_BEGINNING = frozenset("([{|‖⟨⌊⌈√") | _OPERATORS  # what is apart from an operator before it
_CLOSED_BY = {"(": ")", "[": "]", "|": "|"}
_BETWEEN_ROWS = "¦"
_DASHES = re.compile(r"-{2,}")
_IN_ROWS, _IN_CASES = 60, 150  # parts between two large brackets or before dashes, behind a brace
_OFF_AXIS = 0.35  # of the middle of cases from that of their brace
_BRACES = "⏞⏟"  # their rules are not overlines
_OVERLINE = "\u0305"
# Ems from the baseline to the line over a small, a tall, a raised, a lowered letter.
_LOW_LINE, _HIGH_LINE, _RAISED_LINE, _LOWERED_LINE = 0.42, 0.91, 1.05, 1.7
_ROW_APART, _CELL_GAP = 0.7, 0.6
_TALL = frozenset(")]}⟩|‖⌋⌉") | _OPERATORS


def linear_formulas(words: Sequence[Word], bars: Sequence[BBox]) -> tuple[list[Word], list[BBox]]:
    """The words in content order, those of a fraction, root or operator as one, and the boxes of
    these. ``bars`` are the level lines on the page, in the frame of the words."""
    parts = _with_dashes(with_brackets(with_overlays(parts_of(words))))
    parts = [*_with_rows(_with_limits(_with_bars(parts, bars)))]
    if any(_BETWEEN_ROWS in part.word.text for part in parts):
        parts = _with_bars(parts, bars, are_lined=True)
    parts = list(_with_near_scripts(parts))
    same = [part.word for part in parts] == list(words)
    if same and FUNCTIONS.isdisjoint(word.text for word in words):
        return list(words), []
    boxes = [part.extent for part in parts if part.last > part.word.order]
    return list(_renumbered(parts)), boxes


def _with_bars(
    parts: list[FormulaPart], bars: Sequence[BBox], are_lined: bool = False
) -> list[FormulaPart]:
    """The parts, those of roots, fractions and, unless ``are_lined`` already, under lines as
    one."""
    if len(bars) > _MOST_BARS:
        return parts
    has_roots = any(part.word.text[-1:] == _ROOT for part in parts)
    for bar in sorted(bars, key=lambda box: box[2] - box[0]):
        rooted = _with_root(parts, bar) if has_roots else None
        whole = rooted or _with_fraction(parts, bar, bars)
        parts = whole or (not are_lined and _with_overline(parts, bar)) or parts
    return parts


def _with_root(parts: Sequence[FormulaPart], bar: BBox) -> list[FormulaPart] | None:
    """The parts, those below ``bar`` in one with the root before it; None without a root. The
    numerator over a root may stand between the two in the content."""
    for at, part in enumerate(parts):
        if part.word.text[-1:] != _ROOT or abs(part.word.x1 - bar[0]) > _AT_ROOT:
            continue
        if overlap(part.extent[1], part.extent[3], bar[1], bar[3]) < -part.em:
            continue
        start = at + 1
        while start < min(len(parts), at + _BETWEEN) and not _is_under(parts[start], bar, part.em):
            start += 1
        end = start
        while end < len(parts) and _is_under(parts[end], bar, part.em):
            if _is_other_row(parts[end], parts[start]):
                break
            end += 1
        inner = parts[start:end]
        if start > at + 1 and all(_is_at(part, bar) for part in parts[at + 1 : start]):
            return None  # the bar of a fraction under the root
        if not inner or bar[2] - max(p.word.x1 for p in inner) > _CLEAR * part.em:
            return list(parts)
        main = max(inner, key=lambda p: p.word.size)
        between = parts[at + 1 : start]
        index = [one for one in between if _is_index(one, part)]
        ahead = not index and at > 0 and _is_index(parts[at - 1], part)
        index = [parts[at - 1]] if ahead else index
        between = [one for one in between if one not in index]
        text = raised(_text(index)) + part.word.text if index else part.word.text
        text += bracketed(_text(inner))
        whole = joined([*index, part, *inner], text, main.base, main.word.size)
        if between:
            whole = whole._replace(word=whole.word._replace(order=inner[0].word.order))
        return [*parts[: at - ahead], *between, whole, *parts[end:]]
    return None


def _is_index(part: FormulaPart, root: FormulaPart) -> bool:
    """Whether a part is the 3 of a third root: small, over the beginning of its sign."""
    return (
        root.word.text == _ROOT
        and part.word.size < SCRIPT_RATIO * root.word.size
        and part.word.x0 > root.word.x0 - _CLEAR * root.em
        and root.word.x0 + LEVEL * root.em < part.word.x1 < root.word.x1
        and part.word.bottom < root.word.bottom - LEVEL * root.em
    )


def _is_other_row(part: FormulaPart, first: FormulaPart) -> bool:
    """Whether a part is on another row than the first one under a root, and no limit there."""
    is_off = abs(part.base - first.base) > _SAME_ROW * first.em
    return is_off and part.word.size > SCRIPT_RATIO * first.word.size


def _is_under(part: FormulaPart, bar: BBox, em: float) -> bool:
    return (
        bar[0] - 1.0 <= part.word.x0
        and part.word.x1 <= bar[2] + 1.0
        and bar[1] < (part.extent[1] + part.extent[3]) / 2 < bar[1] + _ROOTED * em
    )


def _with_dashes(parts: Iterable[FormulaPart]) -> list[FormulaPart]:
    """The parts, fractions as one whose bar is a row of hyphens behind them in the content, as
    FrameMaker writes it."""
    done: list[FormulaPart] = []
    for part in parts:
        axis = part.base - AXIS * part.em
        bar = (part.word.x0, axis, part.word.x1, axis)
        is_bar = _DASHES.fullmatch(part.word.text)
        if is_bar and (whole := _with_fraction(done[-_IN_ROWS:], bar, (), part)):
            done[-_IN_ROWS:] = whole
        else:
            done.append(part)
    return done


def _with_fraction(
    parts: Sequence[FormulaPart],
    bar: BBox,
    bars: Sequence[BBox],
    neighbour: FormulaPart | None = None,
) -> list[FormulaPart] | None:
    """The parts, those over and under ``bar`` as one; None where it is not a fraction bar.
    ``neighbour`` is on the line of the fraction, if known."""
    near = [at for at, part in enumerate(parts) if _is_at(part, bar)]
    for _, group in groupby(enumerate(near), key=lambda pair: pair[1] - pair[0]):
        places = [at for _, at in group]
        start, end = places[0], places[-1] + 1
        middle = (bar[1] + bar[3]) / 2
        sides = [part.extent[1] + part.extent[3] > 2 * middle for part in parts[start:end]]
        cut = start + sides.count(False)
        if sides != sorted(sides) or cut in (start, end):
            continue
        start = cut - _row(parts[start:cut][::-1])
        end = cut + _row(parts[cut:end])
        over, under = parts[start:cut], parts[cut:end]
        if not _fits(over, under, bar):
            continue
        text = f"{bracketed(_text(over))}/{bracketed(_text(under))}"
        neighbour = neighbour or _neighbour(parts, start, end, bar)
        em = max(part.em for part in parts[start:end])
        if not _is_mathematics([*over, *under], neighbour):
            return None
        if neighbour is None and not any(_holds(outer, bar, em) for outer in bars):
            return None
        base = neighbour.base if neighbour else middle + AXIS * em
        size = neighbour.word.size if neighbour else em * (ASCENT + DESCENT)
        whole = joined(parts[start:end], text, base, size)
        return [*parts[:start], whole, *parts[end:]]
    return None


def _with_overline(parts: Sequence[FormulaPart], bar: BBox) -> list[FormulaPart] | None:
    """The parts, those of mathematics right below ``bar`` with a line over each letter; None where
    nothing has its width."""
    under = [at for at, part in enumerate(parts) if _is_overlined(part, bar)]
    if not under or under[-1] - under[0] + 1 != len(under):
        return None
    before, inner = parts[max(under[0] - 1, 0) : under[0]], parts[under[0] : under[-1] + 1]
    main = max(inner, key=lambda part: part.word.size)
    x0, x1 = min(part.word.x0 for part in inner), max(part.word.x1 for part in inner)
    slack = LEVEL * main.em + 1.0
    ends = slack + _SLACK * main.em * (inner[-1].word.text[-1] in ".,;:")
    if not any(is_mathematical(part.word.font) for part in inner):
        return None
    if (
        abs(x0 - bar[0]) > slack
        or not -slack < x1 - bar[2] < ends
        or (before and _is_at(before[0], bar))
    ):
        return None  # not as wide, or a fraction
    if any(part.word.text[0] in _BRACES and _is_at_height(part, bar) for part in parts):
        return None
    is_raised = any(part.base < main.base - LEVEL * main.em for part in inner)
    high = _RAISED_LINE if is_raised else _HIGH_LINE
    if not _LOW_LINE < (main.base - (bar[1] + bar[3]) / 2) / main.em < high:
        return None  # or the rule of an inference
    lined = [
        part._replace(word=part.word._replace(text=_overlined(part.word.text))) for part in inner
    ]
    return [*parts[: under[0]], *lined, *parts[under[-1] + 1 :]]


def _is_overlined(part: FormulaPart, bar: BBox) -> bool:
    middle, slack = (part.word.x0 + part.word.x1) / 2, LEVEL * part.em
    rise = (part.base - (bar[1] + bar[3]) / 2) / part.em
    return bar[0] - slack < middle < bar[2] + slack and _LOW_LINE < rise < _LOWERED_LINE


def _is_at_height(part: FormulaPart, bar: BBox) -> bool:
    return abs(part.base - bar[1]) < _REACH * part.em


def _overlined(text: str) -> str:
    return "".join(f"{char}{_OVERLINE}" if char.isalnum() else char for char in text)


def _is_mathematics(inner: Sequence[FormulaPart], neighbour: FormulaPart | None) -> bool:
    """Whether a fraction, or what is level with it, has a font of mathematics, a digit, a single
    letter or a sign: it is not words over words."""
    return any(
        is_mathematical(word.font) or any(map(str.isdigit, word.text)) or len(word.text) == 1
        for word in (part.word for part in inner)
    ) or (
        neighbour is not None
        and (is_mathematical(neighbour.word.font) or not neighbour.word.text.isalnum())
    )


def _holds(outer: BBox, bar: BBox, em: float) -> bool:
    """Whether a bar is within what is over or under another one, which is longer."""
    return (
        outer is not bar
        and outer[0] - LEVEL * em <= bar[0]
        and bar[2] <= outer[2] + LEVEL * em
        and outer[2] - outer[0] > bar[2] - bar[0] + LEVEL * em
        and _CLEAR * em < abs(outer[1] - bar[1]) < _REACH * em
    )


def _is_at(part: FormulaPart, bar: BBox) -> bool:
    if not (bar[0] - 1.5 <= part.word.x0 and part.word.x1 <= bar[2] + 1.5):
        return False
    _, top, _, bottom = part.extent
    return overlap(top, bottom, bar[1], bar[3]) > -_REACH * part.em


def _row(parts: Sequence[FormulaPart]) -> int:
    """How many parts are on the line of the first."""
    off = (abs(part.base - parts[0].base) > _SAME_ROW * parts[0].em for part in parts)
    return next((at for at, is_off in enumerate(off) if is_off), len(parts))


def _fits(over: Sequence[FormulaPart], under: Sequence[FormulaPart], bar: BBox) -> bool:
    """Whether both parts are close to the bar, centred on it and without wide gaps, and the wider
    one is as wide as it."""
    widest = 0.0
    for side in (over, under):
        em = max(part.em for part in side)
        x0, top, x1, bottom = union([part.extent for part in side])
        away = bar[1] - bottom if side is over else top - bar[3]
        if not -_CLEAR * em < away < _CLEAR * em:
            return False
        if any(after.word.x0 - before.word.x1 > em for before, after in pairwise(side)):
            return False  # cells of a table
        if abs(x0 + x1 - bar[0] - bar[2]) > 2 * LEVEL * em + 1.0:
            return False
        widest = max(widest, x1 - x0)
    return abs(bar[2] - bar[0] - widest) <= _SLACK * max(part.em for part in over) + 1.0


def _neighbour(parts: Sequence[FormulaPart], start: int, end: int, bar: BBox) -> FormulaPart | None:
    """The part before or behind a fraction, if the bar is on its axis."""
    beside = [
        (bar[0] - parts[at].word.x1 if at < start else parts[at].word.x0 - bar[2], parts[at])
        for at in (start - 1, end)
        if 0 <= at < len(parts)
    ]
    for gap, part in beside:
        axis = part.base - AXIS * part.em
        if -LEVEL * part.em < gap < _FAR * part.em and (
            abs((bar[1] + bar[3]) / 2 - axis) < LEVEL * part.em
        ):
            return part
    return None


def _with_limits(parts: Sequence[FormulaPart]) -> list[FormulaPart]:
    """Operators joined with their limits above and below."""
    done: list[FormulaPart] = []
    at = 0
    while at < len(parts):
        part = parts[at]
        end = at + 1
        if part.word.text in _OPERATORS or part.word.text in _NAMED:
            first = len(done)
            while first and _limit(done[first - 1], part):
                first -= 1
            while end < len(parts) and _limit(parts[end], part):
                end += 1
            limits = [*done[first:], *parts[at + 1 : end]]
            over = [limit for limit in limits if _limit(limit, part) > 0]
            under = [limit for limit in limits if _limit(limit, part) < 0]
            if limits and all(_is_centred(side, part) for side in (over, under)):
                text = part.word.text + (lowered(_text(under)) if under else "")
                text += raised(_text(over)) if over else ""
                del done[first:]
                part = joined([part, *limits], text, part.base, part.word.size)
            else:
                end = at + 1
        done.append(part)
        at = end
    return done


def _with_rows(parts: Sequence[FormulaPart]) -> Iterator[FormulaPart]:
    """Large brackets in one with the rows between them, or the cases behind them: ``(n¦k)``,
    ``(1 0¦0 1)``, ``{0 if x¦1 otherwise``."""
    at = 0
    while at < len(parts):
        bracket = parts[at].word.text
        close = _closing(parts, at) if bracket in _CLOSED_BY else None
        is_brace = bracket == "{" and is_mathematical(parts[at].word.font)
        inner = parts[at + 1 : at + _IN_CASES if is_brace else close or 0]
        rows = _rows(inner, parts[at], is_brace) if inner else []
        if len(rows) < 2:
            yield parts[at]
            at += 1
            continue
        end = at + 1 + sum(map(len, rows)) + (close is not None)
        text = _BETWEEN_ROWS.join(" ".join(map(_text, _cells(row))) for row in rows)
        size = max(part.word.size for row in rows for part in row)
        text = f"{bracket}{text}{_CLOSED_BY.get(bracket, '')}"
        yield joined(parts[at:end], text, parts[at].base, size)
        at = end


def _closing(parts: Sequence[FormulaPart], at: int) -> int | None:
    """The place of the bracket that closes the large one ``at``, on its line."""
    first = parts[at]
    if not is_mathematical(first.word.font):
        return None
    for k in range(at + 1, min(len(parts), at + _IN_ROWS)):
        part = parts[k]
        if part.word.text == _CLOSED_BY[first.word.text] and part.word.font == first.word.font:
            is_level = abs(part.base - first.base) < LEVEL * first.em
            return k if is_level and part.word.x0 > first.word.x1 else None
    return None


def _rows(
    inner: Sequence[FormulaPart], bracket: FormulaPart, are_cases: bool
) -> list[Sequence[FormulaPart]]:
    """The rows between large brackets, from the top, or the first ones behind a brace, which begin
    below each other and have it in the middle; none where the first is on its line."""
    first, above, end = inner[0], inner[0], len(inner)
    size = first.word.size if are_cases else max(part.word.size for part in inner)
    em = size / (ASCENT + DESCENT)
    starts = [0]
    for at, part in enumerate(inner):
        down = part.base - above.base
        is_level = -_CLEAR * em < down < _ROW_APART * em
        if part.word.size <= SCRIPT_RATIO * size or is_level:
            continue
        left = first.word.x0 + _CELL_GAP * em if are_cases else inner[at - 1].word.x1
        if not 0 < down < _REACH * em or part.word.x0 > left:
            end = at  # the number of the formula, or text below it
            break
        starts.append(at)
        above = part
    if not first.base + LEVEL * em < bracket.base < above.base - LEVEL * em:
        return []
    if end < len(inner) and not are_cases:
        return []
    bounds = [*starts, end]
    for last in range(len(starts), 1, -1):
        middle = (first.base + inner[starts[last - 1]].base) / 2
        if not are_cases or abs(middle - bracket.base) < _OFF_AXIS * em:
            return [inner[a:b] for a, b in pairwise(bounds[: last + 1])]
    return []


def _cells(row: Sequence[FormulaPart]) -> Iterator[Sequence[FormulaPart]]:
    """The parts of a row between wide gaps."""
    start = 0
    for at in range(1, len(row)):
        if row[at].word.x0 - row[at - 1].word.x1 > _CELL_GAP * row[at].em:
            yield row[start:at]
            start = at
    yield row[start:]


def _limit(part: FormulaPart, operator: FormulaPart) -> int:
    """1 for a limit above an operator, -1 for one below it, 0 for other text."""
    rise = (operator.base - part.base) / operator.em
    is_near = (
        abs(rise) < _REACH
        and part.word.size < SCRIPT_RATIO * operator.word.size
        and overlap(part.word.x0, part.word.x1, operator.word.x0, operator.word.x1)
        > -_ASIDE * operator.em
    )
    return is_near * ((rise > _OVER) - (rise < -_UNDER))


def _is_centred(side: Sequence[FormulaPart], operator: FormulaPart) -> bool:
    if not side:
        return True
    x0, x1 = min(part.word.x0 for part in side), max(part.word.x1 for part in side)
    return abs(x0 + x1 - operator.word.x0 - operator.word.x1) < _OFF * operator.em


def _with_near_scripts(parts: Sequence[FormulaPart]) -> Iterator[FormulaPart]:
    """Scripts of operators, fractions and large brackets as near to the line as those of a
    letter."""
    head: FormulaPart | None = None
    reach = 0.0
    for part in parts:
        word = part.word
        if head is None or not _is_script(part, head, reach):
            is_large = part.last > word.order or word.text[-1] in _TALL
            head = part if is_large else None
            reach = word.x1
            yield part
            continue
        reach = max(reach, word.x1)
        rise = (head.base - part.base) / head.em
        if rise > _OVER or rise < -_UNDER:
            shift = _RAISED if rise > 0 else _LOWERED
            down = head.base + shift * head.em - part.base
            word = word._replace(top=word.top + down, bottom=word.bottom + down)
        yield part._replace(word=word)


def _is_script(part: FormulaPart, head: FormulaPart, reach: float) -> bool:
    """Whether a part is smaller than ``head``, and begins between its end and ``reach``, that of
    its scripts."""
    rise = abs(head.base - part.base) / head.em
    return (
        part.word.size < SCRIPT_RATIO * head.word.size
        and head.word.x1 - _CLEAR * head.em < part.word.x0 < reach + _SLACK * head.em
        and LEVEL / 2 < rise < _REACH
    )


def _text(parts: Sequence[FormulaPart]) -> str:
    whole = _with_near_scripts([*_with_rows(_with_limits(parts))])
    return text_of([part.word for part in whole])


def _is_bracket(word: Word) -> bool:
    return word.text in "()[]{}√" and is_mathematical(word.font)


def _are_words(before: FormulaPart, part: FormulaPart) -> bool:
    """Whether two parts are of one size, on one line, and meet with letters or digits."""
    sizes = sorted([before.word.size, part.word.size])
    is_level = abs(before.base - part.base) < LEVEL * part.em
    meet = before.word.text[-1] + part.word.text[0]
    return is_level and sizes[0] > SCRIPT_RATIO * sizes[1] and meet.isalnum()


def _renumbered(parts: Sequence[FormulaPart]) -> Iterator[Word]:
    """The words with their places counted again, and the space before what was joined by its
    gap."""
    before: FormulaPart | None = None
    order = 0
    for part in parts:
        word = part.word
        spaced = word.spaced
        if before is not None:
            order += max(1, word.order - before.last)
            gap = word.x0 - before.word.x1
            is_joined = any(p.last > p.word.order or _is_bracket(p.word) for p in (before, part))
            if FUNCTIONS & {word.text, before.word.text} and _are_words(before, part):
                spaced |= gap > TIGHT * word.size
            if is_joined and -word.size < gap < _FAR * word.size:
                spaced = gap > TIGHT * min(word.size, before.word.size)
            if before.word.text[0] in _OPERATORS and word.size > SCRIPT_RATIO * before.word.size:
                spaced = word.text[0].isalnum() or word.text[0] in _BEGINNING
        else:
            order = word.order
        yield word._replace(order=order, spaced=spaced)
        before = part
