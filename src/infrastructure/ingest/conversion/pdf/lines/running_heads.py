"""Running heads and feet, page numbers: text repeated at the edges of pages."""

import re
from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from collections.abc import Collection, Sequence
from itertools import accumulate
from math import inf
from statistics import median
from typing import NamedTuple

from .lines import TextLine
from .vocabulary import numbering_of

ZONE = 0.14  # share of the page's height, at top and bottom, that may hold furniture
NUMBERS = 0.2  # the same for a page number by itself, or a repeated head, above all else
SET_OFF = 0.7  # least white space between furniture and text, in cell heights
SET_OFF_NUMBERED = 0.4  # the same below a head that begins or ends with a number
TITLE = 1.3  # times the size of running heads: larger is the title that they repeat
DEPTH = 4  # rows from the edge that are examined
LEVEL = 1.5  # points by which rows at one height may differ
LONGEST = 16  # words of a running head
_ROMAN = re.compile(r"^[ivxlc]{1,7}$", re.I)
_NUMBER_ONLY = re.compile(
    r"^(?:page\s*)?[-\u2013\u2014\s|\[(]*(\d{1,5}|[ivxlc]{1,7})[-\u2013\u2014\s|\])]*"
    r"(?:(?:of|/)\s*\d{1,5})?$",
    re.I,
)
_NUMBER_AT_END = re.compile(r"^\d{1,5}\s|\s\d{1,5}$")


class EdgeRow(NamedTuple):
    """A row near the top or bottom edge of a page. ``order`` counts from 0 at the edge; ``gap``
    is the white space to the next row inwards, in points; ``inner`` rows are numbers and heads
    farther in than other furniture."""

    page: int
    line: TextLine
    top: bool
    order: int
    gap: float
    inner: bool = False


def edge_rows(rows: Sequence[TextLine], page: int, height: float) -> list[EdgeRow]:
    """The outermost rows of a page. ``rows`` go from the top down."""
    edges = []
    heads = [r for r in rows if r.bottom < ZONE * height][:DEPTH]
    low = not heads and bool(rows) and rows[0].bottom < NUMBERS * height
    heads = [rows[0]] if low else heads
    feet = [r for r in reversed(rows) if r.top > (1 - ZONE) * height][:DEPTH]
    inner = not feet and bool(rows) and _is_number(rows[-1], (1 - NUMBERS) * height)
    feet = [rows[-1]] if inner else feet
    for order, row in enumerate(heads):
        after = rows[order + 1] if order + 1 < len(rows) else None
        gap = after.top - row.bottom if after else 99.0
        edges.append(EdgeRow(page, row, True, order, gap, low))
    for order, row in enumerate(feet):
        at = len(rows) - order - 2
        gap = row.top - rows[at].bottom if at >= 0 else 99.0
        edges.append(EdgeRow(page, row, False, order, gap, inner))
    return edges


def _is_number(row: TextLine, lowest: float) -> bool:
    return row.top > lowest and _NUMBER_ONLY.match(row.text) is not None


def furniture_rows(
    edges: Sequence[EdgeRow],
    pages: int,
    body: float,
    numbered: Collection[tuple[int, int, bool]] = (),
) -> set[tuple[int, int, bool]]:
    """Which rows are furniture, as (page, order, top). ``body`` is the usual cell height;
    ``numbered`` rows print the number of their page."""
    marked = {_row_key(e) for e in edges if _row_key(e) in numbered}
    repeated = _repeated_text(edges, pages)
    marked |= repeated | _apart_at_one_height(edges, pages)
    marked |= {
        _row_key(e)
        for e in edges
        if not e.inner
        and e.order == 0
        and _NUMBER_ONLY.match(e.line.text)
        and e.gap > 0.9 * e.line.size
    }
    marked |= _above_all_text(edges, body)
    marked |= _at_furniture_height(edges, _contiguous_from_edge(marked, edges, body))
    with_number = {
        e.line
        for e in edges
        if _row_key(e) in numbered
        or (_row_key(e) in repeated and _NUMBER_AT_END.search(e.line.text))
    }
    return _contiguous_from_edge(marked, edges, body, with_number)


def _contiguous_from_edge(
    marked: set[tuple[int, int, bool]],
    edges: Sequence[EdgeRow],
    body: float,
    numbered: Collection[TextLine] = (),
) -> set[tuple[int, int, bool]]:
    """The marked rows with only furniture between them and the edge of the page, and white
    space between them and the text. Rows with the number of the page may be close to it, the number
    alone in its row as close as can be.

    Repeated words farther in belong to the text; short rows with digits at the very edge
    belong to the furniture below them.
    """
    contiguous: set[tuple[int, int, bool]] = set()
    sides: dict[tuple[int, bool], list[EdgeRow]] = defaultdict(list)
    for edge in sorted(edges, key=lambda e: (e.page, e.top, e.order)):
        sides[edge.page, edge.top].append(edge)
    for side in sides.values():
        chain: list[EdgeRow] = []
        for edge in side:
            inner = (edge.page, edge.order + 1, edge.top) in marked
            slight = edge.order == 0 and inner and len(edge.line.text) <= 24
            counts = slight and any(c.isdigit() for c in edge.line.text)
            ends = bool(chain) and _ends_block(edge, chain[-1], body)
            if not (_row_key(edge) in marked or counts or ends):
                break
            chain.append(edge)
        while chain and chain[-1].gap < _least_gap(chain[-1].line, numbered):
            chain.pop()
        contiguous |= {_row_key(edge) for edge in chain}
    return contiguous


