"""Citation keys, the metadata of a citation, pandoc citations, and labels of pages."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError
from support.builders import a_citation
from support.cases import each

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


@each(
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


@each(
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


@each(
    "key",
    [
        "smith_2020-a",
        "smith:2020",
        "doe.roe/2019+2021",
        "müller2019größe",
        "Иванов2020",
        "王2021",
        "smith2020|b",
    ],
)
def test_keys_as_better_bibtex_makes_them_are_valid(key: str) -> None:
    assert CiteKey.is_valid(key)
    assert str(CiteKey(value=key)) == key
    assert a_citation(key).citekey == key


@each("key", ["", "smith 2020", "smith,2020", "a{b}", "a\nb", "a@b", "a]b", "k" * 201, "a;b"])
def test_keys_that_would_break_a_citation_are_refused(key: str) -> None:
    assert not CiteKey.is_valid(key)
    with pytest.raises(ValidationError):
        CiteKey(value=key)
    with pytest.raises(ValidationError):
        a_citation(key)


@pytest.mark.parametrize("changes", [{"authors": ()}, {"year": 0}, {"year": -44}], ids=str)
def test_a_citation_needs_an_author_and_a_year_of_our_era(changes: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        a_citation(**changes)


def test_a_citation_may_lack_year_doi_and_url() -> None:
    citation = a_citation(year=None, doi=None, url=None)
    assert citation.year is None
    assert not citation.has_identifier
    assert a_citation(doi=None, url="https://example.org").has_identifier
