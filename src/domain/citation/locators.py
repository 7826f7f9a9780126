"""Page locators: parsing (``pp. 3-5``, ``iv``), formatting, and the page range formats of CSL."""

import re
from collections.abc import Sequence
from enum import StrEnum

from citeloom.domain.documents.conversion import ConversionResult
from citeloom.domain.text.characters import whole_number
from citeloom.domain.value import Value

EN_DASH = "–"
_PAGE = r"(?P<{0}>(?P<{0}_prefix>[A-Za-z]*)(?P<{0}_number>\d{{1,18}}))"
_CSL_RANGE = re.compile(
    r"\s*" + _PAGE.format("first") + r"\s*(?:-{1,3}|[\u2010-\u2015\u2212])\s*"
    + _PAGE.format("last") + r"\s*"
)  # fmt: skip
_DASH = re.compile(r"(?<=\w)\s*(?:-{1,3}|[\u2010-\u2015\u2212])\s*(?=\w)")
_ROMANS = re.compile(r"m{0,4}(?:cm|cd|d?c{0,3})(?:xc|xl|l?x{0,3})(?:ix|iv|v?i{0,3})", re.IGNORECASE)


class RangeFormat(StrEnum):
    """CSL 1.0.2, "page-range-format". ``AS_IT_IS`` keeps the digits as written."""

    EXPANDED = "expanded"
    MINIMAL = "minimal"
    MINIMAL_TWO = "minimal-two"
    CHICAGO = "chicago"
    CHICAGO_15 = "chicago-15"
    CHICAGO_16 = "chicago-16"
    AS_IT_IS = ""


def page_range(text: str, style: RangeFormat, delimiter: str = EN_DASH) -> str:
    """``text`` with the last page of each range shortened by ``style``.

    Parts between commas, semicolons and ampersands are separate ranges. Numbers may have a prefix
    on both ends (``S12-S15``, ``e101-e108``), or on the first only if the last is shorter. Roman
    ranges get the dash unshortened; other text is unchanged.
    """
    pieces = re.split(r"(\s*[,;&]\s*)", text)
    return "".join(
        piece if at % 2 else _shorten_range(piece, style, delimiter)
        for at, piece in enumerate(pieces)
    )


def between(first: str, last: str, style: RangeFormat, delimiter: str = EN_DASH) -> str:
    """The range of two page labels: ``127``, ``130`` gives ``127–30`` in the minimal style.
    Labels of different numberings (``xii`` and ``3``) are not shortened."""
    if first == last:
        return first
    match = _CSL_RANGE.fullmatch(f"{first}-{last}")
    if match is None or match["first_prefix"] != match["last_prefix"]:
        return f"{first}{delimiter}{last}"
    return _shortened(match["first_prefix"], match["first_number"], last, style, delimiter)


def _shorten_range(piece: str, style: RangeFormat, delimiter: str) -> str:
    match = _CSL_RANGE.fullmatch(piece)
    if match is None:
        ends = _DASH.split(piece.strip())
        if len(ends) == 2 and all(end.isdigit() or _ROMANS.fullmatch(end) for end in ends if end):
            return f"{ends[0]}{delimiter}{ends[1]}"
        return piece
    prefix, number, last = match["first_prefix"], match["first_number"], match["last_number"]
    if match["last_prefix"] not in (prefix, "") or (prefix and not match["last_prefix"]):
        return piece
    whole = number[: max(0, len(number) - len(last))] + last
    if style is RangeFormat.AS_IT_IS or int(whole) <= int(number):
        return f"{prefix}{number}{delimiter}{match['last'].strip()}"
    return _shortened(prefix, number, f"{prefix}{whole}", style, delimiter)


def _shortened(prefix: str, number: str, last: str, style: RangeFormat, delimiter: str) -> str:
    """``last`` has all its digits and the prefix."""
    digits = last.removeprefix(prefix)
    if len(digits) != len(number) or int(digits) <= int(number):
        keep = len(digits)
    else:
        common = next((n for n, (a, b) in enumerate(zip(number, digits, strict=True)) if a != b), 0)
        keep = _digits_written(style, number, len(digits), len(digits) - common)
    in_full = style in (RangeFormat.EXPANDED, RangeFormat.AS_IT_IS)
    shown = last if in_full else digits[-keep:]
    return f"{prefix}{number}{delimiter}{shown}"


