"""Filters of a query: ``year=2015..2020``, ``author=Smith``, ``tag!=draft``.

Clauses of one filter must all hold; the values of one clause are alternatives.
"""

import re
from collections.abc import Collection, Iterable, Mapping
from enum import StrEnum
from typing import Final

from citeloom.domain.errors import InvalidRequest
from citeloom.domain.text.normalized_text import fold
from citeloom.domain.value import Value

# A section number in front of a heading: "4 ", "3.2. ", "iv) ", "a.1 ".
_SECTION_NUMBER = re.compile(r"^(?:\d+|[ivxlc]+(?=[.)])|[a-z](?=[.)]))(?:\.\w+)*[.)]?\s+(?=\S)")

_VALUE = re.compile(r'\s*(?:"([^"]*)"\s*(?=,|$)|([^,]+))(?:,|$)')


class Field(StrEnum):
    """Filter fields, by the key that users write. ``DocumentFinder.with_ids`` puts the documents in
    place of a status, which no passage has."""

    YEAR = "year"
    AUTHOR = "author"
    CITEKEY = "citekey"
    TAG = "tag"
    COLLECTION = "collection"
    SECTION = "section"
    SECTION_PREFIX = "section_prefix"
    TYPE = "type"
    KIND = "kind"
    DOC = "doc"
    PAGE = "page"
    ITEM = "item"
    LANG = "lang"
    MARKED = "marked"
    STATUS = "status"


NUMERIC = frozenset({Field.YEAR, Field.PAGE})


class Range(Value):
    """Integers from ``low`` to ``high``, both included; None leaves that end open."""

    low: int | None = None
    high: int | None = None

    def __str__(self) -> str:
        low, high = ("" if end is None else str(end) for end in (self.low, self.high))
        return low if low == high else f"{low}..{high}"


class Clause(Value):
    """One condition: any of the folded ``values`` of a text field, or of the ``ranges`` of a
    numeric one."""

    field: Field
    negated: bool = False
    values: tuple[str, ...] = ()
    ranges: tuple[Range, ...] = ()

    def __str__(self) -> str:
        """The clause as ``parse_clause`` reads it."""
        values = [f'"{value}"' if "," in value else value for value in self.values]
        equals = "!=" if self.negated else "="
        return f"{self.field.value}{equals}{','.join([*values, *map(str, self.ranges)])}"


class Filter(Value):
    """Clauses that must all hold; an empty filter passes everything."""

    clauses: tuple[Clause, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.clauses)

    def names(self, field: Field) -> bool:
        """Whether any clause is about ``field``."""
        return any(clause.field is field for clause in self.clauses)


def author_terms(authors: Iterable[str]) -> tuple[str, ...]:
    """Index terms of ``author=``: each full name and each of its words."""
    terms: dict[str, None] = {}
    for author in authors:
        folded = fold(author)
        if folded == "et al.":
            continue
        terms[folded] = None
        for word in folded.replace(",", " ").split():
            terms[word] = None
    return tuple(terms)


def section_terms(path: tuple[str, ...]) -> tuple[str, ...]:
    """Index terms of ``section=``: each heading of the path, with and without its number."""
    terms: dict[str, None] = {}
    for heading in map(fold, path):
        terms[heading] = None
        terms[_SECTION_NUMBER.sub("", heading)] = None
    return tuple(terms)


def section_prefixes(path: tuple[str, ...]) -> tuple[str, ...]:
    """Prefixes of a section path, folded: ``methods``, ``methods > sampling``."""
    folded = [fold(segment) for segment in path]
    return tuple(" > ".join(folded[: n + 1]) for n in range(len(folded)))


def parse_clause(text: str) -> Clause:
    """Parse ``KEY=VALUE[,VALUE…]``, ``KEY!=…``, ``year=LOW..HIGH[,…]``.

    Raises InvalidRequest with the valid keys or the expected form.
    """
    key, equals, value = text.partition("=")
    negated = key.endswith("!")
    name = key.removesuffix("!").strip().lower()
    if not equals or not name:
        raise InvalidRequest(
            f"filter {text!r}: write KEY=VALUE, for example year=2015..2020 or tag!=draft",
            parameter="filter",
        )
    return make_clause(name, value, negated=negated)


def make_clause(name: str, value: str, *, negated: bool = False) -> Clause:
    """A clause from a key and the value as written. Raises InvalidRequest."""
    try:
        field = Field(name)
    except ValueError:
        keys = ", ".join(f.value for f in Field)
        raise InvalidRequest(
            f"filter {name!r}: no such key; the keys are {keys}", parameter="filter"
        ) from None
    if field in NUMERIC:
        ranges = tuple(_range(field, part) for part in value.split(","))
        return Clause(field=field, negated=negated, ranges=ranges)
    values = tuple(v for part in _alternatives(value) if (v := _fold_value(field, part)))
    if not values:
        raise InvalidRequest(f"filter {name}: no value given", parameter="filter")
    return Clause(field=field, negated=negated, values=values)


def _alternatives(text: str) -> list[str]:
    """Values between commas; one in double quotes may hold commas: ``"Smith, Jo",Jones``."""
    return [quoted or plain for quoted, plain in _VALUE.findall(text)]


def _fold_value(field: Field, text: str) -> str:
    exact = field in (Field.CITEKEY, Field.DOC, Field.ITEM)
    return text.strip() if exact else fold(text)


def _range(field: Field, text: str) -> Range:
    low, dots, high = text.partition("..")
    try:
        first = int(low) if low.strip() else None
        last = (int(high) if high.strip() else None) if dots else first
    except ValueError:
        first = last = None
    if first is None and last is None:
        raise InvalidRequest(
            f"filter {field.value}={text.strip()}: write a number or a range such as 10..20, "
            "10.. or ..20; commas separate several",
            parameter="filter",
        )
    if first is not None and last is not None and first > last:
        raise InvalidRequest(
            f"filter {field.value}={text.strip()}: the range runs backwards; write {last}..{first}",
            parameter="filter",
        )
    return Range(low=first, high=last)


#: What a clause on works may be about; the other fields are those of passages.
OF_WORKS: Final = (
    Field.YEAR,
    Field.AUTHOR,
    Field.CITEKEY,
    Field.TAG,
    Field.COLLECTION,
    Field.TYPE,
    Field.DOC,
    Field.ITEM,
    Field.LANG,
    Field.STATUS,
)

Terms = Mapping[Field, Collection[str | int]]


def check_of_works(filter: Filter) -> None:
    """Raise InvalidRequest for a clause that is about passages."""
    for clause in filter.clauses:
        if clause.field not in OF_WORKS:
            keys = ", ".join(field.value for field in OF_WORKS)
            raise InvalidRequest(
                f"filter {clause}: passages have a {clause.field.value}, documents have none; "
                f"the keys here are {keys}",
                parameter="filter",
            )


def passes(filter: Filter, terms: Terms) -> bool:
    """Whether a work with these folded terms passes every clause. A negated clause passes what
    the clause does not, works without the field included."""
    return all(_holds(clause, terms) is not clause.negated for clause in filter.clauses)


def _holds(clause: Clause, terms: Terms) -> bool:
    own = terms.get(clause.field, ())
    if clause.field in NUMERIC:
        return any(
            (each.low is None or number >= each.low) and (each.high is None or number <= each.high)
            for number in own
            if isinstance(number, int)
            for each in clause.ranges
        )
    return not set(clause.values).isdisjoint(own)
