"""Words as search sees them: names, numbers and symbols of papers are found however written."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.cases import each

from citeloom.domain.text.words import (
    forms,
    matching_spans,
    normalized_spelling,
    without_accents,
    words,
)


def terms(text: str) -> set[str]:
    return {term for word in words(text) for side in forms(word.text) for term in side}


def parts(text: str) -> list[str]:
    return [part for word in words(text) for part in forms(word.text).parts]


@each(
    ("written", "asked"),
    [
        ("IL-6", "IL6"),
        ("IL6", "IL-6"),
        ("IL‑6", "IL-6"),  # non-breaking hyphen
        ("IL–6", "il-6"),
        ("IL−6", "IL-6"),  # minus sign
        ("p-53", "p53"),
        ("p53", "p 53"),
        ("COVID-19-related", "COVID19"),
        ("SARS-CoV-2", "SARSCoV2"),
        ("α-synuclein", "alpha-synuclein"),
        ("alpha-synuclein", "α-synuclein"),
        ("TNFα", "TNF-alpha"),
        ("TNF-α-induced", "TNFα"),
        ("αβ", "alpha-beta"),
        ("µg", "μg"),  # micro sign, Greek letter
        ("CO₂", "CO2"),
        ("H₂O", "H2O"),
        ("m²", "m2"),
        ("10⁻³", "10⁻³"),
        ("CD4⁺", "CD4+"),
        ("Ca²⁺", "Ca2+"),
        ("C++", "c++"),
        ("3·5", "3.5"),
        (".05", "0.05"),
        ("1,000", "1000"),
        ("1,234.5", "1234.5"),
        ("5-HT", "5HT"),
        ("5mg", "5 mg"),
        ("mg/kg", "mg kg"),
        ("e-mail", "email"),
        ("co-operate", "cooperate"),
        ("treat-\nment", "treatment"),
        ("treat\u00adment", "treatment"),
        ("U.S.", "US"),
        ("don’t", "don't"),
        ("Parkinson’s", "Parkinson"),
        ("eﬃcient", "efficient"),
        ("https://doi.org/10.1000/xyz-1.", "10.1000/xyz-1"),
        ("doi:10.1000/XYZ", "10.1000/xyz"),
        ("２０１９", "2019"),
        ("file_name", "file name"),
        ("空气变凉", "空气"),
    ],
)
def test_other_ways_to_write_it_are_found(written: str, asked: str) -> None:
    assert terms(asked) & terms(written)


@each(
    ("text", "expected"),
    [
        ("3.5 mg/kg", ["3.5", "mg", "kg"]),
        ("1,000 mice", ["1000", "mice"]),
        ("p53.", ["p53"]),
        ("(C++)", ["c"]),
        ("10⁵ cells", ["10^5", "cells"]),
        ("version 1.2.3", ["version", "1.2.3"]),
        ("Pond's end.", ["pond", "end"]),
        ("a − b", ["a", "b"]),
        ("...", []),
        ("+ # -", []),
        ("हिन्दी", ["हिन्दी"]),
        ("δροσίζουν", ["δροσίζουν"]),
        ("cells¹²", ["cells"]),
    ],
)
def test_words_and_numbers_are_split_at_signs_and_possessives(
    text: str, expected: list[str]
) -> None:
    assert parts(text) == expected


def test_a_doi_is_a_word_whatever_is_in_front_of_it() -> None:
    for text in ("doi:10.1000/xyz-1.", "https://doi.org/10.1000/xyz-1", "(10.1000/xyz-1)"):
        assert "10.1000/xyz-1" in [word.text for word in words(text)]


@pytest.mark.parametrize(("one", "other"), [("10-20", "1020"), ("10⁵", "105"), ("3.5", "35")])
def test_numbers_are_not_run_together(one: str, other: str) -> None:
    assert not terms(one) & terms(other)


def test_a_long_compound_has_linearly_many_terms() -> None:
    compound = "-".join("abcdefgh" * 20)
    assert len(terms(compound)) < 500


@given(st.text(max_size=60))
def test_words_stand_where_they_say(text: str) -> None:
    end = 0
    for word in words(text):
        assert text[word.start : word.end] == word.text
        assert word.start >= end
        end = word.end
        assert all(term and not term.isspace() for side in forms(word.text) for term in side)


@given(st.text(alphabet=st.characters(max_codepoint=0x24F), max_size=40))
def test_capitals_do_not_count(text: str) -> None:
    if text.upper().casefold() == text.casefold():
        assert terms(text.upper()) == terms(text)


def test_accents_go_but_other_scripts_keep_their_marks() -> None:
    assert without_accents("Szélkuti, naïve") == "Szelkuti, naive"
    assert without_accents("がい") == "がい"
    assert normalized_spelling("Eﬃcient CO₂") == "efficient co2"


def test_words_that_are_wanted_are_found_wherever_they_stand_and_asked_about_once():
    text = "IL-6 and p53: il-6, IL-6."
    asked = []

    def wanted(word):
        asked.append(word)
        return word.casefold() == "il-6"

    found = matching_spans(text, wanted)
    assert [text[start:end] for start, end in found] == ["IL-6", "il-6", "IL-6"]
    assert asked == list(dict.fromkeys(word.text for word in words(text)))
