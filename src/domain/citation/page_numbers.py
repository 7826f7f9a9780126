"""Printed page numbers: which numbers in heads, feet and margins count the pages of a document.

A number counts the pages if it rises by one from page to page. ``number_pages`` finds the runs of
such numbers, ``page_labels`` joins them with the labels that the file declares.
"""

import re
from bisect import bisect_left, bisect_right, insort
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import partial
from itertools import pairwise
from typing import NamedTuple

from citeloom.domain.documents.conversion import LabelSource

from .locators import EN_DASH, to_roman, value_of_roman


class MarginRow(NamedTuple):
    """A row of text at an edge of a page. ``parts`` go from left to right, wider than a word space
    apart. ``order`` counts the rows from that edge, from 0; ``level`` is the distance of the
    baseline from it, in points."""

    page: int
    top: bool
    order: int
    level: float
    parts: tuple[str, ...]

    @property
    def key(self) -> tuple[int, int, bool]:
        return (self.page, self.order, self.top)


class PageNumbering(NamedTuple):
    """A way to count pages: page p of the file has the number ``step`` * p + ``offset``, after
    ``prefix``. ``style`` is 1, i or I; ``step`` is 2 where a page of the file shows two pages."""

    style: str
    prefix: str
    step: int
    offset: int

    def label(self, page: int) -> str:
        first = self.step * page + self.offset
        numbers = [self._written(first + more) for more in range(self.step)]
        return EN_DASH.join(numbers)

    def _written(self, number: int) -> str:
        if self.style == "1":
            return f"{'' if _ARTICLE.fullmatch(self.prefix) else self.prefix}{number}"
        return to_roman(number) if self.style == "i" else to_roman(number).upper()


class PageNumber(NamedTuple):
    """The label of a page, and the row that prints it: None for a page that prints no number,
    whose label is counted from the pages beside it."""

    label: str
    row: MarginRow | None


PageNumbers = Mapping[int, PageNumber]
PageLabels = dict[int, tuple[str, LabelSource]]


def page_labels(declared: Sequence[str] | None, numbers: PageNumbers, pages: int) -> PageLabels:
    """Label and its source by page (from 1); pages without a certain label are left out. Printed
    numbers come first. ``declared`` labels (ISO 32000-1, 12.4.2) apply to pages without a printed
    number, unless they only count the pages of the file, repeat one, or contradict a printed one.
    """
    labels: PageLabels = {}
    names = [label.strip() for label in declared or ()]
    repeated = len(set(filter(None, names))) < len([name for name in names if name])
    contrary = any(
        one.row and names[page - 1] != one.label
        for page, one in numbers.items()
        if page <= len(names)
    )
    if names != [str(page) for page in range(1, pages + 1)] and not repeated and not contrary:
        labels = {page: (name, LabelSource.PDF) for page, name in enumerate(names, 1) if name}
    for page, one in numbers.items():
        if one.row is not None or page not in labels:
            labels[page] = (one.label, LabelSource.PRINTED if one.row else LabelSource.COUNTED)
    return dict(sorted(labels.items()))


class _Reading(NamedTuple):
    """A number that may be that of a page, and how much speaks for it: 1 for a number alone."""

    style: str
    prefix: str
    value: int
    weight: float


_SURE, _ALONE, _BRACKETED, _AMONG_WORDS, _AMONG_NUMBERS = 1.5, 1.0, 0.5, 0.6, 0.3
_ODD_PLACE = 0.5  # of the weight: nowhere else is the numbering at this height
_SAME_LEVEL = 6.0  # points
_SAME_ROWS = 2  # on more pages the same words and digits are a date, a volume, a stamp
_FEW_PARTS = 3  # more are a line of text or of a table, or a head with its number at an end
# What a run of numbers must outweigh, and what a page costs it that prints none, or another one.
_CERTAIN, _CERTAIN_SHORT, _CERTAIN_OF_A_PAGE = 2.2, 1.2, 0.6
_SILENT, _CONTRARY = 0.1, 0.4

