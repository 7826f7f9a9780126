"""Boxes of words in a line, by the characters of the page."""

import pytest

from citeloom.domain.documents.spans import BBox
from citeloom.domain.maps.evidence import PageCharacter, box_of_words

LINE = "Ponds cool, and ponds cool."
BOX: BBox = (10.0, 100.0, 280.0, 112.0)


def characters(text: str = LINE, top: float = 102.0) -> list[PageCharacter]:
    """Each character 10 points wide, from x = 10 on."""
    return [
        PageCharacter(char, (10.0 + 10 * n, top, 20.0 + 10 * n, top + 8))
        for n, char in enumerate(text)
    ]


def box(words: str, nth: int = 0, read: list[PageCharacter] | None = None) -> BBox | None:
    start = -1
    for _ in range(nth + 1):
        start = LINE.index(words, start + 1)
    found = characters() if read is None else read
    return box_of_words(LINE, start, start + len(words), BOX, found)


def test_words_have_the_height_of_the_line_and_their_own_width() -> None:
    assert box("cool,") == (70.0, 100.0, 120.0, 112.0)


def test_of_words_that_stand_twice_those_meant_are_boxed() -> None:
    assert box("ool", nth=1) == (240.0, 100.0, 270.0, 112.0)


def test_punctuation_is_boxed_where_it_is_quoted() -> None:
    assert box("cool.") == (230.0, 100.0, 280.0, 112.0)
    assert box("cool", nth=1) == (230.0, 100.0, 270.0, 112.0)


def test_other_lines_of_the_page_do_not_count() -> None:
    assert box("cool,", read=[*characters("cool, elsewhere", 300.0), *characters()]) == (
        70.0, 100.0, 120.0, 112.0,
    )  # fmt: skip


def test_a_reading_with_ligatures_and_other_blanks_is_the_same() -> None:
    line = "The first office"
    read = characters("The ﬁrst   oﬃce")
    assert box_of_words(line, 4, 9, BOX, read) == (50.0, 100.0, 90.0, 112.0)


@pytest.mark.parametrize("text", ["", "Pxnds cxxl, and pxnds cxxl.", "Ponds cool and cool ponds"])
def test_what_the_page_does_not_tell_is_not_guessed(text: str) -> None:
    assert box("cool", read=characters(text)) is None


def test_words_that_another_reading_has_once_are_found_in_it() -> None:
    assert box("and", read=characters("Ponds coo1, and ponds coo1.")) == (
        130.0, 100.0, 160.0, 112.0,
    )  # fmt: skip


def test_in_a_line_that_runs_down_the_page_words_have_its_width() -> None:
    down = [
        PageCharacter(char, (102.0, 10.0 + 10 * n, 110.0, 20.0 + 10 * n))
        for n, char in enumerate(LINE)
    ]
    line_box = (100.0, 10.0, 112.0, 280.0)
    assert box_of_words(LINE, 6, 11, line_box, down) == (100.0, 70.0, 112.0, 120.0)
