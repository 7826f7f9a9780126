"""Fractions, roots, limits and large brackets as words of the line of their formula."""

import unicodedata
from itertools import pairwise
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.cases import each

from citeloom.domain.documents.spans import BBox
from citeloom.infrastructure.ingest.conversion.pdf.page_record import Word
from citeloom.infrastructure.ingest.conversion.pdf.words.characters import ASCENT, DESCENT
from citeloom.infrastructure.ingest.conversion.pdf.words.formulas import linear_formulas
from citeloom.infrastructure.ingest.conversion.pdf.words.word_runs import join_words

EM = 10.0
Placed = tuple[str, float, float] | tuple[str, float, float, float]
"""Text, left edge, height above the line's baseline, and em, of a word; letters are half an em."""


def words_of(*placed: Placed, font: str = "CMMI10") -> list[Word]:
    words = []
    for order, (text, x, rise, *em) in enumerate(placed):
        size, base = (em or [EM])[0], 100.0 - rise
        words.append(
            Word(
                text, x, base - ASCENT * size, x + 0.5 * size * len(text), base + DESCENT * size,
                font, False, False, order=order,
            )
        )  # fmt: skip
    return words


def bar(x0: float, x1: float, rise: float = 2.5) -> BBox:
    return (x0, 99.8 - rise, x1, 100.2 - rise)


def line_of(words: list[Word], *bars: BBox) -> str:
    return join_words(linear_formulas(words, bars)[0])


Y = (("y", 50.0, 0.0), ("=", 58.0, 0.0))
FRACTION = (*Y, ("a", 70.0, 6.8), ("+", 77.0, 6.8), ("b", 84.0, 6.8), ("c", 77.0, -6.9))


def test_what_is_over_and_under_a_bar_is_a_fraction() -> None:
    assert line_of(words_of(*FRACTION, (".", 90.0, 0.0)), bar(70, 89)) == "y = (a + b)/c."
    words, boxes = linear_formulas(words_of(*FRACTION), [bar(70, 89)])
    assert [word.text for word in words] == ["y", "=", "(a + b)/c"]
    assert [word.bottom for word in words[1:]] == [words[0].bottom] * 2
    assert [(box[0], box[2]) for box in boxes] == [(70.0, 89.0)]
    assert boxes[0][1] < 90 < 105 < boxes[0][3], "the box is that of both rows"


def test_fractions_stand_in_fractions() -> None:
    nested = (
        *Y,
        ("1", 75.0, 8.0), ("1", 70.0, -5.0, 7.0), ("2", 70.0, -11.0, 7.0), ("+", 76.0, -8.5),
        ("x", 82.0, -8.5),
    )  # fmt: skip
    bars = (bar(69, 87), bar(70, 73.5, -6.3))
    assert line_of(words_of(*nested), *bars) == "y = 1/(1/2 + x)"


def test_a_function_is_apart_from_what_is_on_its_line() -> None:
    words = words_of(("L", 0, 0), ("log", 6.7, 0), ("n", 23.4, 0))
    assert line_of([word._replace(spaced=False) for word in words]) == "L log n"
    words = words_of(("L", 0, 0), ("log", 5, 0), ("n", 20, 0))
    assert line_of([word._replace(spaced=False) for word in words]) == "Llogn"


def rows_of(rows: list[list[str]], brackets: str, x: float = 70.0) -> list[Placed]:
    """Rows between large brackets, with a row's pitch of an em and a cell's of two."""
    middle = (len(rows) - 1) / 2
    placed: list[Placed] = [(brackets[0], x, 0.0)]
    for at, row in enumerate(rows):
        rise = 1.4 * EM * (middle - at)
        placed += [(text, x + EM + 2 * EM * k, rise) for k, text in enumerate(row)]
    return [*placed, (brackets[1], x + EM + 2 * EM * len(rows[0]), 0.0)]


@pytest.mark.parametrize("seed", range(8))
def test_rows_between_large_brackets_are_one_word(seed: int) -> None:
    made = Random(seed)
    brackets, columns = made.choice(["()", "[]", "||"]), made.randint(1, 3)
    rows = [made.choices("abxyz01", k=columns) for _ in range(made.choice([2, 4]))]
    words = words_of(*Y, *rows_of(rows, brackets), (".", 190.0, 0.0))
    written = "¦".join(" ".join(row) for row in rows)
    line = line_of(words).replace(" .", ".")
    assert line == f"y = {brackets[0]}{written}{brackets[1]}."