_PART = re.compile(
    r"\W*?(?P<term>(?:[Pp]ages?|PAGE|pag\.?|p\.|pg\.?|[Ss]eite|[Pp][áa]gina)[\s:]*)?(?P<open>[(\[]?)\W*?"
    r"(?P<prefix>(?:\d{5,8}|e\d{4,8})[-\u2010-\u2013]|\d{1,3}:|"
    r"[A-Z]{1,2}[-.\u2010-\u2013]?(?=\d))?"
    r"(?P<number>[1-9]\d{0,4}|[ivxlc]{1,7}|[IVXLC]{1,7})"
    r"(?P<of>\s*(?:of|/|von|de|sur)\s*\d{1,5})?[\W_]*",
)
_ARTICLE = re.compile(r"(?:\d{5,8}|e\d{4,8})\W")  # a number of the article before that of the page
_TOKEN = re.compile(r"(?<!\S)(?:\d{1,3}:)?\d{1,5}(?!\S)")
_DIGITS = re.compile(r"\d+|\b[ivxlc]{1,7}\b", re.IGNORECASE)
_BESIDE_LETTERS = re.compile(r"(?<!\d)\s|\s(?!\d)")
_LAST_NUMBER = re.compile(r"(?<!\d)[1-9]\d{0,4}\Z")
_WORDS = 12  # characters before a number, enough to know a row by
_ISSUE = re.compile(r"\b(?:vol|volume|no|number)\b\W*\d.*\b(?:1[89]|20)\d\d\b", re.IGNORECASE)
_MISREAD = re.compile(r"(?=.*\d)(?=.*[OolI])[1-9lI][\dOolI]{1,3}")  # 34O in the text of a scan
_LETTERS = str.maketrans("OolI", "0011")
_TERM = re.compile(r"\bpage\s+\d{1,5}\b(?:\s*(?:of|/)\s*\d{1,5})?", re.IGNORECASE)


def number_pages(
    rows: Sequence[MarginRow], pages: int, kin: Collection[int] = ()
) -> dict[int, PageNumber]:
    """The certain numbers of the pages (from 1). A page without a printed number gets one from its
    place between two pages of one run. So does the page before a run, if it is one of ``kin``: set
    in the type of the page after it, unlike a cover sheet."""
    found = _numberings(rows)
    path = _best_path(found, pages)
    numbers: dict[int, PageNumber] = {}
    first = 1
    for last in [*(p for p, q in pairwise(range(1, pages + 1)) if path[p] != path[q]), pages]:
        numbering = path[last] if pages else None
        if numbering is not None:
            run = [page for page in range(first, last + 1) if page in found[numbering]]
            begin = run[0] - _begins_before(run, found, numbering, numbers, kin)
            for page in range(begin, run[-1] + 1):
                row = found[numbering][page].row if page in found[numbering] else None
                numbers[page] = PageNumber(numbering.label(page), row)
        first = last + 1
    return numbers | _set_alike(rows, numbers)


def _set_alike(rows: Sequence[MarginRow], numbers: PageNumbers) -> dict[int, PageNumber]:
    """The numbers after the last one, where pages are missing between, or the number touches a
    word: in a row that is that of a numbered page but for the number."""
    last = max((page for page, one in numbers.items() if one.row), default=0)
    if not last or not numbers[last].label.isdecimal():
        return {}
    known = {
        _spaceless(one.row)[: -len(one.label)]
        for one in numbers.values()
        if one.row and _spaceless(one.row).endswith(one.label)
    }
    reached, found = (last, int(numbers[last].label)), {}
    for row in sorted(row for row in rows if row.page > last):
        text = _spaceless(row)
        number = _LAST_NUMBER.search(text)
        if number is None or row.page == reached[0] or text[: number.start()] not in known:
            continue
        value = int(number[0])
        if value - reached[1] >= row.page - reached[0] and number.start() >= _WORDS:
            found[row.page] = PageNumber(number[0], row)
            reached = row.page, value
    return found


