"""Phrases in quotation marks and exclusions: what is one, and which passages they let through."""

import time

from hypothesis import given
from hypothesis import strategies as st
from support.cases import each

from citeloom.domain.search.fusion import ParsedQuestion, is_one_word, parse_question


@each(
    ("text", "one"),
    [
        ("IL-6", True),
        (" 10.5555/ponds ", True),
        ("IL-6 levels", False),
        ("", False),
        ("池塘使夏天傍晚的空气变凉", False),
    ],
)
def test_a_single_word_is_told_from_many(text: str, one: bool) -> None:
    assert is_one_word(text) is one


@each(
    ("asked", "text", "phrases", "without"),
    [
        ('"square grid" error -transect', "square grid error", ("square grid",), ("transect",)),
        ('error -"square grid"', "error", (), ("square grid",)),
        ("“smart” and „deutsch“ «fr»", "smart and deutsch fr", ("smart", "deutsch", "fr"), ()),
        ('("in brackets")', "(in brackets)", ("in brackets",), ()),
        ("mice -C++, -il-6. rats", "mice rats", (), ("C++", "il-6")),
        ('"a" "a"', "a a", ("a",), ()),
        ("-only", "", (), ("only",)),
        ('"two\n lines"', "two lines", ("two lines",), ()),
    ],
)
def test_phrases_and_exclusions_are_parsed_out_of_a_question(
    asked: str, text: str, phrases: tuple, without: tuple
) -> None:
    assert parse_question(asked) == ParsedQuestion(text=text, phrases=phrases, without=without)


@each(
    "plain",
    [
        "well-known IL-6",
        'unbalanced "quote',
        '5" x 3" tube',
        "stored at -20 °C",
        "a - b",
        "see --flag",
        'say "hi"there',
        '"" empty "?"',
        "what do  ponds\ndo?",
        "pre- and post-test",
    ],
)
def test_plain_text_stays_as_it_is(plain: str) -> None:
    assert parse_question(plain) == ParsedQuestion(text=plain)


@given(st.text(max_size=80))
def test_nothing_is_taken_without_an_operator(text: str) -> None:
    parsed = parse_question(text)
    if not any(mark in text for mark in '-"“„«'):
        assert parsed == ParsedQuestion(text=text)
    if parsed.is_plain:
        assert parsed.text == text


WORDS = st.text(alphabet="abcxyzéß", min_size=1, max_size=6)


@given(st.lists(WORDS, min_size=1, max_size=4), st.lists(WORDS, min_size=1, max_size=3), WORDS)
def test_what_is_quoted_comes_back(phrase: list[str], rest: list[str], gone: str) -> None:
    asked = f'{" ".join(rest)} "{" ".join(phrase)}" -{gone}'
    parsed = parse_question(asked)
    assert parsed.phrases == (" ".join(phrase),)
    assert parsed.without == (gone,)
    assert parsed.text == " ".join([*rest, *phrase])


@each(
    ("text", "phrase"),
    [
        ("The Treat-\nment of mice", "treatment of mice"),
        ("with IL-6 and", "il6"),
        ("with IL6 and", "IL-6"),
        ("with IL 6 and", "IL-6"),
        ("TNFα", "tnf-alpha"),
        ("the  co-operation\nof", "cooperation of"),
        ("well known", "well-known"),
        ("well-known", "well known"),
        ("Naïve eﬃcient", "naive efficient"),
        ("CD4+ cells", "CD4+"),
        ("C++ code", "C++"),
        ("空气变凉", "空气"),
        ("接种COVID疫苗后", "COVID"),
        ("接种COVID疫苗后", "COVID疫苗"),
        ("接种 COVID 疫苗后", "COVID疫苗"),
        ("接种COVID疫苗后", "COVID 疫苗"),
        ("of 3.5 mg", "3.5 mg"),
        ("in CO₂,", "co2"),
        ("Parkinson’s disease", "parkinson's disease"),
        ("the grid, its error", "grid, its error"),
    ],
)
def test_a_phrase_is_found_however_it_is_typeset(text: str, phrase: str) -> None:
    assert ParsedQuestion(text="", phrases=(phrase,)).accepts(text)


@each(
    ("text", "phrase"),
    [
        ("cells", "cell"),
        ("nowhere", "now here"),
        ("10-20", "1020"),
        ("3 5 mg", "3.5 mg"),
        ("square or grid", "square grid"),
        ("square, grid", "square grid"),
        ("C code", "C++"),
        ("接种COVID2疫苗", "COVID疫苗"),
        ("空气 变凉", "空气变凉"),
        ("", "a"),
    ],
)
def test_a_phrase_is_not_found_in_something_else(text: str, phrase: str) -> None:
    assert not ParsedQuestion(text="", phrases=(phrase,)).accepts(text)


def test_exclusions_and_phrases_together() -> None:
    wording = parse_question('"square grid" -error')
    assert wording.accepts("A square\ngrid.")
    assert not wording.accepts("A square grid has an error.")
    assert not wording.accepts("A grid.")


@each("marks", ['"', ' "a', " -", ' -"', "«", " «a", " „a"])
def test_long_questions_with_many_marks_are_parsed_in_linear_time(marks: str) -> None:
    began = time.process_time()
    parse_question(marks * 32_000)
    # 3 to 20 ms here; were each mark looked for to the end of the text, seconds.
    assert time.process_time() - began < 1.0