@pytest.mark.parametrize("seed", range(8))
def test_the_cases_behind_a_large_brace_are_one_word(seed: int) -> None:
    made = Random(seed)
    rows = [made.choices("abxyz01", k=made.randint(1, 3)) for _ in range(made.randint(2, 5))]
    lowest = -1.4 * EM * (len(rows) - 1) / 2
    after = (("(4)", 250.0, 0.0), ("where", made.choice([20.0, 80.0]), lowest - 2.8 * EM))
    words = words_of(*Y, *rows_of(rows, "{}")[:-1], *after)
    found, _ = linear_formulas(words, ())
    written = "¦".join(" ".join(row) for row in rows)
    assert [word.text for word in found] == ["y", "=", f"{{{written}", "(4)", "where"]


def test_a_set_is_not_read_as_cases() -> None:
    placed = (*Y, ("{", 66, 0), ("a", 72, 0), ("}", 78, 0), ("b", 72, -14.0))
    assert "¦" not in line_of(words_of(*placed))


def test_a_row_of_hyphens_behind_both_parts_is_the_bar_of_a_fraction() -> None:
    placed = (("of", 0.0, 0.0), ("items", 40.0, 0.0), ("mn", 19.5, 5.5), ("2", 22.0, -6.7))
    words = words_of(*placed, ("--", 19.5, 0.0), font="Times-Roman")
    found, _ = linear_formulas(words, ())
    assert [word.text for word in found] == ["of", "items", "mn/2"]
    assert found[-1].bottom == words[0].bottom
    code = words_of(("i", 0.0, 12.0), ("--", 0.0, 0.0), ("j", 0.0, -12.0), font="Courier")
    assert [word.text for word in linear_formulas(code, ())[0]] == ["i", "--", "j"]
    underlined = (("Lines", 0.0, 10.0), ("-----", 0.0, 0.0), ("Pages", 0.0, -10.0))
    assert line_of(words_of(*underlined, font="Courier")) == "Lines ----- Pages"


def test_what_is_on_the_line_of_its_brackets_is_no_row() -> None:
    placed = (*Y, ("(", 66, 0), ("x", 72, 0), ("+", 78, 0), ("z", 84, -7.0, 7.0), (")", 90, 0))
    assert "¦" not in line_of(words_of(*placed))


def test_words_between_brackets_that_are_not_rows_are_all_kept() -> None:
    inner = [("a", 80.0, 14.0), ("b", 80.0, 0.0), ("x", 80.0, -14.0), ("z", 90.0, -6.0)]
    line = line_of(words_of(*Y, ("(", 70.0, 0.0), *inner, (")", 100.0, 0.0)))
    assert {text for text, *_ in inner} <= {*line}


@each(
    ("placed", "line", "text"),
    [
        ([("v", 70.0, 0.0)], (70, 75), "y = v̅"),
        ([("v.", 70.0, 0.0)], (70, 75), "y = v̅."),
        ([("H", 70.0, 0.0), ("n", 75.0, -1.5, 7.0)], (70, 78.5), "y = H̅ n̅"),
        ([("v", 70.0, 0.0)], (40, 75), "y = v"),  # a longer rule
        ([("a", 70.0, 14.0), ("v", 70.0, 0.0)], (70, 75), None),  # of a fraction
    ],
)
def test_a_line_over_letters_is_over_each(
    placed: list[Placed], line: tuple[float, float], text: str | None
) -> None:
    rule = bar(*line, 8.0)
    read, at_begin = line_of(words_of(*Y, *placed), rule), line_of(words_of(*placed), rule)
    assert read == text if text else "\u0305" not in read
    assert text is None or at_begin == text.removeprefix("y = ")


def test_a_line_over_a_letter_is_one_beside_rows_too() -> None:
    words = words_of(*Y, ("v", 70.0, 0.0), *rows_of([["n"], ["k"]], "()", 80.0))
    assert line_of(words, bar(70, 75, 8.0)) == "y = v\u0305 (n¦k)"


