"""Filters as agents give them, as clauses."""

from typing import Any

import pytest
from support.cases import each

from citeloom.domain.errors import CiteLoomError
from citeloom.domain.search.filters import Clause, Field, Range
from citeloom.infrastructure.mcp.contract.arguments import to_filter
from citeloom.infrastructure.mcp.contract.parameters import Filters


def clauses(**given: Any) -> tuple[Clause, ...]:
    return to_filter(Filters(**given)).clauses


def test_no_filter_lets_everything_through() -> None:
    assert not to_filter(Filters())


def test_all_tags_must_hold() -> None:
    assert clauses(tags=["Sleep", "recall"]) == (
        Clause(field=Field.TAG, values=("sleep",)),
        Clause(field=Field.TAG, values=("recall",)),
    )


@each(
    ("given", "low", "high"),
    [(2019, 2019, 2019), ("2019", 2019, 2019), ("2015..2020", 2015, 2020), ("2015..", 2015, None)],
)
def test_a_year_is_a_number_or_a_range(given: int | str, low: int, high: int | None) -> None:
    expected = Clause(field=Field.YEAR, ranges=(Range(low=low, high=high),))

    assert clauses(year=given) == (expected,)


def test_a_list_gives_alternatives() -> None:
    expected = Clause(field=Field.AUTHOR, values=("smith", "jones"))

    assert clauses(author=["Smith", "Jones"]) == (expected,)


def test_a_comma_belongs_to_the_heading() -> None:
    expected = Clause(field=Field.SECTION_PREFIX, values=("methods, data > sampling",))

    assert clauses(section_prefix="Methods, Data > Sampling") == (expected,)


def test_keys_are_compared_as_they_are_written() -> None:
    assert clauses(citekey="Smith2020", zotero_item_key="ABCD1234", doc="/P/X.pdf") == (
        Clause(field=Field.CITEKEY, values=("Smith2020",)),
        Clause(field=Field.DOC, values=("/P/X.pdf",)),
        Clause(field=Field.ITEM, values=("ABCD1234",)),
    )


def test_every_key_of_the_command_line_is_there_under_some_name() -> None:
    everything: dict[str, Any] = {
        "tags": ["x"],
        "year": 1,
        "author": "x",
        "citekey": "x",
        "collection": "x",
        "type": "x",
        "section": "x",
        "section_prefix": "x",
        "kind": "table",
        "doc": "x",
        "page": "2..3",
        "zotero_item_key": "x",
        "lang": "x",
        "status": "read",
        "marked": "yes",
    }

    assert {clause.field for clause in clauses(**everything)} == set(Field)


@each(
    ("given", "named"),
    [
        ({"zotero_attachment_key": "ABCD"}, "zotero_attachment_key: attachment keys are not"),
        ({"year": "next"}, "year=next"),
        ({"year": "2020..2015"}, "runs backwards"),
        ({"author": []}, "author: no value"),
        ({"author": " "}, "author: no value"),
        ({"tags": ["ok", "\u3000"]}, "tags"),
    ],
)
def test_a_filter_that_cannot_be_meant_is_refused(given: dict[str, Any], named: str) -> None:
    with pytest.raises((CiteLoomError, ValueError), match=named):
        clauses(**given)
