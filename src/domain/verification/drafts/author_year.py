"""Author-year citations that are typed: ``(see Smith et al., 2019a, p. 3)``, ``Boeing (2018)``."""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from citeloom.domain.citation.citation_locators import parse_locator
from citeloom.domain.references.entries.reference_list import CitedWork
from citeloom.domain.references.named_work import NamedWork, entry_of
from citeloom.domain.verification.drafts.author_names import (
    ACRONYM,
    BARE,
    DATE,
    INITIALS,
    NARRATIVE,
    OTHERS,
    PARENTHETICAL,
    SEPARATOR,
    YEAR,
    is_no_author,
    is_opening,
)
from citeloom.domain.verification.drafts.compact_text import CompactText
from citeloom.domain.verification.drafts.draft import CitedItem, InTextCitation

_BRACKETS = re.compile(r"\([^()\n]{4,800}\)|\[[^\[\]\n]{4,800}\]")
_LETTERS = re.compile(r"[a-h](?![a-z])")
# What may stand in the brackets before and after the works.
_LEAD = re.compile(r"(?:[a-zß-öø-ÿ&][\w.’'-]*[,.:]?\s?|(?:See|Cf\.|For|Compare|But|The)\s){0,9}")
_LONGEST_SUFFIX = 60
_BETWEEN = re.compile(r"\s?[;,]\s?|\s(?:and|&|und|et)\s|,\s(?:and|&)\s")


class TypedCitation(NamedTuple):
    """A citation with the works that its items name, by their keys."""

    citation: InTextCitation
    works: dict[str, NamedWork]


class _Cited(NamedTuple):
    """The works of one author in one place; offsets in the compact text."""

    start: int
    end: int
    authors: str
    names: tuple[str, ...]
    others: bool
    dates: str


def find_author_year(prose: str, entries: Sequence[CitedWork] = ()) -> Iterator[TypedCitation]:
    """The citations in ``prose``, at its offsets, in no order; their works have the one of
    ``entries``, the draft's reference list, that they mean."""
    text = CompactText.of(prose)
    reader = _ProseCitations(text, entries)
    taken: list[tuple[int, int]] = []
    for read in (reader.narrative, reader.in_brackets, reader.bare):
        for start, end, found in read():
            if not any(first < end and start < last for first, last in taken):
                taken.append((start, end))
                yield found


class _ProseCitations:
    def __init__(self, text: CompactText, entries: Sequence[CitedWork]) -> None:
        self._text = text
        self._entries = entries

    def narrative(self) -> Iterator[tuple[int, int, TypedCitation]]:
        for match in NARRATIVE.finditer(self._text.text):
            cited = _cited(match, is_list=False)
            if cited is None:
                continue
            rest, at = match["rest"], match.start("rest")
            if rest.lstrip().startswith(";"):
                items = [*self._items(cited, "", loose=True), *self._more(at, match.end("rest"))]
            else:
                items = self._items(cited, rest, loose=True)
            yield cited.start, match.end(), self._typed(cited.start, match.end(), items, True)

    def in_brackets(self) -> Iterator[tuple[int, int, TypedCitation]]:
        for group in _BRACKETS.finditer(self._text.text):
            first, last = group.start() + 1, group.end() - 1
            found = list(self._within(first, last))
            if not found:
                continue
            lead = self._text.text[first : found[0].start]
            tail = self._text.text[found[-1].end : last]
            items = [item for one in self._read(found, first, last) for item in one]
            whole = len(tail) <= _LONGEST_SUFFIX and not YEAR.search(tail)
            if whole and _LEAD.fullmatch(lead.lstrip()):
                start, end = group.span()
            else:
                start, end = found[0].start, found[-1].end
            yield start, end, self._typed(start, end, items, False)

    def bare(self) -> Iterator[tuple[int, int, TypedCitation]]:
        for match in BARE.finditer(self._text.text):
            cited = _cited(match, is_list=False)
            if cited is not None and not is_no_author(cited.names[-1].split()[-1]):
                items = self._items(cited, "", loose=True)
                yield cited.start, cited.end, self._typed(cited.start, cited.end, items, True)

    def _within(self, first: int, last: int) -> Iterator[_Cited]:
        """The works in brackets, each after an opening bracket, a separator or small words."""
        at = after = first
        while match := PARENTHETICAL.search(self._text.text, at, last):
            at = match.end()
            cited = _cited(match, is_list=True)
            before = self._text.text[after : cited.start if cited else match.start()]
            piece = before.rpartition(";")[2]
            if after > first and ";" not in before:  # behind another work, and its page
                piece = _BETWEEN.split(piece)[-1]
            clause = piece.lstrip()
            if cited is None or not _LEAD.fullmatch(clause):
                at = match.start() + len(re.match(r"\W*\w+", match[0])[0])  # type: ignore[index]
                continue
            after = cited.end
            yield cited

    def _read(
        self, found: Sequence[_Cited], first: int, last: int
    ) -> Iterator[list[tuple[CitedItem, NamedWork]]]:
        previous = first
        for at, cited in enumerate(found):
            limit = found[at + 1].start if at + 1 < len(found) else last
            rest = self._text.text[cited.end : limit]
            if at + 1 < len(found):
                rest = rest.rpartition(";")[0] if ";" in rest else re.split(r",\s(?=\D*$)", rest)[0]
            lead = self._text.text[previous : cited.start].strip(" ;,&")
            yield self._items(cited, rest, prefix=lead)
            previous = cited.end + len(rest)

    def _more(self, first: int, last: int) -> list[tuple[CitedItem, NamedWork]]:
        return [
            item for one in self._read(list(self._within(first, last)), first, last) for item in one
        ]

    def _items(
        self, cited: _Cited, rest: str, *, loose: bool = False, prefix: str = ""
    ) -> list[tuple[CitedItem, NamedWork]]:
        """An item for each date; what follows belongs to the last."""
        locator, suffix = parse_locator(re.sub(r"^\s?:", ",", rest))
        dated = list(_dates(cited.dates))
        items: list[tuple[CitedItem, NamedWork]] = []
        for at, (written, years, letter) in enumerate(dated):
            last = at + 1 == len(dated)
            work = NamedWork(
                authors=cited.names, others=cited.others, loose=loose, years=years, letter=letter
            )
            entry = entry_of(work, self._entries)
            tentative = entry is None and _is_perhaps_no_author(cited)
            start, end = self._text.span(cited.start, cited.end)
            item = CitedItem(
                key=f"{' '.join(cited.authors.split())}, {written}",
                start=start,
                end=end,
                locator=locator if last else None,
                prefix="" if at else prefix,
                suffix=suffix.strip(" ;,") if last else "",
            )
            items.append((item, work.model_copy(update={"entry": entry, "tentative": tentative})))
        return items

    def _typed(
        self, start: int, end: int, items: Sequence[tuple[CitedItem, NamedWork]], narrative: bool
    ) -> TypedCitation:
        first, last = self._text.span(start, end)
        citation = InTextCitation(
            start=first, end=last, items=tuple(item for item, _ in items), narrative=narrative
        )
        return TypedCitation(citation, {item.key: work for item, work in items})


