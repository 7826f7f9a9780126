"""Line numbers of manuscripts and preprints, which are not text.

They are outside the text, one above the other. Each number exceeds the one above by the number of
text lines between them, or they have an even pitch, as on a ruler. A column of a table or a list
may count too, but line numbers accompany running text, at the same places on most pages.
"""

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from statistics import median
from typing import NamedTuple

from citeloom.infrastructure.ingest.conversion.pdf.page_record import PageRecord, Word, overlap
from citeloom.infrastructure.ingest.conversion.pdf.words.characters import ASCENT, DESCENT

_LONGEST = 5  # digits
_ALIGNED = 1.5  # points by which numbers of a column may be off
_ROW = 0.3  # heights by which baselines of one row differ
_GAP = 1.5  # heights: a wider gap parts the columns of a row
_APART = 5  # numbers of a column that no words of its rows belong to
_SMALL = 0.75  # of the usual height: lower lines are scripts, which nobody counts
_MISSED = 3  # steps from a number to the next: some numbers cannot be read
# Shares. Of the pages with text, those that have numbers, and those that have them at one place;
# of the neighbours in a column, those with as many lines between them as they count, and those at
# the pitch of a ruler; of the lines beside a column, those of running text; of the rows, those
# that are in the way of the column.
_PAGES, _PLACE, _COUNTED, _EVEN, _RUNNING, _CROSSED = 0.5, 0.2, 0.6, 0.9, 0.35, 0.2
_PITCH = 0.06  # of the pitch: how far the numbers of a ruler are off
_RULER = 19  # pairs of neighbours on a ruler, at least
_FEWEST = 10  # lines that a document's numbers count
_FULL = 0.8  # of the widest line: the one before a line that goes on with it is seldom shorter
_WORDS = 3  # least number in a line of running text
_TEXT = 40  # words of a page with text
_LOOKED = 40  # characters of a reading in which the next word stands


class _Number(NamedTuple):
    value: int
    word: Word

    @property
    def base(self) -> float:
        return _base(self.word)


class _BaselineRow(NamedTuple):
    """Words on one baseline, in parts with wide gaps between them."""

    base: float
    parts: tuple[tuple[Word, ...], ...]


class _Column(NamedTuple):
    """A column of numbers on a page (counted from 1), with the evidence for line numbers: of
    ``pairs`` of neighbours, those that ``counted`` the lines between them or have an ``even``
    pitch; of the neighbouring ``lines``, those of ``running`` text."""

    page: int
    numbers: tuple[_Number, ...]
    pairs: int
    counted: int
    even: int
    lines: int
    running: int

    @property
    def x0(self) -> float:
        return min(number.word.x0 for number in self.numbers)

    @property
    def x1(self) -> float:
        return max(number.word.x1 for number in self.numbers)


class _Place(NamedTuple):
    """The line numbers' position in a document: between two x, in equal steps. Pages begin with one
    of ``firsts`` there."""

    x0: float
    x1: float
    step: int
    firsts: frozenset[int]

    def holds(self, word: Word) -> bool:
        return word.x0 >= self.x0 - _ALIGNED and word.x1 <= self.x1 + _ALIGNED


def without_line_numbers(records: Sequence[PageRecord]) -> list[PageRecord]:
    """The pages of a document without the numbers of its lines, and its readings without them."""
    texts = {record.page for record in records if len(record.words) >= _TEXT}
    columns = [column for record in records for column in _columns(record)]
    places = _places(columns, texts)
    if not places:
        return list(records)
    found: list[PageRecord] = []
    last: dict[_Place, int] = {}
    for record in records:
        numbers = {id(word) for place in places for word in _at(record, place, last)}
        found.append(_without(record, numbers) if numbers else record)
    return found


def _base(word: Word) -> float:
    return word.bottom - word.size * DESCENT / (ASCENT + DESCENT)


def _numbers(words: Iterable[Word]) -> list[_Number]:
    return [
        _Number(int(word.text), word)
        for word in words
        if len(word.text) <= _LONGEST and word.text.isdecimal()
    ]


def _columns(record: PageRecord) -> Iterator[_Column]:
    """The columns of rising numbers on a page, each number in one."""
    numbers = _numbers(record.words)
    if len(numbers) < 2:
        return
    chains = [chain for group in _aligned(numbers) if len(chain := _rising(group)) > 1]
    if not chains:
        return
    apart = {id(number.word) for chain in chains if len(chain) >= _APART for number in chain}
    rows = _rows(record.words, apart)
    taken: set[int] = set()
    for chain in sorted(chains, key=len, reverse=True):
        if taken.isdisjoint(id(number.word) for number in chain):
            column = _judged(record.page, chain, rows)
            if column is not None:
                taken |= {id(number.word) for number in chain}
                yield column


