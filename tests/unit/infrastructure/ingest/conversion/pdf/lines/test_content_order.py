"""The order of the content against that of geometry."""

from hypothesis import given
from hypothesis import strategies as st
from support.pdf.page_lines import PITCH, SIZE

from citeloom.infrastructure.ingest.conversion.pdf.lines.reading_order import (
    content_columns,
    is_torn,
)
from citeloom.infrastructure.ingest.conversion.pdf.page_record import Word
from citeloom.infrastructure.ingest.conversion.pdf.words.word_runs import WordRun

ROWS = 12


def run(text: str, x0: float, x1: float, row: int, order: int) -> WordRun:
    base = 100 + row * PITCH
    word = Word(text, x0, base - SIZE, x1, base, "Roman", False, False, order=order)
    return WordRun((word,) * 4, word.box, word.top, word.bottom)


def two_columns(by_row: bool = False) -> list[WordRun]:
    """Left and right column, written one after the other or row by row."""
    runs = []
    for row in range(ROWS):
        left, right = (2 * row, 2 * row + 1) if by_row else (row, ROWS + row)
        runs.append(run(f"l{row}", 50, 280, row, left))
        runs.append(run(f"r{row}", 300, 530, row, right))
    return runs


def text(columns: list[list[WordRun]]) -> list[list[str]]:
    return [[r.words[0].text for r in column] for column in columns]


def test_columns_are_as_the_content_has_them() -> None:
    left, right = content_columns(two_columns())
    assert text([left, right]) == [
        [f"l{row}" for row in range(ROWS)],
        [f"r{row}" for row in range(ROWS)],
    ]


def test_an_order_that_weaves_columns_tears_the_content() -> None:
    runs = two_columns()
    assert is_torn([runs], runs)
    assert not is_torn(content_columns(runs), runs)


def test_content_that_goes_along_the_rows_tells_nothing() -> None:
    """Text layers of scans are written so."""
    runs = two_columns(by_row=True)
    columns = [[r for r in runs if r.x0 < 290], [r for r in runs if r.x0 > 290]]
    assert not is_torn(columns, runs)


def test_without_an_order_nothing_is_torn() -> None:
    runs = [r._replace(words=(r.words[0]._replace(order=-1),) * 4) for r in two_columns()]
    assert not is_torn([runs], runs)


def test_a_title_across_both_columns_stands_before_them() -> None:
    title = run("title", 50, 530, -2, 0)
    body = [r._replace(words=(r.words[0]._replace(order=r.order + 1),) * 4) for r in two_columns()]
    columns = content_columns([*body, title])
    assert columns[0][0].words[0].text == "title"
    assert sum(len(column) for column in columns) == len(body) + 1


@given(st.permutations(range(2 * ROWS)))
def test_no_run_is_lost_or_doubled(orders: list[int]) -> None:
    runs = [
        r._replace(words=(r.words[0]._replace(order=order),) * 4)
        for r, order in zip(two_columns(), orders, strict=True)
    ]
    names = [name for column in text(content_columns(runs)) for name in column]
    assert sorted(names) == sorted(r.words[0].text for r in runs)


def test_the_signs_of_formulas_tear_nothing() -> None:
    prose = [run(f"l{row}", 50, 280, 2 * row, 10 * row) for row in range(ROWS)]
    signs = [
        run("x", 100 + 20 * k, 110 + 20 * k, 2 * row + 1, 10 * row + 9 - k)
        for row in range(ROWS)
        for k in range(4)
    ]
    short = [sign._replace(words=sign.words[:1]) for sign in signs]
    assert not is_torn([[*prose, *short]], [*prose, *short])