def _least_gap(line: TextLine, numbered: Collection[TextLine]) -> float:
    """The least white space between a row of furniture and the text, in points."""
    if line not in numbered:
        return SET_OFF * line.size
    return -inf if _NUMBER_ONLY.match(line.text) else SET_OFF_NUMBERED * line.size


def _ends_block(edge: EdgeRow, outer: EdgeRow, body: float) -> bool:
    """Whether a row of small type ends a block of furniture before the text."""
    small = edge.line.size < 0.95 * body
    alike = abs(edge.line.size - outer.line.size) <= 0.06 * outer.line.size
    close = outer.gap < SET_OFF * outer.line.size
    return small and alike and close and edge.gap > 1.2 * edge.line.size


def _row_key(edge: EdgeRow) -> tuple[int, int, bool]:
    return (edge.page, edge.order, edge.top)


def _pattern(text: str) -> str:
    words = ["#" if _ROMAN.match(word) else word for word in text.lower().split()]
    pattern = re.sub(r"[\d#]+", "#", " ".join(words))
    return pattern.strip("# ") or pattern


def _repeated_text(edges: Sequence[EdgeRow], pages: int) -> set[tuple[int, int, bool]]:
    """Rows with the same words at the same height on several pages, whatever their digits, on
    either side of the words."""
    groups: dict[tuple[str, bool], list[EdgeRow]] = defaultdict(list)
    for edge in edges:
        groups[_pattern(edge.line.text), edge.top].append(edge)
    needed = 2 if pages <= 8 else 3
    marked: set[tuple[int, int, bool]] = set()
    for group in groups.values():
        if len({e.page for e in group}) < needed:
            continue
        bases = sorted(e.line.base for e in group)
        usual = median(e.line.size for e in group)
        for edge in group:
            if edge.line.size > TITLE * usual:
                continue
            level = len(_range_near(bases, edge.line.base, 4.0))
            if level >= needed or (level >= 1 and len(group) >= 2 * needed):
                marked.add(_row_key(edge))
    return marked


def _range_near(values: Sequence[float], value: float, reach: float) -> range:
    """Indices of the sorted ``values`` within ``reach`` of ``value``."""
    first = bisect_left(values, -reach, key=lambda v: v - value)
    return range(first, bisect_right(values, reach, lo=first, key=lambda v: v - value))


def _apart_at_one_height(edges: Sequence[EdgeRow], pages: int) -> set[tuple[int, int, bool]]:
    """Heads that change from page to page, at one height and well apart from the text."""
    marked: set[tuple[int, int, bool]] = set()
    if pages < 5:
        return marked
    for top in (True, False):
        rows = [e for e in edges if e.top == top and e.order == 0 and not (top and e.inner)]
        heights = Counter(round(e.line.base) for e in rows)
        for height, _ in heights.most_common(2):
            level = [e for e in rows if abs(e.line.base - height) <= 1.5]
            apart = [e for e in level if e.gap > 1.2 * e.line.size]
            if len(level) >= max(3, 0.3 * pages) and len(apart) >= 0.85 * len(level):
                marked |= {_row_key(e) for e in apart}
    return marked


def _above_all_text(edges: Sequence[EdgeRow], body: float) -> set[tuple[int, int, bool]]:
    """Heads that differ on odd and even pages of a short document: at one height, small, apart
    from the text, and above the text of every page."""
    rows = [e for e in edges if e.top and e.order == 0 and not e.inner]
    rows.sort(key=lambda e: e.line.base)
    bases = [e.line.base for e in rows]
    like_heads = [0, *accumulate(_is_like_head(e, body) for e in rows)]
    above = [inf, *accumulate((e.line.top for e in rows), min)]
    below = [inf, *accumulate((e.line.top for e in reversed(rows)), min)][::-1]
    marked: set[tuple[int, int, bool]] = set()
    for row in rows:
        level = _range_near(bases, row.line.base, LEVEL)
        highest = min(above[level.start], below[level.stop])
        all_like_heads = like_heads[level.stop] - like_heads[level.start] == len(level)
        if len(level) >= 2 and all_like_heads and highest >= row.line.bottom + 0.5 * row.line.size:
            marked.add(_row_key(row))
    return marked


def _is_like_head(edge: EdgeRow, body: float) -> bool:
    line = edge.line
    return (
        edge.gap > 0.9 * line.size
        and line.size <= 1.02 * body
        and not line.bold
        and len(line.text.split()) <= LONGEST
        and numbering_of(line.text) is None
    )


def _at_furniture_height(
    edges: Sequence[EdgeRow], marked: set[tuple[int, int, bool]]
) -> set[tuple[int, int, bool]]:
    """Outermost rows at the height, and in the size, of furniture on another page."""
    furniture = sorted(
        {
            (e.line.base, e.line.size)
            for e in edges
            if _row_key(e) in marked and not _NUMBER_ONLY.match(e.line.text)
        }
    )
    bases = [base for base, _ in furniture]
    return {
        _row_key(e)
        for e in edges
        if e.order == 0
        and e.gap > SET_OFF * e.line.size
        and len(e.line.text.split()) <= LONGEST
        and any(
            abs(furniture[i][1] - e.line.size) <= 0.06 * furniture[i][1]
            for i in _range_near(bases, e.line.base, LEVEL)
        )
    }
