"""Dates in words, in EDTF and as Zotero stores them."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from support.cases import each

from citeloom.domain.references.dates import csl_date, edtf, written_date, year_of


@each(
    ("text", "date"),
    [
        ("2015-21", {"date-parts": [[2015]], "season": 1}),
        ("1984?", {"date-parts": [[1984]], "circa": True}),
        ("2004-06~", {"date-parts": [[2004, 6]], "circa": True}),
        ("20XX", {"date-parts": [[2000], [2099]]}),
        ("199X", {"date-parts": [[1990], [1999]]}),
        ("1999-XX", {"date-parts": [[1999]]}),
        ("1984/..", {"date-parts": [[1984], [0]]}),
        ("1984/open", {"date-parts": [[1984], [0]]}),
        ("2015-21/2016-02", {"date-parts": [[2015, 13], [2016, 2]]}),
        ("2014-12-31T10:00:00Z", {"date-parts": [[2014, 12, 31]]}),
        ("2014-13", None),
        ("2014-02-32", None),
        ("../1984", None),
        ("2014/sometime", None),
        ("1X99", None),
    ],
)
def test_edtf_becomes_csl_dates(text: str, date: Any) -> None:
    assert edtf(text) == date


@each(
    ("text", "parts"),
    [
        ("March 2020", [[2020, 3]]),
        ("Mar. 3, 2020", [[2020, 3, 3]]),
        ("2020 Mar 3", [[2020, 3, 3]]),
        ("May 5th, 2010", [[2010, 5, 5]]),
        ("1. März 2004", [[2004, 3, 1]]),
        ("5 de mayo de 2010", [[2010, 5, 5]]),
        ("1er août 1999", [[1999, 8, 1]]),
        ("août 1999", [[1999, 8]]),
        ("Mar-Apr 2020", [[2020, 3], [2020, 4]]),
        ("3–5 March 2020", [[2020, 3, 3], [2020, 3, 5]]),
        ("Summer/Fall 2010", [[2010, 14], [2010, 15]]),
        ("2020/05", [[2020, 5]]),
        ("2020-5-3", [[2020, 5, 3]]),
        ("25/11/2003", [[2003, 11, 25]]),
        ("5.11.2003", [[2003, 11, 5]]),
        ("12/11/2003", None),
        ("20200512", [[2020, 5, 12]]),
        ("1914-18", [[1914], [1918]]),
        ("1998–1999", [[1998], [1999]]),
        ("1998--1999", [[1998], [1999]]),
        ("[1890]", [[1890]]),
        ("44 BC", [[-44]]),
        ("13th cent", None),
        ("market 2020", None),
        ("31 Dec 2019 - 2 Jan 2020", None),
        ("5-3 March 2020", None),
        ("n.d.", None),
    ],
)
def test_dates_in_words_are_read_or_left_alone(text: str, parts: Any) -> None:
    assert (written_date(text) or {}).get("date-parts") == parts


def test_seasons_and_circa_are_said() -> None:
    assert written_date("forår 2003") == {"date-parts": [[2003]], "season": 1}
    assert written_date("ca. 1890") == {"date-parts": [[1890]], "circa": True}
    assert written_date("May 1890?") == {"date-parts": [[1890, 5]], "circa": True}


def test_zoteros_stored_dates_are_read_by_their_first_half() -> None:
    assert csl_date("2003-05-00 May 2003") == {"date-parts": [[2003, 5]]}
    assert csl_date("0000-00-00 n.d.") == {"literal": "n.d."}


@given(st.text(max_size=40))
def test_no_text_breaks_a_date(text: str) -> None:
    date = csl_date(text)
    assert date.get("literal") is not None or date["date-parts"]
    assert all(isinstance(n, int) for part in date.get("date-parts", ()) for n in part)


parts = st.tuples(st.integers(1000, 2999), st.integers(1, 12), st.integers(1, 28))


@given(st.lists(parts, min_size=1, max_size=2), st.integers(1, 3), st.booleans())
def test_dates_come_back_from_edtf(dates: list[Any], depth: int, circa: bool) -> None:
    csl: dict[str, Any] = {"date-parts": [list(date[:depth]) for date in dates]}
    if circa:
        csl["circa"] = True
    text = "/".join("-".join(f"{n:02d}" for n in date[:depth]) for date in dates)
    assert edtf(text + ("~" if circa else "")) == csl
    assert year_of(text) == dates[0][0]


@each(
    ("date", "year"),
    [
        ({"date-parts": [[2023]]}, 2023),
        ({"date-parts": [["2011", 5], ["2012", 6]], "circa": True}, 2011),
        ({"date-parts": [["2014", 12, 31], [0]]}, 2014),
        ({"date-parts": [["-334"]]}, None),
        ({"date-parts": [["11", 13], ["12", 14]]}, 11),
        ({"date-parts": [2020, 5]}, 2020),
        ({"date-parts": []}, None),
        ({"date-parts": [[2017]], "season": 4}, 2017),
        ({"literal": "13th cent"}, None),
        ({"raw": "March 2020"}, 2020),
        ({"literal": "in press"}, None),
        ("2023-01-15", 2023),
        ("2020/05", 2020),
        ("2017-24~", 2017),
        ("12/11/2003", 2003),
        ("2005 [1870]", 2005),
        ("-0333", None),
        ("2011-05-25~/2012-06-26~", 2011),
        ("ca. 850", 850),
        (2020, 2020),
        (20203, None),
        (True, None),
        (None, None),
    ],
)
def test_the_year_is_the_one_in_which_a_date_begins(date: Any, year: int | None) -> None:
    assert year_of(date) == year


def test_a_date_as_written_is_kept_beside_its_year() -> None:
    assert csl_date("2014-12-31T10:00:00Z") == {"date-parts": [[2014, 12, 31]]}
    assert csl_date("2005 [1870]") == {"date-parts": [[2005]], "literal": "2005 [1870]"}
    assert csl_date("n.d.") == {"literal": "n.d."}