@pytest.mark.parametrize("first", [False, True])
def test_the_index_of_a_root_is_before_it(first: bool) -> None:
    signs = [("√", 68.0, 1.0), ("3", 69.5, 3.0, 6.0)]
    root = (*Y, *(reversed(signs) if first else signs), ("2", 73.0, 0.0), ("z", 87.0, 0.0))
    assert line_of(words_of(*root), bar(73, 78, 9.0)) == "y = ³√2 z"


def test_what_is_under_the_bar_of_a_root_is_in_it() -> None:
    root = (*Y, ("√", 68.0, 1.0), ("1", 73.0, 0.0), ("−", 80.0, 0.0), ("x", 87.0, 0.0))
    assert line_of(words_of(*root), bar(73, 92, 9.0)) == "y = √(1 − x)"
    under = (*Y, ("√", 68.0, -5.5), ("1", 71.0, 7.0), ("x", 73.0, -6.5))
    assert line_of(words_of(*under), bar(68, 78), bar(73, 78, 1.2)) == "y = 1/(√x)"
    total = (
        ("y", 46.0, 0.0), ("=", 54.0, 0.0), ("√", 63.0, 1.0), ("∑", 70.0, 0.0),
        ("n", 72.0, 11.0, 7.0), ("i=1", 68.0, -10.0, 7.0), ("k", 82.0, 0.0),
    )  # fmt: skip
    assert line_of(words_of(*total), bar(68, 87, 16.0)) == "y = √(∑_(i=1)^n k)"
    over = (*Y, ("√", 68.0, 1.0), ("a", 74.2, 6.8), ("b", 74.2, -6.9))
    assert line_of(words_of(*over), bar(73, 80.4, 15.0), bar(74.2, 79.2)) == "y = √(a/b)"


@pytest.mark.parametrize(
    "limits",
    [
        [("n", 72.0, 11.0, 7.0), ("∑", 70.0, 0.0), ("i=1", 68.0, -10.0, 7.0)],
        [("∑", 70.0, 0.0), ("n", 72.0, 11.0, 7.0), ("i=1", 68.0, -10.0, 7.0)],
    ],
)
def test_limits_are_scripts_of_their_operator(limits: list[Placed]) -> None:
    assert line_of(words_of(*Y, *limits, ("k", 82.0, 0.0))) == "y = ∑_(i=1)^n k"


def test_an_operator_with_words_under_it_is_a_named_one() -> None:
    placed = words_of(*Y, ("max", 70.0, 0.0), ("h", 75.0, -7.0, 7.0), ("f", 88.0, 0.0))
    assert line_of(placed) == "y = max_h f"
    assert line_of(words_of(("x", 70.0, 0.0), ("h", 71.0, -7.0, 7.0))) == "x h"


def test_brackets_back_to_back_hold_rows_each_of_its_own() -> None:
    first, second = rows_of([["n"], ["k"]], "()"), rows_of([["m"], ["j"]], "()", 90.0)
    x = first[-1][1]
    words = words_of(*Y, *first[:-1], (")(", x, 0.0), *second[1:])
    assert line_of(words) == "y = (n¦k)(m¦j)"


def test_a_shaft_and_its_arrow_are_one_sign() -> None:
    assert line_of(words_of(("w", 0, 0), ("−", 12, 0), ("→", 11, 0), ("u", 20, 0))) == "w → u"
    vector = (("m", 0, 0), ("−", 12, 4), ("→", 11, 4, 15.0), ("a", 12, 0))
    assert line_of(words_of(*vector)) == "m a\u20d7"
    column = (("−", 0, 42), ("→", 0, 28), ("x", 0, 0))
    assert line_of(words_of(*column)) == "− → x"


def test_pieces_over_each_other_are_one_bracket() -> None:
    pieces = (("⎛", 70.0, 9.0), ("⎝", 70.0, -4.0), ("x", 75.5, 0.0), ("⎞", 81.0, 9.0))
    assert line_of(words_of(*Y, *pieces, ("⎠", 81.0, -4.0))) == "y = (x)"


def test_far_scripts_of_large_brackets_are_on_the_line() -> None:
    far = (("2", 81.2, 10.0, 7.0), ("n", 85.0, 10.0, 7.0))
    words = words_of(("x", 70.0, 0.0), (")", 76.0, 0.0), *far)
    found, _ = linear_formulas(words, ())
    assert {round(100 - word.bottom + DESCENT * 7, 2) for word in found[2:]} == {3.6}


