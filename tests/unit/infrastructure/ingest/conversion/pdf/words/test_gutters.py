"""Gutters that a line by itself does not show."""

import random

from citeloom.infrastructure.ingest.conversion.pdf.page_record import Word
from citeloom.infrastructure.ingest.conversion.pdf.words.word_runs import find_gutters, runs_of

HEIGHT = 12.0


def line(left, right, top, seed):
    """Words that fill a line from ``left`` to ``right``, as justified lines do."""
    dice = random.Random(seed)
    widths = []
    while sum(widths) + 3.5 * len(widths) < right - left - 30:
        widths.append(dice.uniform(8, 45))
    space = (right - left - sum(widths)) / (len(widths) - 1)
    x, words = left, []
    for width in widths:
        words.append(Word("word", x, top, x + width, top + HEIGHT, "Times", False, False))
        x += width + space
    return words


def column(left, right, lines, first=0):
    return [w for n in range(lines) for w in line(left, right, 100 + 14 * n, f"{left}-{n}-{first}")]


def test_two_columns_with_a_narrow_gutter_are_not_read_across() -> None:
    words = column(50.0, 245.0, 20) + column(253.0, 448.0, 20)
    [gutter] = find_gutters(words, HEIGHT)
    assert abs(gutter.x - 253) < 1
    runs = runs_of(words, HEIGHT, [gutter])
    assert not [run for run in runs if run.x0 < 245 and run.x1 > 253]
    assert [run for run in runs_of(words, HEIGHT) if run.x0 < 245 and run.x1 > 253]


def test_a_page_of_one_column_has_no_gutter() -> None:
    assert find_gutters(column(50.0, 448.0, 40), HEIGHT) == []


def test_lines_across_the_page_are_no_part_of_it() -> None:
    title = [w._replace(top=w.top - 60, bottom=w.bottom - 60) for w in line(50.0, 448.0, 100, 1)]
    words = column(50.0, 245.0, 20) + column(253.0, 448.0, 20) + title
    [gutter] = find_gutters(words, HEIGHT)
    assert gutter.top > max(w.bottom for w in title)


def test_a_hanging_number_or_a_narrow_cell_is_no_column() -> None:
    labels = [
        Word(f"[{n}]", 50.0, 100 + 14 * n, 62.0, 112 + 14 * n, "Times", False, False)
        for n in range(20)
    ]
    assert find_gutters(labels + column(70.0, 448.0, 20), HEIGHT) == []