def _digits_written(style: RangeFormat, number: str, length: int, changed: int) -> int:
    """Number of digits of the last page to write, at least ``changed``."""
    if style in (RangeFormat.EXPANDED, RangeFormat.AS_IT_IS):
        return length
    if style is RangeFormat.MINIMAL:
        return changed
    if style is RangeFormat.MINIMAL_TWO:
        return max(changed, 2)
    value = int(number)
    if value < 100 or value % 100 == 0:
        return length
    if style in (RangeFormat.CHICAGO, RangeFormat.CHICAGO_15) and length == 4 and changed >= 3:
        return length
    return changed if 0 < value % 100 < 10 else max(changed, 2)


_COUNTED = re.compile(r"(.*?)(\d{1,9})")
_ROMAN = re.compile(r"m{0,4}(?:cm|cd|d?c{0,3})(?:xc|xl|l?x{0,3})(?:ix|iv|v?i{0,3})")
_LONGEST = 1000
_VALUES = {"i": 1, "v": 5, "x": 10, "l": 50, "c": 100, "d": 500, "m": 1000}


def page_ranges(labels: Sequence[str], dash: str = EN_DASH) -> str:
    """``xii–xiii, 1–3`` for the labels of consecutive pages, in their order.

    A range is a run of labels that count up in one numbering: numbers with the same prefix, or
    Roman numbers. Other labels stand alone; repeated ones are given once.
    """
    ranges: list[tuple[str, str]] = []
    for label in dict.fromkeys(labels):
        if ranges and _follows(ranges[-1][1], label):
            ranges[-1] = (ranges[-1][0], label)
        else:
            ranges.append((label, label))
    return ", ".join(between(first, last, RangeFormat.EXPANDED, dash) for first, last in ranges)


def _follows(label: str, following: str) -> bool:
    one, other = _numbering(label), _numbering(following)
    return one is not None and other is not None and one[0] == other[0] and other[1] == one[1] + 1


def _numbering(label: str) -> tuple[str, int] | None:
    """The numbering of a label and its number; None if it has none."""
    if match := _COUNTED.fullmatch(label):
        return match[1], int(match[2])
    for kind, text in (("lower", label), ("upper", label.lower() if label.isupper() else "")):
        if text and _ROMAN.fullmatch(text):
            return f"roman {kind}", value_of_roman(text)
    return None


def value_of_roman(text: str) -> int:
    """The value of a Roman number in small letters; 0 for another text."""
    if not _ROMAN.fullmatch(text):
        return 0
    values = [_VALUES[letter] for letter in text]
    following = [*values[1:], 0]
    return sum(-v if v < after else v for v, after in zip(values, following, strict=True))


def labels_outside(labels: Sequence[str], known: Sequence[str]) -> list[str]:
    """The ``labels`` that are neither ``known`` nor between two known ones in one numbering; none
    if no label is known."""
    known = [*known, *(label.rpartition(":")[2] for label in known if ":" in label)]
    spans: dict[str, list[int]] = {}
    for label in known:
        if numbering := _numbering(label):
            spans.setdefault(numbering[0], []).append(numbering[1])
    outside = []
    for label in labels if known else ():
        numbering = _numbering(label)
        numbers = spans.get(numbering[0], []) if numbering else []
        within = numbering and numbers and min(numbers) <= numbering[1] <= max(numbers)
        if label not in known and not within:
            outside.append(label)
    return outside


def is_one_page(labels: Sequence[str]) -> bool:
    return len(set(labels)) == 1


def is_plain(labels: Sequence[str]) -> bool:
    """Whether all labels are Arabic or Roman numbers."""
    return all(_is_plain(label) for label in labels)


def _is_plain(label: str) -> bool:
    return bool(re.fullmatch(r"\d+", label)) or bool(label and _ROMAN.fullmatch(label.lower()))


def labels_in(text: str) -> tuple[str, ...]:
    """The labels of ``xii-xiv, 3`` with ranges expanded.

    A range that cannot be expanded (or has over 1,000 pages) gives its two ends.
    """
    labels: list[str] = []
    for piece in text.replace(";", ",").split(","):
        ends = [end.strip() for end in re.split(r"\s*(?:-{1,3}|[\u2010-\u2015])\s*", piece.strip())]
        if len(ends) != 2 or not all(ends):
            labels += [piece.strip()] if piece.strip() else []
            continue
        labels += ["-".join(ends)] if _is_one_label(*ends) else _expanded_range(*ends)
    return tuple(labels)


