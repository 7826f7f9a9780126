from support.pdf.page_lines import PITCH, SIZE

from citeloom.infrastructure.ingest.conversion.pdf.lines.reading_order import (
    ColumnRuns,
    reading_order,
)
from citeloom.infrastructure.ingest.conversion.pdf.page_record import Word
from citeloom.infrastructure.ingest.conversion.pdf.words.word_runs import WordRun, runs_of


def _line(text: str, x0: float, x1: float, base: float) -> WordRun:
    word = Word(text, x0, base - SIZE, x1, base, "Roman", False, False)
    return WordRun((word,), word.box, word.top, word.bottom)


def _column(name: str, x0: float, x1: float, count: int, base: float = 100.0) -> list[WordRun]:
    return [_line(f"{name}{i}", x0, x1, base + i * PITCH) for i in range(count)]


def _order(groups: list[ColumnRuns]) -> list[str]:
    return [
        word.text
        for group in groups
        for run in sorted(group.runs, key=lambda r: r.bottom)
        for word in run.words
    ]


def test_one_column_stays_whole() -> None:
    runs = _column("a", 50, 450, 20)
    (group,) = reading_order(runs, SIZE)
    assert len(group.runs) == 20


def test_two_columns_are_read_one_after_the_other() -> None:
    left, right = _column("l", 50, 240, 20), _column("r", 260, 450, 20, base=101.0)
    order = _order(reading_order(left + right, SIZE))
    assert order == [f"l{i}" for i in range(20)] + [f"r{i}" for i in range(20)]


def test_a_full_width_block_cuts_the_page_into_bands() -> None:
    runs = _column("a", 50, 240, 8) + _column("b", 260, 450, 8)
    runs += _column("wide", 50, 450, 2, base=220.0)
    runs += _column("c", 50, 240, 8, base=260.0) + _column("d", 260, 450, 8, base=260.0)
    order = [name.rstrip("0123456789") for name in _order(reading_order(runs, SIZE))]
    assert list(dict.fromkeys(order)) == ["a", "b", "wide", "c", "d"]


def test_a_line_that_runs_a_little_into_the_gutter_stays_in_its_column() -> None:
    runs = _column("l", 50, 240, 20) + _column("r", 260, 450, 20, base=106.0)
    runs[7] = _line("l7", 50, 268, 100 + 7 * PITCH)
    assert _order(reading_order(runs, SIZE))[:20] == [f"l{i}" for i in range(20)]


def test_a_margin_note_comes_after_the_text_and_is_marked() -> None:
    main = _column("m", 170, 550, 30)
    notes = [_line(f"n{i}", 30, 90 + 10 * (i % 3), 103.0 + i * 13.7) for i in range(8)]
    groups = reading_order(main + notes, SIZE)
    assert [g.aside for g in groups] == [False, True]
    assert _order(groups)[-8:] == [f"n{i}" for i in range(8)]


def test_cells_of_a_table_are_no_columns() -> None:
    text = _column("t", 50, 450, 20)
    cells = [
        _line(f"c{row}{col}", 60 + 100 * col, 85 + 100 * col, 360.0 + row * PITCH)
        for row in range(6)
        for col in range(4)
    ]
    assert len(reading_order(text + cells, SIZE)) == 1


def test_a_rule_across_the_corridor_tells_a_table_of_prose_from_columns() -> None:
    runs = _column("l", 50, 240, 8) + _column("r", 260, 450, 8)
    rule = (50.0, 103.0, 450.0, 103.5)
    assert len(reading_order(runs, SIZE)) > 1
    assert len(reading_order(runs, SIZE, rules=[rule])) == 1


def test_runs_keep_every_word() -> None:
    given = [
        Word(
            f"w{i}",
            50 + (i % 9) * 30.0,
            100 + i // 9 * PITCH,
            70 + (i % 9) * 30.0,
            108 + i // 9 * PITCH,
            "Roman",
            False,
            False,
        )
        for i in range(90)
    ]
    groups = reading_order(runs_of(given, SIZE), SIZE)
    assert sorted(_order(groups)) == sorted(w.text for w in given)


def test_the_short_last_line_of_a_full_width_block_stays_in_it() -> None:
    runs = [*_column("cap", 50, 450, 2), _line("last", 50, 200, 100 + 2 * PITCH)]
    runs += _column("l", 50, 240, 12, base=160.0) + _column("r", 260, 450, 12, base=160.0)
    order = _order(reading_order(runs, SIZE))
    assert order[:4] == ["cap0", "cap1", "last", "l0"]


def test_a_margin_of_notes_beside_short_lines_is_still_a_margin() -> None:
    main = [_line(f"h{i}", 170, 250 + 9 * i, 106.0 + i * 13.7) for i in range(8)]
    main += _column("m", 170, 550, 30, base=220.0)
    notes = [_line(f"n{i}", 30, 100 + 10 * (i % 3), 103.0 + i * 13.7) for i in range(8)]
    groups = reading_order(main + notes, SIZE)
    assert [g.aside for g in groups] == [False, True]
