"""Citations as pandoc reads them, and printed page labels."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citeloom.domain.citation.metadata import CiteKey, labels_of, locator, pandoc_citation
from citeloom.domain.documents.spans import PageSpan

# pandoc's reader, as its manual describes it: braces, or the longest run of word characters
# with single punctuation characters inside.
READER = re.compile(
    r"\[@(?:\{(?P<braced>[^{}\s]+)\}|(?P<bare>\w(?:\w|[:.#$%&\-+?<>~/](?=\w))*))"
    r"(?:, (?P<where>[^\[\];]+))?\]"
)
KEYS = st.text(min_size=1, max_size=12).filter(CiteKey.is_valid)


def read(citation: str) -> tuple[str, str | None]:
    found = READER.fullmatch(citation)
    assert found, citation
    return found["braced"] or found["bare"], found["where"]


@given(KEYS)
def test_every_valid_key_is_read_back_as_it_was(key: str) -> None:
    assert read(pandoc_citation(key, ["12"])) == (key, "p. 12")


@pytest.mark.parametrize(
    ("key", "citation"),
    [
        ("smith2020", "[@smith2020, p. 127]"),
        ("smith:2020/a.b", "[@smith:2020/a.b, p. 127]"),
        ("müller2019", "[@müller2019, p. 127]"),
        ("smith2020.", "[@{smith2020.}, p. 127]"),
        ("a::b", "[@{a::b}, p. 127]"),
        ("-a", "[@{-a}, p. 127]"),
        ("a|b", "[@{a|b}, p. 127]"),
    ],
)
def test_keys_stand_in_braces_where_they_must(key: str, citation: str) -> None:
    assert pandoc_citation(key, ["127"]) == citation


@pytest.mark.parametrize(
    ("labels", "where"),
    [
        ([], None),
        (["127"], "p. 127"),
        (["127", "128"], "pp. 127–128"),
        (["xii", "xiii", "1"], "pp. xii–xiii, 1"),
        (["A", "A"], "p. A"),
    ],
)
def test_printed_pages_are_cited_as_one_or_as_a_range(labels: list[str], where: str | None) -> None:
    assert locator(labels) == where


def test_a_place_stands_in_where_there_are_no_pages() -> None:
    assert pandoc_citation("k", [], place="para. 4") == "[@k, para. 4]"
    assert pandoc_citation("k", ["7"], place="para. 4") == "[@k, p. 7]"
    assert pandoc_citation("k", []) == "[@k]"


@given(st.text(st.characters(codec="ascii", exclude_categories=["C"]), min_size=1, max_size=9))
def test_no_label_and_no_heading_can_end_or_divide_a_citation(text: str) -> None:
    assert read(pandoc_citation("k", [text]))[0] == "k"
    assert read(pandoc_citation("k", [], place=f"sec. {text}"))[0] == "k"


def test_labels_are_all_known_or_none_is_shown() -> None:
    known = {3: "iii", 4: "1", 5: None}
    assert labels_of(PageSpan(start=3, end=4), known) == ("iii", "1")
    assert labels_of(PageSpan(start=4, end=5), known) == ()
    assert labels_of(PageSpan(start=4, end=6), known) == ()
    assert labels_of(None, known) == ()
