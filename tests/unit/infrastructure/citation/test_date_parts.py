"""Dates of CSL items, and variables stated in a note."""

from typing import Any

from support.cases import each

from citeloom.infrastructure.citation.csl.item import read_item
from citeloom.infrastructure.citation.csl.rendering.variables import DateValue, Moment, read_date


@each(
    ("value", "date"),
    [
        ({"date-parts": [[2014, 5, 3]]}, DateValue(Moment(2014, 5, 3))),
        ({"date-parts": [["2014", "05"]]}, DateValue(Moment(2014, 5))),
        ({"date-parts": [[2014], [2016]]}, DateValue(Moment(2014), Moment(2016))),
        ({"date-parts": [[2014], [0]]}, DateValue(Moment(2014), open=True)),
        ({"date-parts": [[2014]], "season": 1}, DateValue(Moment(2014, season=1))),
        ({"date-parts": [[2014, 21]]}, DateValue(Moment(2014, season=1))),
        ({"date-parts": [[2014]], "literal": "June 27, 2014"}, DateValue(Moment(2014, 6, 27))),
        ({"date-parts": [[1962]], "literal": "06-02-1962"}, DateValue(Moment(1962))),
        ({"literal": "forthcoming"}, DateValue(literal="forthcoming")),
        ({"raw": "ca. 1850"}, DateValue(Moment(1850), circa=True)),
        ("1914-18", DateValue(Moment(1914), Moment(1918))),
        ("spring 2010", DateValue(Moment(2010, season=1))),
        ("2014-12-31T10:00:00Z", DateValue(Moment(2014, 12, 31))),
        ({"date-parts": [[2014]], "circa": True}, DateValue(Moment(2014), circa=True)),
        ({"date-parts": [[]]}, None),
        ({}, None),
    ],
)
def test_dates_are_read_as_far_as_they_are_certain(
    value: dict[str, Any], date: DateValue | None
) -> None:
    assert read_date(value) == date


def test_a_note_states_variables_that_the_item_lacks() -> None:
    csl = {
        "type": "book", "title": "T", "publisher": "P",
        "note": "Original Date: 1911\ntranslator: Reed || Rita\nPublisher: Q\n{:version: 2}\nhm: x",
    }  # fmt: skip
    item = read_item(csl, "k")
    assert item.date("original-date") == DateValue(Moment(1911))
    assert [person.family for person in item.people("translator")] == ["Reed"]
    assert (item.text("publisher"), item.text("version")) == ("P", "2")