def _spaceless(row: MarginRow) -> str:
    """The text of a row, with spaces between digits alone."""
    return _BESIDE_LETTERS.sub("", _text(row))


class _Match(NamedTuple):
    row: MarginRow
    weight: float


_Found = Mapping[PageNumbering, Mapping[int, _Match]]


def _begins_before(
    run: Sequence[int],
    found: _Found,
    numbering: PageNumbering,
    numbers: PageNumbers,
    kin: Collection[int],
) -> bool:
    """Whether the page before a run belongs to it: it is free, its number would be positive, and
    the first page of the run does not look like that of an article, its number elsewhere."""
    page = run[0] - 1
    if page < 1 or page in numbers or page not in kin or len(run) < 2:
        return False
    rows = [found[numbering][one].row for one in run[:3]]
    number = numbering.step * page + numbering.offset
    return number == 1 or (number > 1 and (page > 1 or rows[0].top == rows[1].top))


def _numberings(rows: Sequence[MarginRow]) -> _Found:
    """By numbering and page, the row that fits best. Numberings of one page alone are left out,
    unless the page names its number; so are rows of words that are the same on several pages,
    digits and all."""
    pages_of = partial(_pages_by, rows)
    repeated, same = pages_of(_pattern), pages_of(_text)
    found: dict[PageNumbering, dict[int, _Match]] = defaultdict(dict)
    for row in rows:
        if same[_text(row)] > _SAME_ROWS and not _PART.fullmatch(_text(row)):
            continue
        for numbering, weight in _readings(row, repeated[_pattern(row)] > 1):
            best = found[numbering].get(row.page)
            # Of "2. Transactions" at the top and "2" at the foot, the number by itself.
            if best is None or (best.weight, -len(best.row.parts)) < (weight, -len(row.parts)):
                found[numbering][row.page] = _Match(row, weight)
    _add_single_numbers(found)
    return {
        numbering: _by_place(matches)
        for numbering, matches in found.items()
        if len(matches) > 1 or any(one.weight >= _SURE for one in matches.values())
    }


def _pages_by(rows: Sequence[MarginRow], key: Callable[[MarginRow], str]) -> Counter[str]:
    """On how many pages there is a row with a key."""
    return Counter(text for text, _ in {(key(row), row.page) for row in rows})


def _by_place(matches: Mapping[int, _Match]) -> dict[int, _Match]:
    """The matches, those of less weight that are at no height of another page's."""
    levels: dict[bool, list[float]] = {True: [], False: []}
    for one in matches.values():
        insort(levels[one.row.top], one.row.level)
    weighed = {}
    for page, one in matches.items():
        beside, level = levels[one.row.top], one.row.level
        first = bisect_left(beside, level - _SAME_LEVEL)
        near = bisect_right(beside, level + _SAME_LEVEL, lo=first) - first
        weighed[page] = (
            one if near > 1 or len(matches) == 1 else one._replace(weight=_ODD_PLACE * one.weight)
        )
    return weighed


def _text(row: MarginRow) -> str:
    return " ".join(row.parts)


def _pattern(row: MarginRow) -> str:
    return _DIGITS.sub("#", _text(row))


def _readings(row: MarginRow, repeated: bool) -> Iterator[tuple[PageNumbering, float]]:
    """The numberings that a row fits, with weights."""
    named = _PART.fullmatch(_text(row))
    if named and named["term"]:  # "Page" and "2" are two parts of an OCR's row
        row = row._replace(parts=(_text(row),))
    ends = row.parts if len(row.parts) <= _FEW_PARTS else (row.parts[0], row.parts[-1])
    alone = [reading for part in ends for reading in _alone(part, repeated)]
    values = [one.value for one in alone if one.style == "1" and not one.prefix]
    if len(row.parts) > 1 and len(values) == 2 and values[1] == values[0] + 1:
        yield PageNumbering("1", "", 2, values[0] - 2 * row.page), _ALONE
        return
    for one in alone:
        crowded = len(values) > 1 and one.weight < _SURE
        weight = min(one.weight, _AMONG_NUMBERS) if crowded else one.weight
        if values == [one.value] and _ISSUE.search(_text(row).removesuffix(str(one.value))):
            weight = _SURE  # the foot of a journal's page
        yield PageNumbering(one.style, one.prefix, 1, one.value - row.page), weight
    for part in row.parts:
        if not repeated or _PART.fullmatch(part):
            continue
        for match in _TOKEN.finditer(part):
            prefix, _, number = match[0].rpartition(":")
            numbering = PageNumbering(
                "1", f"{prefix}:" if prefix else "", 1, int(number) - row.page
            )
            yield numbering, _AMONG_WORDS