def _aligned(numbers: Sequence[_Number]) -> Iterator[list[_Number]]:
    """The numbers that begin, or end, at one x, from the top down."""
    for edge in (2, 0):
        group: list[_Number] = []
        for number in sorted(numbers, key=lambda one: one.word.box[edge]):
            if group and number.word.box[edge] - group[0].word.box[edge] > _ALIGNED:
                yield sorted(group, key=lambda one: one.base)
                group = []
            group.append(number)
        yield sorted(group, key=lambda one: one.base)


def _rising(numbers: Sequence[_Number]) -> list[_Number]:
    """The longest chain of numbers that rise by their usual step, or few of them. The first may be
    1, and the next the step."""
    rises = Counter(b.value - a.value for a, b in pairwise(numbers) if b.value > a.value)
    if not rises:
        return []
    step = max(rises, key=lambda rise: (rises[rise], -rise))
    best: list[tuple[int, int]] = []  # length of the chain that ends here, and the place before
    for at, number in enumerate(numbers):
        length, before = 1, -1
        for earlier in range(at):
            rise = number.value - numbers[earlier].value
            whole = rise % step == 0 and 0 < rise <= _MISSED * step
            opening = best[earlier][0] == 1 and numbers[earlier].value == 1 and 0 < rise < step
            if (whole or opening) and best[earlier][0] >= length:
                length, before = best[earlier][0] + 1, earlier
        best.append((length, before))
    at = max(range(len(best)), key=lambda i: best[i][0])
    chain: list[_Number] = []
    while at >= 0:
        chain.append(numbers[at])
        at = best[at][1]
    return chain[::-1]


def _rows(words: Iterable[Word], apart: set[int]) -> list[_BaselineRow]:
    """The rows of a page, from the top down. Words ``apart`` are parts by themselves."""
    rows: list[list[Word]] = []
    for word in sorted(words, key=_base):
        if rows and _base(word) - _base(rows[-1][-1]) <= _ROW * word.size:
            rows[-1].append(word)
        else:
            rows.append([word])
    return [_BaselineRow(median(map(_base, row)), tuple(_parts(row, apart))) for row in rows]


def _parts(row: Sequence[Word], apart: set[int]) -> Iterator[tuple[Word, ...]]:
    part: list[Word] = []
    for word in sorted(row, key=lambda one: one.x0):
        if part and (
            word.x0 - part[-1].x1 > _GAP * word.size
            or not apart.isdisjoint((id(word), id(part[-1])))
        ):
            yield tuple(part)
            part = []
        part.append(word)
    yield tuple(part)


def _judged(page: int, chain: Sequence[_Number], rows: Sequence[_BaselineRow]) -> _Column | None:
    """The column that a chain of numbers is, by the text on the side that it counts; None for
    numbers that stand in the text."""
    x0, x1 = min(n.word.x0 for n in chain), max(n.word.x1 for n in chain)
    own = {id(number.word) for number in chain}
    near = [
        row for row in rows if chain[0].base - _ALIGNED <= row.base <= chain[-1].base + _ALIGNED
    ]
    crossed = sum(
        any(overlap(x0, x1, word.x0, word.x1) > 0 and id(word) not in own for word in part)
        for row in near
        for part in row.parts
    )
    if crossed > _CROSSED * len(near):
        return None
    sides = (_beside(near, chain, x0, x1, right) for right in (True, False))
    return max(
        (_column(page, chain, lines) for lines in sides),
        key=lambda column: (column.counted, column.running),
    )


def _beside(
    rows: Sequence[_BaselineRow], chain: Sequence[_Number], x0: float, x1: float, right: bool
) -> list[tuple[Word, ...]]:
    """The lines next to a column of numbers on one side, from the top down, that share the width of
    the neighbouring text."""
    own = {id(number.word) for number in chain}
    lines: list[tuple[Word, ...]] = []
    numbered: list[tuple[Word, ...]] = []
    for row in rows:
        parts = [
            part
            for part in row.parts
            if not all(word.text.isdecimal() for word in part)
            and (part[0].x0 >= x1 - 1 if right else part[-1].x1 <= x0 + 1)
        ]
        if parts:
            line = parts[0] if right else parts[-1]
            lines.append(line)
            if any(id(word) in own for part in row.parts for word in part):
                numbered.append(line)
    numbered = numbered or lines
    if not lines:
        return []
    left, end = median(one[0].x0 for one in numbered), median(one[-1].x1 for one in numbered)
    size = median(_height(line) for line in numbered)
    return [
        line
        for line in lines
        if overlap(left, end, line[0].x0, line[-1].x1) > 0 and _height(line) >= _SMALL * size
    ]


def _height(line: Sequence[Word]) -> float:
    return max(word.size for word in line)


