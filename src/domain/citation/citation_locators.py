"""Parsing of citation locators: ``p. 12``, ``pp. 3-5``, ``iv``."""

import re

from citeloom.domain.citation.locators import labels_in
from citeloom.domain.documents.conversion import ConversionResult
from citeloom.domain.value import Value

# The names of pages in pandoc's locator terms (CSL locales: en, de, fr, es, it, nl, pt).
_PAGES = re.compile(
    r"^(?P<pdf>pdf[\s\xa0]+)?(?P<name>pp?\.|pages?\b|seiten?\b|s\.|págs?\.|página?s?\b|pagg?\.|"
    r"pagin[ae]s?\b|pgs?\.|bl?z\.)?[\s\xa0~]*",
    re.IGNORECASE,
)
_LABEL = r"(?:[A-Za-z]{0,3}[-.]?\d{1,6}[a-eg-z]?|[ivxlcdm]{1,10})"
_RANGE = re.compile(
    rf"(?P<first>{_LABEL})(?:[\s\xa0]*(?:-{{1,3}}|[\u2010-\u2015])[\s\xa0]*(?P<last>{_LABEL}))?"
    r"(?P<open>\s*ff?\b\.?)?",
    re.IGNORECASE,
)
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
        numbers = {entry.label.casefold(): entry.page for entry in reversed(entries) if entry.label}
        if not numbers:
            return None
    pages: set[int] = set()
    for first, last in locator.pages:
        pages |= _between(numbers, first.casefold(), last.casefold())
    return pages


def parse_locator(text: str, *, bare: bool = True) -> tuple[Locator | None, str]:
    """The locator at the start of ``text``, and the rest. ``bare`` also accepts page numbers
    without a term (``[@key, 12]``)."""
    text = text.strip().lstrip(",").strip()
    name = _PAGES.match(text)
    if name is None or not (name["name"] or bare):
        return None, text
    at, pages = name.end(), list[tuple[str, str]]()
    while match := _RANGE.match(text, at):
        if _is_word_prefix(text, match.end()) or not (name["name"] or _has_digit(match["first"])):
            break
        pages.append(_pair(match["first"], match["last"], following=bool(match["open"])))
        end = match.end()
        separator = _BETWEEN.match(text, end)
        at = separator.end() if separator else len(text)
    if not pages:
        return None, text
    written = text[:end].strip()
    locator = Locator(text=written, pages=tuple(pages), physical=bool(name["pdf"]))
    return locator, text[end:].lstrip(" ,\t\n").strip()


def page_term(locator: str) -> str:
    """The name of pages that a locator begins with, as it is written: ``pp. `` or nothing."""
    name = _PAGES.match(locator)
    return name[0] if name and name["name"] else ""


def parse_page(text: str) -> Locator:
    """Pages as a user names them: ``440``, ``xii-xv, 3`` and ``S3`` are printed, ``PDF 5`` is a
    page of the file. What is no number is a label as it is printed."""
    written = " ".join(text.removeprefix("label:").split())
    for form in (written, f"p. {written}"):
        locator, rest = parse_locator(form)
        if locator is not None and not rest:
            return locator.model_copy(update={"text": written})
    return Locator(text=written, pages=((written, written),))


def _pair(first: str, last: str | None, *, following: bool) -> tuple[str, str]:
    """Expand a shortened last page: 127-30 is 127 to 130, "12f." is 12 to 13."""
    if last and first.isdecimal() and last.isdecimal() and len(last) < len(first):
        last = first[: len(first) - len(last)] + last
    if following and not last and first.isdecimal():
        last = str(int(first) + 1)
    return first, last or first


def _labels(first: str, last: str) -> tuple[str, ...]:
    return (first,) if first == last else labels_in(f"{first}-{last}")


def _between(numbers: dict[str, int], first: str, last: str) -> set[int]:
    """The pages from one label to another; between unknown labels those that are known."""
    if first in numbers and last in numbers:
        return set(range(numbers[first], numbers[last] + 1))
    if first.isdecimal() and last.isdecimal() and int(last) - int(first) < len(numbers) + 1000:
        labels = map(str, range(int(first), int(last) + 1))
        return {numbers[label] for label in labels if label in numbers}
    return {numbers[label] for label in (first, last) if label in numbers}


def _has_digit(label: str) -> bool:
    return any(char.isdigit() for char in label)


def _is_word_prefix(text: str, at: int) -> bool:
    """Whether the label is only the start of a word ("mid", "12th")."""
    return at < len(text) and (text[at].isalnum() or text[at] == "%")
