"""Ranges of pages, as CSL 1.0.2 ("page-range-format") has them."""

from hypothesis import given
from hypothesis import strategies as st
from support.cases import each

from citeloom.domain.citation.locators import (
    RangeFormat,
    between,
    is_plain,
    labels_in,
    page_range,
    page_ranges,
)

STYLES = list(RangeFormat)


@each(
    ("written", "expanded", "minimal", "minimal_two", "chicago_15", "chicago_16"),
    [
        ("3-10", "3–10", "3–10", "3–10", "3–10", "3–10"),
        ("71-72", "71–72", "71–2", "71–72", "71–72", "71–72"),
        ("100-4", "100–104", "100–4", "100–04", "100–104", "100–104"),
        ("600-613", "600–613", "600–13", "600–13", "600–613", "600–613"),
        ("107-8", "107–108", "107–8", "107–08", "107–8", "107–8"),
        ("505-17", "505–517", "505–17", "505–17", "505–17", "505–17"),
        ("1002-6", "1002–1006", "1002–6", "1002–06", "1002–6", "1002–6"),
        ("321-25", "321–325", "321–5", "321–25", "321–25", "321–25"),
        ("415-532", "415–532", "415–532", "415–532", "415–532", "415–532"),
        ("11564-68", "11564–11568", "11564–8", "11564–68", "11564–68", "11564–68"),
        ("13792-803", "13792–13803", "13792–803", "13792–803", "13792–803", "13792–803"),
        ("1496-1500", "1496–1500", "1496–500", "1496–500", "1496–1500", "1496–500"),
        ("2787-2816", "2787–2816", "2787–816", "2787–816", "2787–2816", "2787–816"),
        ("e101-e108", "e101–e108", "e101–8", "e101–08", "e101–8", "e101–8"),
        ("S12-S15", "S12–S15", "S12–5", "S12–15", "S12–15", "S12–15"),
        ("xii-xv", "xii–xv", "xii–xv", "xii–xv", "xii–xv", "xii–xv"),
        ("42-45, 51", "42–45, 51", "42–5, 51", "42–45, 51", "42–45, 51", "42–45, 51"),
        ("e0123456", "e0123456", "e0123456", "e0123456", "e0123456", "e0123456"),
        ("A-12", "A-12", "A-12", "A-12", "A-12", "A-12"),
        ("86-101", "86–101", "86–101", "86–101", "86–101", "86–101"),
    ],
)
def test_ranges_are_shortened_by_the_rule_of_the_style(
    written: str,
    expanded: str,
    minimal: str,
    minimal_two: str,
    chicago_15: str,
    chicago_16: str,
) -> None:
    assert page_range(written, RangeFormat.EXPANDED) == expanded
    assert page_range(written, RangeFormat.MINIMAL) == minimal
    assert page_range(written, RangeFormat.MINIMAL_TWO) == minimal_two
    assert page_range(written, RangeFormat.CHICAGO_15) == chicago_15
    assert page_range(written, RangeFormat.CHICAGO) == chicago_15
    assert page_range(written, RangeFormat.CHICAGO_16) == chicago_16


@given(st.integers(1, 99_999), st.integers(1, 2_000), st.sampled_from(STYLES))
def test_a_shortened_range_can_be_read_back(first: int, more: int, style: RangeFormat) -> None:
    short = between(str(first), str(first + more), style)
    assert page_range(short, RangeFormat.EXPANDED) == f"{first}–{first + more}"


@each(
    ("labels", "ranges"),
    [
        (["127"], "127"),
        (["127", "128", "129"], "127–129"),
        (["xi", "xii", "1", "2"], "xi–xii, 1–2"),
        (["IX", "X"], "IX–X"),
        (["S12", "S13"], "S12–S13"),
        (["S9", "10"], "S9, 10"),
        (["e1234"], "e1234"),
        (["12", "12"], "12"),
        (["12", "15"], "12, 15"),
        (["A", "B"], "A, B"),
    ],
)
def test_labels_make_ranges_as_long_as_they_count_in_one_way(
    labels: list[str], ranges: str
) -> None:
    assert page_ranges(labels) == ranges


@each(
    ("text", "labels"),
    [
        ("12", ("12",)),
        ("12-14", ("12", "13", "14")),
        ("127–30", ("127", "128", "129", "130")),
        ("xii-xiv, 3", ("xii", "xiii", "xiv", "3")),
        ("S3-S4", ("S3", "S4")),
        ("A-B", ("A", "B")),
        ("", ()),
        ("1-999999", ("1", "999999")),
    ],
)
def test_pages_that_are_named_are_counted_out(text: str, labels: tuple[str, ...]) -> None:
    assert labels_in(text) == labels


@given(st.integers(1, 3_000), st.integers(0, 50))
def test_what_is_counted_out_makes_the_same_range(first: int, more: int) -> None:
    text = between(str(first), str(first + more), RangeFormat.EXPANDED)
    assert page_ranges(labels_in(text)) == text


def test_plain_labels_are_arabic_and_roman_numbers() -> None:
    assert is_plain(["12", "xii", "XV"])
    assert not is_plain(["S12"])
    assert not is_plain(["e1234", "12"])