def _column(page: int, chain: Sequence[_Number], lines: Sequence[tuple[Word, ...]]) -> _Column:
    bases = sorted(median(map(_base, line)) for line in lines)
    counted = even = 0
    pitch = median((b.base - a.base) / (b.value - a.value) for a, b in pairwise(chain))
    widest = max((line[-1].x1 - line[0].x0 for line in lines), default=0.0)
    for above, below in pairwise(chain):
        slack = _ROW * above.word.size
        between = bisect_left(bases, below.base - slack) - bisect_left(bases, above.base + slack)
        level = any(abs(base - below.base) <= slack for base in bases)
        counted += level and between == below.value - above.value - 1
        rise = (below.base - above.base) / (below.value - above.value)
        even += abs(rise - pitch) <= _PITCH * pitch
    running = sum(_goes_on(above, line, widest) for above, line in pairwise(lines))
    return _Column(page, tuple(chain), len(chain) - 1, counted, even, len(lines), running)


def _goes_on(above: Sequence[Word], line: Sequence[Word], widest: float) -> bool:
    """Whether a line of running text goes on with the sentence of the full line above it."""
    first = next((word.text[0] for word in line if not word.text.isdecimal()), "")
    full = above[-1].x1 - above[0].x0 >= _FULL * widest
    return full and len(line) >= _WORDS and first.isalpha() and not first.isupper()


def _places(columns: Sequence[_Column], texts: set[int]) -> list[_Place]:
    """Where a document has line numbers; nowhere if it has none. ``texts`` are its pages with
    text."""
    groups: list[list[_Column]] = []
    right = 0.0
    for column in sorted(columns, key=lambda one: one.x0):
        if groups and column.x0 < right:
            groups[-1].append(column)
            right = max(right, column.x1)
        else:
            groups.append([column])
            right = column.x1
    sure = [group for group in groups if _are_line_numbers(group, len(texts))]
    covered = {column.page for group in sure for column in group}
    if not sure or len(covered & texts) < _PAGES * len(texts):
        return []
    return [_place(group) for group in sure]


def _are_line_numbers(group: Sequence[_Column], texts: int) -> bool:
    pairs = sum(column.pairs for column in group)
    long = max(column.pairs for column in group) >= _RULER
    ruled = long and sum(one.even for one in group) >= _EVEN * pairs
    last, first = (sum(one.numbers[at].value for one in group) for at in (-1, 0))
    return (
        len({column.page for column in group}) >= _PLACE * texts
        and last - first >= _FEWEST
        and (ruled or sum(one.counted for one in group) >= _COUNTED * pairs)
        and sum(one.running for one in group) >= _RUNNING * sum(one.lines for one in group)
    )


def _place(group: Sequence[_Column]) -> _Place:
    steps = Counter(b.value - a.value for one in group for a, b in pairwise(one.numbers))
    step = max(steps, key=lambda rise: (steps[rise], -rise))
    firsts = frozenset(one.numbers[0].value for one in group)
    return _Place(min(one.x0 for one in group), max(one.x1 for one in group), step, firsts)


def _at(record: PageRecord, place: _Place, last: dict[_Place, int]) -> Iterator[Word]:
    """The line numbers of a page at one place. A single one goes on from the page before, or
    begins a page as on another. ``last`` has the last number at each place so far, and is brought
    up to date."""
    numbers = sorted(
        _numbers(word for word in record.words if place.holds(word)), key=lambda one: one.base
    )
    chain = _rising(numbers) if len(numbers) > 1 else numbers
    chain = [number for number in chain if _counts_a_line(number, chain, record)]
    if not chain:
        return
    before = last.get(place)
    goes_on = before is not None and before < chain[0].value <= before + _MISSED * place.step
    begins = any(abs(chain[0].value - first) <= place.step for first in place.firsts)
    if len(chain) > 1 or goes_on or begins:
        last[place] = chain[-1].value
        yield from (number.word for number in chain)


def _counts_a_line(number: _Number, chain: Sequence[_Number], record: PageRecord) -> bool:
    """Whether there is text on the line of a number, or the number has the pitch of the others:
    page numbers have neither."""
    others = {id(one.word) for one in chain}
    slack = _ROW * number.word.size
    if any(
        abs(_base(word) - number.base) <= slack and id(word) not in others for word in record.words
    ):
        return True
    if len(chain) < _RULER:
        return False
    pitch = median((b.base - a.base) / (b.value - a.value) for a, b in pairwise(chain))
    rises = [(number.base - one.base, number.value - one.value) for one in chain]
    return sum(abs(rise - pitch * count) <= pitch / 2 for rise, count in rises) > len(chain) / 2


def _without(record: PageRecord, numbers: set[int]) -> PageRecord:
    words = sorted(record.words, key=lambda word: word.order)
    return record._replace(
        words=tuple(word for word in record.words if id(word) not in numbers),
        plain_text=_cut(record.plain_text, words, numbers),
        turned_text=_cut(record.turned_text, words, numbers),
    )


def _cut(text: str, words: Sequence[Word], numbers: set[int]) -> str:
    """A reading of a page without its line numbers, by the words in the order of the content."""
    kept: list[str] = []
    begin = at = 0
    for word in words:
        found = text.find(word.text, at, at + len(word.text) + _LOOKED)
        if found < 0:
            continue
        at = found + len(word.text)
        if id(word) in numbers:
            kept.append(text[begin:found])
            begin = at
    return "".join([*kept, text[begin:]])
