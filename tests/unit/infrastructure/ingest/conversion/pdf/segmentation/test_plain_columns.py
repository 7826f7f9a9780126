"""Lines in the order of the words."""

from support.pdf.page_lines import words

from citeloom.infrastructure.ingest.conversion.pdf.page_record import PageRecord, Word
from citeloom.infrastructure.ingest.conversion.pdf.segmentation import (
    plain_columns,
    upright_columns,
)


def columns(*lines: list[Word]) -> list[list[str]]:
    record = PageRecord(1, 600.0, 800.0, tuple(word for line in lines for word in line))
    return [[line.text for line in column.lines] for column in plain_columns(record)]


def test_lines_are_those_of_the_order_even_on_one_baseline() -> None:
    first, second = words("one two three"), words("four five six", x=55.0)
    assert columns(first, second) == [["one two three"], ["four five six"]]


def test_lines_below_each_other_are_one_column_and_the_next_begins_above() -> None:
    left = [words(text, base=base) for text, base in (("one two", 100), ("three", 112))]
    right = [words(text, x=300, base=base) for text, base in (("four", 100), ("five six", 112))]
    assert columns(*left, *right) == [["one two", "three"], ["four", "five six"]]


def test_far_along_the_line_another_begins() -> None:
    assert columns(words("left"), words("right", x=300)) == [["left"], ["right"]]


def test_heads_and_feet_are_left_out() -> None:
    record = PageRecord(1, 600.0, 800.0, (*words("Head 7", base=40), *words("one two")))
    (column,) = plain_columns(record, [(0.0, 30.0, 600.0, 45.0)])
    assert [line.text for line in column.lines] == ["one two"]


def test_what_runs_up_the_page_has_the_mark_of_what_cannot_be_read() -> None:
    up = [word._replace(order=at) for at, word in enumerate(words("Rate \ufffd", base=300.0))]
    placed = [word._replace(x0=50.0, x1=58.0, top=300.0 - 20 * word.order) for word in up]
    assert [text for text, _, _ in upright_columns(placed)] == ["Rate ▯"]