def _expanded_range(first: str, last: str) -> list[str]:
    one, other = _COUNTED.fullmatch(first), _COUNTED.fullmatch(last)
    if one and other and other[1] in ("", one[1]):
        number, end = one[2], other[2]
        end = number[: max(0, len(number) - len(end))] + end
        if int(number) <= int(end) <= int(number) + _LONGEST:
            return [f"{one[1]}{n:0{len(number)}d}" for n in range(int(number), int(end) + 1)]
    values = _numbering(first), _numbering(last)
    if values[0] and values[1] and values[0][0] == values[1][0] and not one:
        start, stop = values[0][1], values[1][1]
        if start <= stop <= start + _LONGEST:
            letters = [to_roman(n) for n in range(start, stop + 1)]
            return letters if first.islower() else [text.upper() for text in letters]
    return [first, last]


def to_roman(number: int) -> str:
    letters = ""
    for sign, value in (
        ("m", 1000), ("cm", 900), ("d", 500), ("cd", 400), ("c", 100), ("xc", 90), ("l", 50),
        ("xl", 40), ("x", 10), ("ix", 9), ("v", 5), ("iv", 4), ("i", 1),
    ):  # fmt: skip
        count, number = divmod(number, value)
        letters += sign * count
    return letters


# Spaces as a draft has them: Typst's and LaTeX's ``~``, ``\\ `` and ``\\,``, HTML's ``&nbsp;``.
_SPACE = r"(?:[\s\xa0\u2009\u202f~]|\\[ ,;:!]|\\(?:thin|nobreak)?space\b|&(?:nbsp|thinsp);)*"
# The names of pages in pandoc's locator terms (CSL locales: en, de, fr, es, it, nl, pt), and
# biblatex's commands for them.
_PAGES = re.compile(
    rf"^(?P<pdf>pdf(?=\W){_SPACE})?(?P<name>pp?\.|pages?\b|seiten?\b|s\.|págs?\.|página?s?\b|"
    rf"pagg?\.|pagin[ae]s?\b|pgs?\.|bl?z\.|\\p?pno\b)?{_SPACE}",
    re.IGNORECASE,
)
_LABEL = r"(?:(?:\d{1,3}:)?[A-Za-z]{0,3}[-.]?\d{1,6}[a-eg-z]?|[ivxlcdm]{1,10})"
_TO = r"(?:-{1,3}|[\u2010-\u2015]|\\(?:textendash|textemdash|bibrangedash)\b(?:\{\})?)"
_CITED_RANGE = re.compile(
    rf"(?P<round>\()?(?P<first>\d{{1,6}}-\d{{1,3}}(?=(?:--|[\u2013])\d+-\d)|{_LABEL})(?(round)\))"
    rf"(?:{_SPACE}{_TO}{_SPACE}(?P<round_too>\()?(?P<last>\d{{1,6}}-\d{{1,3}}(?!\d)|{_LABEL})(?(round_too)\)))?"
    rf"(?P<open>{_SPACE}(?:ff?\b\.?|\\psqq?\b))?",
    re.IGNORECASE,
)
# A page of an article that has a number in place of pages, as physics journals print it:
# 053401-2 is page 2 of article 053401.
_ARTICLE_PAGE = re.compile(r"[A-Za-z]{0,3}(?:0\d{3,5}|\d{6})\Z")
_BETWEEN = re.compile(r"\s*(?:,|&|and|und|et|y)\s*", re.IGNORECASE)


class Locator(Value):
    """A citation locator: ``text`` as written; ``pages`` are the first and last label of each page
    range, none for other locators (a chapter, a figure). ``physical``: numbers of file pages
    ("PDF p. 3"), not printed labels."""

    text: str
    pages: tuple[tuple[str, str], ...] = ()
    physical: bool = False

    @property
    def labels(self) -> tuple[str, ...]:
        """The printed labels, ranges expanded; none for pages of the file."""
        ranges = () if self.physical else self.pages
        return tuple(one for first, last in ranges for one in _labels(first, last))

    @property
    def place(self) -> str | None:
        """The locator in words, where it has no printed labels."""
        return None if self.labels else self.text


def pages_of(document: ConversionResult, locator: Locator) -> set[int] | None:
    """The pages of the file that a locator denotes: empty if the document has none of them, None
    if that is unknown (no page labels)."""
    entries = document.structure.page_map
    if not entries or not locator.pages:
        return None
    if locator.physical:
        numbers = {str(entry.page): entry.page for entry in entries}
    else:
        numbers = {
            label.casefold(): entry.page for entry in reversed(entries) for label in entry.labels
        }
        if not numbers:
            return None
        for label, page in [*numbers.items()]:  # page 2 of article 39: 39:2
            numbers.setdefault(label.rpartition(":")[2].strip("()"), page)
    pages: set[int] = set()
    for first, last in locator.pages:
        pages |= _between(numbers, first.casefold(), last.casefold())
    return pages