def _alone(part: str, repeated: bool) -> Iterator[_Reading]:
    """The number that a part of a row is, or that it names as a page in words that repeat."""
    if _MISREAD.fullmatch(part):
        yield _Reading("1", "", int(part.translate(_LETTERS)), _AMONG_NUMBERS)
        return
    named = _TERM.search(part)
    match = _PART.fullmatch(named[0].lower() if named and repeated else part)
    if match is None:
        return
    written, prefix = match["number"], match["prefix"] or ""
    weight = _SURE if match["term"] or match["of"] else _BRACKETED if match["open"] else _ALONE
    if written.isdecimal():
        yield _Reading("1", prefix, int(written), weight)
    elif not prefix and (value := value_of_roman(written.lower())):
        style = "i" if written.islower() else "I"
        yield _Reading(style, "", value, min(weight, _AMONG_WORDS) if len(written) < 2 else weight)


def _add_single_numbers(found: Mapping[PageNumbering, dict[int, _Match]]) -> None:
    """To the numberings with two numbers on a page, the pages that print one of the two."""
    doubles = [numbering for numbering in found if numbering.step == 2]
    for double in doubles:
        for style, prefix, step, offset in list(found):
            if (style, prefix, step) != (double.style, double.prefix, 1):
                continue
            for page, match in found[PageNumbering(style, prefix, step, offset)].items():
                if page + offset - 2 * page - double.offset in (0, 1):
                    found[double].setdefault(page, match._replace(weight=_BRACKETED))


def _best_path(found: _Found, pages: int) -> dict[int, PageNumbering | None]:
    """The numbering of each page, or None, with the most evidence (Viterbi's algorithm: a run of
    pages must outweigh the cost of its start)."""
    cost = max(_CERTAIN_SHORT, min(_CERTAIN, _CERTAIN_OF_A_PAGE * pages))
    by_page: dict[int, dict[PageNumbering, float]] = defaultdict(dict)
    for numbering, matches in found.items():
        for page, match in matches.items():
            by_page[page][numbering] = match.weight
    scores: dict[PageNumbering | None, float] = {None: 0.0}
    steps: list[dict[PageNumbering | None, PageNumbering | None]] = []
    for page in range(1, pages + 1):
        gains = by_page[page]
        loss = _CONTRARY if any(gain >= _ALONE for gain in gains.values()) else _SILENT
        leader = max(scores, key=lambda one: scores[one])
        after: dict[PageNumbering | None, float] = {None: scores[leader]}
        origin: dict[PageNumbering | None, PageNumbering | None] = {None: leader}
        for numbering in dict.fromkeys([*filter(None, scores), *gains]):
            begun = scores[leader] - cost
            stayed = scores.get(numbering, begun)
            if stayed >= begun:
                origin[numbering] = numbering if numbering in scores else leader
                after[numbering] = stayed + gains.get(numbering, -loss)
            elif numbering in gains:
                origin[numbering] = leader
                after[numbering] = begun + gains[numbering]
        scores = after
        steps.append(origin)
    path: dict[int, PageNumbering | None] = {}
    state: PageNumbering | None = max(scores, key=lambda one: (scores[one], one is None))
    for page in range(pages, 0, -1):
        path[page] = state
        state = steps[page - 1][state]
    return path
