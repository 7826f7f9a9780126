"""Filters as users write them."""

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from support.cases import each

from citeloom.domain.errors import InvalidRequest
from citeloom.domain.search.filters import (
    NUMERIC,
    Clause,
    Field,
    Filter,
    Range,
    author_terms,
    parse_clause,
    section_prefixes,
)
from citeloom.domain.text.normalized_text import fold

TEXT_FIELDS = [field for field in Field if field not in NUMERIC]
EXACT = {Field.CITEKEY, Field.DOC, Field.ITEM}


def written(clause: Clause) -> str:
    sign = "!=" if clause.negated else "="
    if clause.field in NUMERIC:
        ranges = (
            f"{'' if one.low is None else one.low}..{'' if one.high is None else one.high}"
            for one in clause.ranges
        )
        return f"{clause.field.value}{sign}{','.join(ranges)}"
    return f"{clause.field.value}{sign}{','.join(clause.values)}"


VALUE = st.text(min_size=1, max_size=8).filter(lambda text: "," not in text and fold(text))


@given(st.sampled_from(TEXT_FIELDS), st.booleans(), st.lists(VALUE, min_size=1, max_size=3))
def test_text_clauses_are_read_as_they_are_written(
    field: Field, negated: bool, values: list[str]
) -> None:
    folded = tuple(v.strip() if field in EXACT else fold(v) for v in values)
    assume(all(folded) and not any(set(value) & {",", '"'} for value in folded))
    clause = Clause(field=field, negated=negated, values=folded)
    assert parse_clause(written(clause)) == clause


NUMBER = st.none() | st.integers(-10, 10**6)
RANGES = st.tuples(NUMBER, NUMBER).filter(
    lambda ends: ends != (None, None) and (None in ends or ends[0] <= ends[1])
)


@given(
    st.sampled_from(sorted(NUMERIC)),
    st.booleans(),
    st.lists(RANGES, min_size=1, max_size=3),
)
def test_ranges_are_read_as_they_are_written(
    field: Field, negated: bool, ends: list[tuple[int | None, int | None]]
) -> None:
    ranges = tuple(Range(low=low, high=high) for low, high in ends)
    clause = Clause(field=field, negated=negated, ranges=ranges)
    assert parse_clause(written(clause)) == clause


@each(
    ("text", "clause"),
    [
        ("year=2015..2020", Clause(field=Field.YEAR, ranges=(Range(low=2015, high=2020),))),
        ("year=2015", Clause(field=Field.YEAR, ranges=(Range(low=2015, high=2015),))),
        ("YEAR = 2015..", Clause(field=Field.YEAR, ranges=(Range(low=2015),))),
        ("page=..12", Clause(field=Field.PAGE, ranges=(Range(high=12),))),
        (
            "page!=3, 7..",
            Clause(field=Field.PAGE, negated=True, ranges=(Range(low=3, high=3), Range(low=7))),
        ),
        ("tag!=Draft", Clause(field=Field.TAG, negated=True, values=("draft",))),
        ("author=Müller, ＳＭＩＴＨ", Clause(field=Field.AUTHOR, values=("muller", "smith"))),
        ("citekey=Smith2020", Clause(field=Field.CITEKEY, values=("Smith2020",))),
        ("tag=a=b", Clause(field=Field.TAG, values=("a=b",))),
        (
            "section= Material  and Methods ",
            Clause(field=Field.SECTION, values=("material and methods",)),
        ),
    ],
)
def test_clauses_have_the_documented_meaning(text: str, clause: Clause) -> None:
    assert parse_clause(text) == clause


@each(
    ("text", "hint"),
    [
        ("", "KEY=VALUE"),
        ("year", "KEY=VALUE"),
        ("=2015", "KEY=VALUE"),
        ("!=2015", "KEY=VALUE"),
        ("colour=red", "the keys are year, author"),
        ("tag=", "no value"),
        ("tag= , ,", "no value"),
        ("year=", "a number or a range"),
        ("year=..", "a number or a range"),
        ("year=new", "a number or a range"),
        ("year=2015...2020", "a number or a range"),
        ("page=1.5", "a number or a range"),
        ("year=" + "9" * 5000, "a number or a range"),
        ("year=2020..2015", "write 2015..2020"),
        ("year=2019,2020..2015", "filter year=2020..2015: the range runs backwards"),
        ("year=2019,", "a number or a range"),
    ],
    ids=lambda text: text[:20],
)
def test_a_malformed_clause_is_refused_with_a_hint(text: str, hint: str) -> None:
    with pytest.raises(InvalidRequest, match=hint.replace(".", r"\.")) as caught:
        parse_clause(text)
    assert caught.value.details["parameter"] == "filter"


@given(st.text())
def test_whatever_is_typed_is_a_clause_or_refused(text: str) -> None:
    try:
        clause = parse_clause(text)
    except InvalidRequest:
        return
    assert clause.values or clause.ranges


@given(st.text())
def test_folding_twice_changes_nothing(text: str) -> None:
    assert fold(fold(text)) == fold(text)


def test_case_width_and_spacing_do_not_count() -> None:
    assert fold("  Straße\n ＡＢＣ ") == "strasse abc"
    assert fold("ΣΟΦΊΑΣ") == fold("σοφίας")


def test_an_author_is_found_by_full_name_and_by_each_word_of_it() -> None:
    assert author_terms(["Van der Berg, Anna", "Li"]) == (
        "van der berg, anna",
        "van",
        "der",
        "berg",
        "anna",
        "li",
    )


def test_a_section_is_found_by_each_outer_part_of_its_path() -> None:
    assert section_prefixes(("Methods", "Sampling")) == ("methods", "methods > sampling")
    assert section_prefixes(()) == ()


def test_an_empty_filter_is_false() -> None:
    assert not Filter()
    assert Filter(clauses=(parse_clause("tag=x"),))


def test_a_value_in_quotes_may_hold_commas() -> None:
    assert parse_clause('author="Smith, Jo",Jones').values == ("smith, jo", "jones")
    assert parse_clause('author= "Smith, Jo" , "B" ').values == ("smith, jo", "b")
    assert parse_clause('section=the "new" world,b').values == ('the "new" world', "b")


def test_a_language_is_asked_for_by_its_code() -> None:
    assert parse_clause("lang=de,EN").values == ("de", "en")