def parse_locator(text: str, *, bare: bool = True) -> tuple[Locator | None, str]:
    """The locator of ``text``, and the rest: at its start, or behind a comma or a preposition with
    a term (``Theorem 2, p. 3``). ``bare`` also accepts page numbers without a term
    (``[@key, 12]``)."""
    text = text.strip().lstrip(",").strip()
    name = _PAGES.match(text)
    if name is None or not (name["name"] or bare):
        return None, text
    at, pages = name.end(), list[tuple[str, str]]()
    while match := _CITED_RANGE.match(text, at):
        is_page = any(map(str.isdigit, match["first"])) and not match["round"]
        if _is_word_prefix(text, match.end()) or not (name["name"] or is_page):
            break
        pages.append(_pair(match["first"], match["last"], following=bool(match["open"])))
        end = match.end()
        separator = _BETWEEN.match(text, end)
        at = separator.end() if separator else len(text)
    if not pages:
        later = _LATER.search(text)
        found, rest = parse_locator(text[later.end() :], bare=False) if later else (None, "")
        return (
            (found, f"{text[: later.start()]} {rest}".strip()) if later and found else (None, text)
        )
    written = text[:end].strip()
    locator = Locator(text=written, pages=tuple(pages), physical=bool(name["pdf"]))
    return locator, text[end:].lstrip(" ,\t\n").strip()


_LATER = re.compile(rf"(?:,|;|\bon|\bat|\bauf)(?={_SPACE}(?:pp?\.|pages?\b|S\.|\\\\p?pno))")


def page_term(locator: str) -> str:
    """The name of pages that a locator begins with, as it is written: ``pp. `` or nothing."""
    name = _PAGES.match(locator)
    return name[0] if name and name["name"] else ""


def parse_page(text: str) -> Locator:
    """Pages as a user names them: ``440``, ``xii-xv, 3`` and ``S3`` are printed, ``PDF 5`` is a
    page of the file. What is not a number is a label as it is printed."""
    written = " ".join(text.removeprefix("label:").split())
    for form in (written, f"p. {written}"):
        locator, rest = parse_locator(form)
        if locator is not None and not rest:
            return locator.model_copy(update={"text": written})
    return Locator(text=written, pages=((written, written),))


def _pair(first: str, last: str | None, *, following: bool) -> tuple[str, str]:
    """Expand a shortened last page: 127-30 is 127 to 130, "12f." is 12 to 13. A number that
    falls is part of one label: page 2 of chapter 3 is 3-2, of article 053401 053401-2."""
    if last and _is_one_label(first, last):
        return (f"{first}-{last}",) * 2
    if last and first.isdecimal() and last.isdecimal() and len(last) < len(first):
        last = first[: len(first) - len(last)] + last
    if following and not last and (number := whole_number(first)) is not None:
        last = str(number + 1)
    return first, last or first


def _is_one_label(first: str, last: str) -> bool:
    if not last.isdecimal() or not first[-1:].isdecimal():
        return False
    if len(last) < len(first):
        return bool(_ARTICLE_PAGE.match(first))
    return first.isdecimal() and len(last) == len(first) and last < first


def _labels(first: str, last: str) -> tuple[str, ...]:
    return (first,) if first == last else tuple(_expanded_range(first, last))


def _between(numbers: dict[str, int], first: str, last: str) -> set[int]:
    """The pages from one label to another; only known ones between unknown labels."""
    if (label := f"{first}-{last}") in numbers:  # page 12 of chapter 3: 3-12
        return {numbers[label]}
    if first in numbers and last in numbers:
        return set(range(numbers[first], numbers[last] + 1))
    start, end = whole_number(first), whole_number(last)
    if start is not None and end is not None and end - start < len(numbers) + 1000:
        labels = map(str, range(start, end + 1))
        return {numbers[label] for label in labels if label in numbers}
    return {numbers[label] for label in (first, last) if label in numbers}


def _is_word_prefix(text: str, at: int) -> bool:
    """Whether the label is only the start of a word ("mid", "12th")."""
    return at < len(text) and (text[at].isalnum() or text[at] == "%")
