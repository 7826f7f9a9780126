"""Super- and subscripts in plain text: notation, note marks, powers, search and quotation."""

import re

from hypothesis import given
from hypothesis import strategies as st
from support.cases import each

from citeloom.domain.text.normalized_text import NormalizedText, QuoteLocator
from citeloom.domain.text.scripts import lowered, note_marks, powers, raised, scripts_apart
from citeloom.domain.text.sentences import sentence_spans
from citeloom.domain.text.words import forms, words

SOURCE = (
    "At noon we counted 3.2 × 10⁶ cells at 10⁻³ mol in the survey.¹²,¹³ Younger walls (in 1998 ³) "
    "took up CO₂, H₂O and 5 m² of light, as Lee² says."
)


@each(
    ("before", "script", "after", "written"),
    [
        ("× 10", "6", " cells", "⁶"),
        ("10", "\u22123", " mol", "⁻³"),
        ("Ca", "2+", " ", "²⁺"),
        ("survey.", "12", " Next", "¹²"),
        ("survey.", "12, 13", " Next", "¹²,¹³"),
        ("survey", "2\u20134", " of", "²\u2013⁴"),
        ("in 1998", "3", " we", " ³"),
        ("page 19", "th", " of", "th"),
        ("x", "T", " y", "^T"),
        ("x", "T", "y", "^(T)"),
        ("2", "n+1", " steps", "^(n+1)"),
        ("0.85", "a", " |", "^a"),
        ("Loom", "TM", " is", "™"),
        ("Lee", "*", ",", "*"),
        ("Lee", "[3]", ",", "[3]"),
        ("L", "A", "TEX", "A"),
        ("Lee", " 3 ", "says", " ³ "),
    ],
)
def test_a_superscript_is_written(before: str, script: str, after: str, written: str) -> None:
    assert raised(script, before, after) == written


@each(
    ("before", "script", "after", "written"),
    [
        ("CO", "2", " in", "₂"),
        ("x", "i", " is", "_i"),
        ("x", "i,j", " is", "_(i,j)"),
        ("T", "max", " of", "_max"),
        ("T", "E", "X", "E"),
    ],
)
def test_a_subscript_is_written(before: str, script: str, after: str, written: str) -> None:
    assert lowered(script, before, after) == written


@given(st.integers(0, 999), st.sampled_from(["10", "x", "survey.", "in 1998", "Lee", ")"]))
def test_a_raised_number_is_no_digit_of_what_is_before_it(number: int, before: str) -> None:
    text = before + raised(str(number), before)
    assert re.findall(r"\d+", text) == re.findall(r"\d+", before)


def test_raised_numbers_of_notes_are_told_from_powers() -> None:
    text = "survey.¹²,¹³ Lee² 5 m² R² (ab)² (the last one)² 10⁶ Ca²⁺ ¹⁴C in 1998 ³ of³ log² x"
    assert [text[a:b] for a, b in note_marks(text)] == ["¹²,¹³", "²", "²", "³", "³"]


@each("written", ["10⁻³", "10^-3", "10^{-3}", "10**-3", "10^-3^", "10$^{-3}$", "10$^-3$"])
def test_a_power_is_read_in_each_spelling(written: str) -> None:
    assert [exponent for _, _, exponent in powers(written)] == ["-3"]
    assert NormalizedText(f"at {written} mol").letters == "at10^-3mol"


def test_a_power_is_found_in_each_spelling_and_never_as_a_number_of_its_digits() -> None:
    assert forms("10⁶") == forms("10^6") == forms("10**6") == forms("10^{6")
    assert forms("10⁶").parts != forms("106").parts
    source = QuoteLocator(SOURCE)
    for quote in ("3.2 × 10^6 cells", "3.2 × 10⁶ cells", "3.2 × 10$^6$ cells", "10^{-3} mol"):
        assert [SOURCE[s.start : s.end] for s in source.find(quote)], quote
    for quote in ("3.2 × 106 cells", "3.2 × 10 cells", "103 mol", "10 3 mol", "10-3 mol"):
        assert not source.find(quote), quote


def test_numbers_of_notes_are_no_words_and_no_part_of_a_quotation() -> None:
    found = [word.text for word in words("the survey.¹²,¹³ In 1998 ³ we")]
    assert found == ["the", "survey", "In", "1998", "we"]
    assert forms("survey¹²") == forms("survey")
    locator = QuoteLocator(SOURCE)
    assert locator.find("in the survey. Younger walls (in 1998) took up CO2, H2O and 5 m2")
    assert locator.find("as Lee says")


def test_a_sentence_ends_behind_the_numbers_of_its_notes() -> None:
    first, second = (SOURCE[a:b] for a, b in sentence_spans(SOURCE))
    assert first.endswith("survey.¹²,¹³")
    assert second.startswith("Younger walls")


@given(st.text("ab1 _^()²₃⁻.", max_size=30))
def test_scripts_set_apart_lose_no_letter(text: str) -> None:
    for joined in (True, False):
        apart = scripts_apart(text, lambda _, joined=joined: joined)  # type: ignore[misc]
        assert [c for c in apart if c.isalnum()] == [c for c in text if c.isalnum()]


def test_scripts_are_set_apart_in_bounded_time() -> None:
    for text in ("a" * 20_000, "a_" * 20_000, "a_(" * 20_000, "²" * 20_000, "a²" * 20_000):
        scripts_apart(text, lambda _: False)
