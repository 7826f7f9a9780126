"""Numbered citations that are typed: ``[3, 5–7]``, ``[12, p. 5]`` and superscripts."""

import re
from collections.abc import Iterator, Mapping, Sequence

from citeloom.domain.citation.citation_locators import parse_locator
from citeloom.domain.references.entries.reference_list import CitedWork
from citeloom.domain.references.named_work import NamedWork
from citeloom.domain.verification.drafts.author_year import TypedCitation
from citeloom.domain.verification.drafts.compact_text import CompactText
from citeloom.domain.verification.drafts.draft import CitedItem, InTextCitation

_NUMBERS = r"\d{1,3}(?:\s?(?:[,;]|[-\u2010-\u2015]{1,3})\s?\d{1,3})*"
_BRACKETED = re.compile(
    rf"(?<![\w)^!\\=])(?P<space>\s?)\[(?P<numbers>{_NUMBERS})"
    r"(?:\s?[,:]\s?(?P<locator>(?!\d)[^\[\]\n]{1,60}))?\](?![(:{])"
)
_AFTER_WORD = re.compile(rf"(?<=[^\W\d_]{{3}})\[(?P<numbers>{_NUMBERS})\](?P<locator>)(?![(:{{])")
_PART = re.compile(r"(?P<first>\d{1,3})(?:\s?[-\u2010-\u2015]{1,3}\s?(?P<last>\d{1,3}))?")
# Numbers in brackets after these are parts of a document or mathematics.
_NO_CITATION = re.compile(
    r"(?:\b(?:sections?|sec|chapters?|equations?|eqs?|figures?|figs?|tables?|tab|appendix|steps?|parts?|"
    r"items?|intervals?|ranges?|bounds?|scales?|domains?|vectors?|arrays?|matrix|tuples?|lists?|lines?|"
    r"between|values?|set)\.?|[=∈×+*/<>])\s?$",
    re.IGNORECASE,
)
_SUPERSCRIPT_DIGITS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻˒", "0123456789-,")
_RAISED = "[⁰¹²³⁴⁵⁶⁷⁸⁹]{1,3}"
_SUPERSCRIPT = re.compile(rf"(?<=[.,;:!?)”\"’a-zß-öø-ÿ]){_RAISED}(?:[⁻–,˒]{_RAISED})*")
# A unit, a symbol or a number before a superscript: m², R², 10³.
_POWER = re.compile(r"(?:^|[^\w])(?:[^\W\d_]{1,2}|[^\W_]*\d)$")
_LONGEST_RANGE = 60


def find_numbered(
    prose: str, entries: Mapping[str, CitedWork], superscripts: Sequence[tuple[int, int]] = ()
) -> Iterator[TypedCitation]:
    """The citations whose numbers are all in ``entries``, by number. ``superscripts`` are spans of
    the prose that the markup raises."""
    if not entries:
        return
    compact = CompactText.of(prose)
    for pattern in (_BRACKETED, _AFTER_WORD):
        for match in pattern.finditer(compact.text):
            start = match.start() + len(match.groupdict().get("space") or "")
            if _NO_CITATION.search(compact.text, max(0, start - 30), start):
                continue
            span = compact.span(start, match.end())
            if found := _typed(span, match["numbers"], match["locator"] or "", entries):
                yield found
    raised = [*superscripts, *(match.span() for match in _SUPERSCRIPT.finditer(prose))]
    for start, end in raised:
        numbers = prose[start:end].translate(_SUPERSCRIPT_DIGITS).strip(" \u2060^{}[]$")
        power = _POWER.search(prose[max(0, start - 12) : start].rstrip(" \u2060"))
        is_power = power or not re.fullmatch(_NUMBERS, numbers)
        if not is_power and (found := _typed((start, end), numbers, "", entries)):
            yield found


def _typed(
    span: tuple[int, int], numbers: str, locator: str, entries: Mapping[str, CitedWork]
) -> TypedCitation | None:
    labels = list(_labels(numbers))
    if not labels or not all(label in entries for label in labels):
        return None
    page, suffix = parse_locator(locator)
    items = tuple(
        CitedItem(
            key=f"[{label}]",
            start=span[0],
            end=span[1],
            locator=page if at + 1 == len(labels) else None,
            suffix=suffix if at + 1 == len(labels) else "",
        )
        for at, label in enumerate(labels)
    )
    works = {f"[{label}]": NamedWork(entry=entries[label]) for label in labels}
    return TypedCitation(InTextCitation(start=span[0], end=span[1], items=items), works)


def _labels(numbers: str) -> Iterator[str]:
    """The numbers, ranges written out; nothing for a range that is none (*7–3*)."""
    for part in _PART.finditer(numbers):
        first, last = int(part["first"]), int(part["last"] or part["first"])
        if not first <= last <= first + _LONGEST_RANGE:
            yield ""
        yield from map(str, range(first, last + 1))