@each(
    ("first", "second", "text"),
    [
        (("\u0338", 70.0, 0.0), ("=", 70.0, 0.0), "≠"),
        (("\u0338", 70.0, 0.0), ("<x", 70.0, 0.0), "≮x"),
        (("/", 70.0, 0.0), ("∈", 70.5, 0.0), "∉"),
        (("/", 70.0, 0.0), ("∈", 75.5, 0.0), "/ ∈"),
        (("/", 70.0, 0.0), ("x", 70.5, 0.0), "/ x"),
        (("x", 70.0, 0.0), ("˜", 70.2, 0.0), "x̃"),
        (("ˆ", 70.2, 2.0), ("Z", 70.0, 0.0), "Ẑ"),
        (("˜", 70.0, 0.0), ("N", 70.5, -2.0, 7.0), "˜ N"),
        (("◯", 68.0, 0.0, 18.0), ("c", 70.0, 0.0), "©"),
    ],
)
def test_signs_struck_out_and_accents_are_one_character(
    first: Placed, second: Placed, text: str
) -> None:
    words, _ = linear_formulas(words_of(first, second), ())
    assert " ".join(word.text for word in words) == text


@each(
    ("placed", "bars"),
    [
        # A heading that is underlined, centred over another row.
        ([("Results", 70.0, 6.0), ("shown", 75.0, -6.0)], [bar(70, 105)]),
        # The same beside a row that is not level with the bar.
        ([("up", 50.0, 6.0), ("Results", 70.0, 6.0), ("shown", 75.0, -6.0)], [bar(70, 105)]),
        # Underlined words, and the beginning of the next line.
        ([*Y, ("so", 70.0, 5.0), ("the", 70.0, -6.0), ("rest", 88.0, -6.0)], [bar(70, 80)]),
        # A rule between the head and the cells of a table.
        ([*Y, ("Mean", 70.0, 6.0), ("1.5", 70.0, -6.0), ("2.5", 70.0, -18.0)], [bar(60, 120)]),
        # A bar far from both.
        ([*Y, ("a", 70.0, 20.0), ("b", 70.0, -20.0)], [bar(70, 75)]),
        # Cells of a table beside one over two rows.
        ([("CCC", 50.0, 0.0), ("CCC", 70.0, 6.8), ("CCC", 70.0, -6.9)], [bar(70, 85)]),
        # Rows of a table between rules of one length.
        (
            [("Cell", 70.0, 6.0), ("12", 105.0, 6.0), ("Call", 70.0, -6.0), ("34", 105.0, -6.0)],
            [bar(70, 115, 12.0), bar(70, 115), bar(70, 115, -10.0)],
        ),
        # Two rows over the bar.
        ([*Y, ("a", 70.0, 18.0), ("b", 70.0, 6.0), ("c", 70.0, -6.0)], [bar(70, 75)]),
    ],
)
def test_other_rules_are_no_fractions(placed: list[Placed], bars: list[BBox]) -> None:
    words = words_of(*placed, font="Times-Roman")
    assert linear_formulas(words, bars) == (words, [])


texts = st.text("abxyz12+−=()√∑⎛⎝/˜̸", min_size=1, max_size=3)
places = st.floats(50, 120)
drawn_words = st.lists(
    st.tuples(texts, places, st.floats(-20, 20), st.sampled_from([EM, 7.0])), max_size=14
)
drawn_bars = st.lists(st.tuples(places, st.floats(2, 60), st.floats(-15, 15)), max_size=5)


@given(drawn_words, drawn_bars)
def test_no_letter_is_lost_or_read_twice(
    placed: list[Placed], bars: list[tuple[float, float, float]]
) -> None:
    words = words_of(*placed)
    found, boxes = linear_formulas(words, [bar(x, x + width, rise) for x, width, rise in bars])
    letters = sorted(c for word in words for c in word.text if c in "abxyz12")
    stems = str.maketrans("¹²₁₂", "1212")
    read = "".join(word.text for word in found).translate(stems)
    bare = unicodedata.normalize("NFD", read)
    assert sorted(c for c in bare if c in "abxyz12") == letters
    assert all(before.order < word.order for before, word in pairwise(found))
    assert len(boxes) <= len(words)
