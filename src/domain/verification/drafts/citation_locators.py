"""Locators of citations: ``p. 12``, ``pp. 3-5``, ``iv``; which of them name pages."""

import re

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
    """Where in a work: ``text`` as it is written; ``pages`` the first and last label of each
    range of pages, none where other things are named (a chapter, a figure). ``physical``
    where they count the pages of the file ("PDF p. 3") instead of being printed on them."""

    text: str
    pages: tuple[tuple[str, str], ...] = ()
    physical: bool = False


def read_locator(text: str, *, bare: bool = True) -> tuple[Locator | None, str]:
    """The locator that ``text`` begins with, and what follows it. ``bare`` also takes page
    numbers without a name (``[@key, 12]``)."""
    text = text.strip().lstrip(",").strip()
    named = _PAGES.match(text)
    if named is None or not (named["name"] or bare):
        return None, text
    at, pages = named.end(), list[tuple[str, str]]()
    while found := _RANGE.match(text, at):
        if _goes_on(text, found.end()) or not (named["name"] or _counts(found["first"])):
            break
        pages.append(_pair(found["first"], found["last"], following=bool(found["open"])))
        end = found.end()
        between = _BETWEEN.match(text, end)
        at = between.end() if between else len(text)
    if not pages:
        return None, text
    written = text[:end].strip()
    locator = Locator(text=written, pages=tuple(pages), physical=bool(named["pdf"]))
    return locator, text[end:].lstrip(" ,\t\n").strip()


def _pair(first: str, last: str | None, *, following: bool) -> tuple[str, str]:
    """A shortened last page is written out: 127-30 is 127 to 130. "12f." is 12 to 13."""
    if last and first.isdecimal() and last.isdecimal() and len(last) < len(first):
        last = first[: len(first) - len(last)] + last
    if following and not last and first.isdecimal():
        last = str(int(first) + 1)
    return first, last or first


def _counts(label: str) -> bool:
    """Whether something without a name is a page: digits are, letters may be words."""
    return any(char.isdigit() for char in label)


def _goes_on(text: str, at: int) -> bool:
    """Whether the label is only the beginning of a word ("mid", "12th")."""
    return at < len(text) and (text[at].isalnum() or text[at] == "%")
