"""Sentences whose words another reading of the page does not have side by side."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.cases import each

from citeloom.domain.documents.disputes import disputed_sentences, page_letters
from citeloom.domain.documents.fidelity import DocumentFidelity, PageFidelity, disputed_note
from citeloom.domain.documents.spans import CharSpan, Line
from citeloom.domain.text.sentences import sentence_spans

made_up = st.lists(st.text("abcdefghij", min_size=5, max_size=9), min_size=24, max_size=24)


def disputed(
    text: str, lines: Sequence[str], reading: str, *, pages: Sequence[int] = (), down: float = 12.0
) -> list[str]:
    """The disputed sentences of a text in ``lines``, each ``down`` points below the one before;
    ``pages`` are theirs, and all have the same ``reading``."""
    placed, at = [], 0
    for number, line in enumerate(lines):
        at = text.index(line, at)
        page = pages[number] if pages else 1
        top = 100 + down * number
        placed.append(Line(at, at + len(line), page, (50, top, 300, top + 9)))
    letters = dict.fromkeys({line.page for line in placed}, page_letters([reading]))
    spans = disputed_sentences(text, sentence_spans(text), placed, letters)
    return [text[span.start : span.end] for span in spans]


@given(made_up)
def test_what_another_reading_has_in_one_piece_is_sound(words: list[str]) -> None:
    text = " ".join(words).capitalize() + "."
    assert disputed(text, [text], text.replace(" ", "\r\n")) == []


@given(made_up, st.integers(3, 9))
def test_lines_of_two_columns_in_one_row_are_disputed(words: list[str], width: int) -> None:
    distinct = [
        f"{word}{'klmnopqrstuvwxyz'[at % 16] * (1 + at // 16)}" for at, word in enumerate(words)
    ]
    left, right = distinct[:12], distinct[12:]
    spliced = " ".join([*left[:width], *right[:width], *left[width:]])
    reading = " ".join([*left, "\n", *right])
    assert disputed(spliced, [spliced], reading) == [spliced]


@each(
    ("text", "reading"),
    [
        (
            "The coop- erative pigs of state-of-the-art.",
            "The coop\ufffeerative pigs of state-of-\nthe-art.",
        ),
        ("The ratio R i = 2 x of both falls.", "The ratio Ri\n= x 2 of both falls."),
        ("The naïve reader sees the efficient file.", "The na¨ıve reader sees the eﬃcient ﬁle."),
        ("The first letter was large.", "T\nsomething else\nhe first letter was large."),
        ("蛋白质的结构是已知的。", "蛋白质的结构\n是已知的。"),
    ],
)
def test_spelling_formulas_and_drop_caps_are_not_disputed(text: str, reading: str) -> None:
    assert disputed(text, [text], reading) == []


def test_a_sentence_goes_on_over_the_end_of_a_page_in_lower_case() -> None:
    first, second = "The sentence at the end of", "this page goes on here."
    reading = f"{second} {first}"
    assert disputed(f"{first} {second}", [first, second], reading, pages=(1, 2)) == []
    head = "Methods of Machines 21"
    fused = f"{first} {head}"
    assert disputed(fused, [first, head], f"{head} {first}", pages=(1, 2)) == [fused]


def test_a_name_in_two_parts_may_be_cut_at_the_end_of_a_page() -> None:
    first, second = "It is the theory of types of Martin-", "Löf that they begin with."
    text = f"{first}{second}"
    reading = f"{second} {first} and Martin-Löf again"
    assert disputed(text, [first, second], reading, pages=(1, 2)) == []
    assert disputed(text, [first, second], f"{second} {first}", pages=(1, 2)) == [text]


def test_a_capital_after_white_space_begins_something_else_though_both_readings_run_on() -> None:
    caption, prose = "Figure 6 shows the balance of work", "The amount varies between programs."
    text = f"{caption} {prose}"
    assert disputed(text, [caption, prose], text) == []
    assert disputed(text, [caption, prose], text, down=40.0) == [text]


@each(
    ("text", "found"),
    [
        ("The atoms are sets, tuples, add (a) Figure 2: Grow-only Set.", True),
        ("The same is shown in Figure 2: The sets only grow and grow.", False),
        ("It is k₂ = ⎛2/N – 1⎞ k and the amplitude in each of these is less.", True),
        ("It is l₁ = 2-----------------k and the amplitude in each of these is less.", True),
        ("Figure 2: The sets only grow and grow, as atoms do.", False),
    ],
)
def test_a_caption_within_a_sentence_is_disputed(text: str, found: bool) -> None:
    assert disputed(text, [text], text) == ([text] if found else [])


@each(
    ("code", "left", "found"),
    [
        ("if it runs then let it run on and on", 64.0, True),  # set in
        ("if it runs then", 50.0, True),  # short, though the sentence goes on
        ("if it runs then let it run on and on", 50.0, False),
    ],
)
@pytest.mark.parametrize("pitch", [12.0, 30.0])
def test_what_is_set_apart_below_white_space_is_no_rest_of_a_sentence(
    code: str, left: float, found: bool, pitch: float
) -> None:
    texts = ["It is the first line of it. The sentence", "before a listing has no end", code, "too"]
    tops, text, at = [100.0, 100 + pitch, 130 + pitch, 130 + 2 * pitch], " ".join(texts), 0
    lines = list[Line]()
    for number, line in enumerate(texts):
        x = left if number == 2 else 50.0
        box = (x, tops[number], x + 6 * len(line), tops[number] + 9)
        lines.append(Line(at, at + len(line), 1, box))
        at += len(line) + 1
    spans = disputed_sentences(text, sentence_spans(text), lines, {1: page_letters([text])})
    is_double_spaced = pitch > 19
    assert bool([*spans]) is (found and not is_double_spaced)


def test_words_left_out_behind_a_number_are_missed() -> None:
    text = "Figure 6. compression methods on three data sets."
    reading = "Figure 6. Comparison of\ncompression methods on three data sets."
    assert disputed(text, [text], reading) == [text]


def test_a_page_without_another_reading_is_not_judged() -> None:
    text = "All of these words are anywhere else."
    line = Line(0, len(text), 1, (50, 100, 300, 109))
    assert [*disputed_sentences(text, sentence_spans(text), [line], {})] == []


def test_a_passage_is_uncertain_where_a_sentence_in_it_is_disputed() -> None:
    span = CharSpan(start=10, end=30)
    page = PageFidelity(page=1, words=50, words_kept=1, words_true=1, pairs_kept=1, pairs_true=1)
    known = DocumentFidelity.of([page], [1, 2], (span,))
    assert known is not None
    assert known.is_uncertain((1,)) is False
    assert known.is_uncertain((1,), CharSpan(start=0, end=11)) is True
    assert known.is_uncertain((1,), CharSpan(start=30, end=40)) is False
    assert known.disputed_in(CharSpan(start=29, end=40)) == [span]


@each(
    ("number", "reading", "found"),
    [
        ("[8]", "joins the library and a unified programming model 8 Meijer", True),
        ("[8]", "joins the library and a unified 8 programming model", False),
        ("5", "joins the library and a unified programming model 5", True),
        ("⁸", "joins the library and a unified programming model 8", False),
    ],
)
def test_a_number_between_words_that_a_reading_has_without_it_is_disputed(
    number: str, reading: str, found: bool
) -> None:
    text = f"It joins the library and a unified {number} programming model."
    assert disputed(text, [text], f"It {reading}") == ([text] if found else [])


def test_disputed_sentences_are_named_in_one_note() -> None:
    note = "check against the page, whose words are uncertain: “It\u00a0rains.”; “Ponds cool.”"
    assert disputed_note("It\u00a0rains.", "Ponds\ncool.") == note.replace("\u00a0", " ")