def _cited(match: re.Match[str], *, is_list: bool) -> _Cited | None:
    """None if all words before the date are those of the sentence."""
    groups = match.groupdict()
    written, start = groups["people"] or groups["body"], match.start()
    names = [written] if groups.get("body") else _names(written)
    while names:
        words = names[0].split()
        opening = 0
        while opening < len(words) and is_opening(words[opening]):
            opening += 1
        if opening < len(words):
            names[0] = " ".join(words[opening:])
            break
        names = names[1:]
    if not names:
        return None
    others = bool(OTHERS.search(written))
    joined = others or bool(re.search(r"&|\s(?:and|und|et|y|e|en|og|och|i)\s", written))
    if not is_list and len(names) > 1 and not joined:
        names = names[-1:]
    at = written.find(names[0].split()[0])
    at = written.rfind(names[0]) if len(names) == 1 and not others else at
    authors = written[max(0, at) :]
    names = [ACRONYM.sub("", INITIALS.sub("", name)) or name for name in names]
    return _Cited(
        start=start + max(0, at),
        end=match.end("dates"),
        authors=authors,
        names=tuple(names),
        others=others,
        dates=match["dates"],
    )


def _is_perhaps_no_author(cited: _Cited) -> bool:
    """Whether it is a word that often stands before a year (*Figure*, *May*)."""
    words = cited.names[0].split()
    lone = len(cited.names) == 1 and not cited.others
    return lone and (is_no_author(words[0]) or is_no_author(words[-1]))


def _names(written: str) -> list[str]:
    """The names of a list of people, without initials."""
    people = OTHERS.sub("", written)
    names = (name.strip(" ,") for name in SEPARATOR.split(people))
    return [name for name in names if name and INITIALS.sub("", name).strip(" .")]


def _dates(dates: str) -> Iterator[tuple[str, tuple[int, ...], str]]:
    """Each date as written, its years, and its letter: *2019a, b* are two."""
    for match in DATE.finditer(dates):
        years = tuple(map(int, YEAR.findall(match[0])))
        if not years:
            yield " ".join(match[0].split()), (), ""
            continue
        base = re.match(r"[\d/]+", match[0])[0]  # type: ignore[index]
        letters = _LETTERS.findall(match[0][len(base) :])
        for letter in letters or [""]:
            yield f"{base}{letter}", years, letter
