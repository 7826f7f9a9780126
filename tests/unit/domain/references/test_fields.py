"""CSL variables as people write them."""

from datetime import date
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from support.cases import each

from citeloom.domain.errors import InvalidRequest
from citeloom.domain.references.fields import (
    DATES,
    NAMES,
    TEXTS,
    TYPES,
    field_named,
    fields_of,
    name_parts,
    read_value,
    written_value,
)

WORD = st.from_regex(r"[A-Z][a-zà-ÿ]{1,9}", fullmatch=True)
PERSON = st.fixed_dictionaries(
    {"family": WORD, "given": WORD},
    optional={
        "suffix": st.sampled_from(["Jr.", "III"]),
        "non-dropping-particle": st.sampled_from(["van der", "de", "zu"]),
    },
)
BODY = st.fixed_dictionaries({"literal": st.sampled_from(["WHO", "Office, Met; and Sea", "a b"])})
DATE = st.dates(max_value=date(2999, 12, 31)).map(lambda day: [day.year, day.month, day.day])


@given(st.lists(PERSON | BODY, min_size=1, max_size=5))
def test_names_are_read_as_they_are_written(people: list[dict[str, str]]) -> None:
    assert read_value("author", written_value("author", people)) == people


@given(DATE, st.integers(1, 3), st.none() | DATE)
def test_dates_are_read_as_they_are_written(
    first: list[int], precision: int, last: list[int] | None
) -> None:
    value = {"date-parts": [first[:precision], *([last] if last else [])]}
    assert read_value("issued", written_value("issued", value)) == value


@given(st.text(max_size=60))
@example(text=";")
def test_no_text_breaks_a_field(text: str) -> None:
    for field in ("author", "issued", "DOI", "URL", "title", "type"):
        try:
            value = read_value(field, text)
        except InvalidRequest:
            continue
        assert read_value(field, written_value(field, value)) == value


@each(
    ("name", "field"),
    [("Year", "issued"), ("doi", "DOI"), ("journal", "container-title"), ("pages", "page"),
     ("container_title", "container-title"), ("citekey", "key"), ("PMID", "PMID")],
)  # fmt: skip
def test_fields_have_the_names_that_people_write(name: str, field: str) -> None:
    assert field_named(name) == field


@pytest.mark.parametrize(("name", "near"), [("volum", "volume"), ("autor", "author")])
def test_an_unknown_field_is_refused_with_the_nearest(name: str, near: str) -> None:
    with pytest.raises(InvalidRequest, match=near):
        field_named(name)


@each(
    ("text", "people"),
    [
        ("Ann Weir", [{"family": "Weir", "given": "Ann"}]),
        ("{World Health Organization}", [{"literal": "World Health Organization"}]),
        ("World Health Organization", [{"literal": "World Health Organization"}]),
        ("King, Martin Luther, Jr.; ",
         [{"family": "King", "given": "Martin Luther", "suffix": "Jr."}]),
    ],
)  # fmt: skip
def test_names_of_persons_and_bodies(text: str, people: list[dict[str, str]]) -> None:
    assert read_value("author", text) == people


@each("text", ["2020-13", "2020-02-30", "20200", "x", "3000", "2020/", "0"])
def test_dates_that_are_none_are_refused(text: str) -> None:
    with pytest.raises(InvalidRequest, match="issued"):
        read_value("issued", text)


def test_the_parts_of_a_name_are_those_of_a_form() -> None:
    person = {"family": "Berg", "given": "Guido", "non-dropping-particle": "van der"}
    assert name_parts(person) == ("van der Berg", "Guido")
    assert name_parts({"literal": "Office, Met"}) == ("{Office, Met}", "")


@each("csl_type", sorted(TYPES))
def test_a_form_has_the_fields_of_the_type_and_those_of_the_item(csl_type: str) -> None:
    item: dict[str, Any] = {"type": csl_type, "PMID": "1", "note": "x", "id": "y", "odd": "z"}
    fields = fields_of(csl_type, item)
    assert set(fields) <= DATES | NAMES | TEXTS
    assert len(set(fields)) == len(fields)
    assert {"title", "author", "issued", "DOI", "PMID"} <= set(fields)
    assert not {"note", "odd", "id"} & set(fields)
