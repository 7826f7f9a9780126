"""Tables: what fits, what is wrapped, and what becomes blocks of lines."""

import sys

import pytest
from support.cases import each

from citeloom.infrastructure.cli.shared.output import (
    cell_len,
    fitted,
    pair_lines,
    print_prose,
    table_lines,
    wrapped,
)

COLUMNS = ("Key", "Pages", "Title")
ROWS = [
    ["smith2020", "12", "On the cooling of the street by ponds, in four districts of one city"],
    ["szélkuti", "-", "Grids"],
]
PATH = "/home/me/papers on ponds/cooling-of-the-street.pdf"


def test_without_a_width_nothing_is_wrapped_and_nothing_is_padded_at_the_end() -> None:
    lines = list(table_lines(COLUMNS, ROWS, None))
    assert lines == [
        "Key        Pages  Title",
        f"─────────  ─────  {'─' * len(ROWS[0][2])}",
        f"smith2020  12     {ROWS[0][2]}",
        "szélkuti   -      Grids",
    ]


@each("width", range(44, 90))
def test_a_table_keeps_to_the_width_and_wraps_at_blanks(width: int) -> None:
    lines = list(table_lines(COLUMNS, ROWS, width))
    assert max(map(len, lines)) <= width
    assert lines[0].split() == list(COLUMNS)
    assert not any(line.endswith(" ") for line in lines)
    words = " ".join(line[18:] for line in lines[2:-1]).split()
    assert words == ROWS[0][2].split()


def test_a_long_heading_is_wrapped_above_its_column() -> None:
    columns = ("Paper", "How many ponds were measured in the four districts?")
    lines = list(table_lines(columns, [["smith2020", "four ponds"]], 50))
    assert max(map(len, lines)) <= 50
    assert " ".join(line[11:] for line in lines[:2]) == columns[1]
    assert lines[2].startswith("─")


def test_what_does_not_fit_in_columns_is_told_in_blocks() -> None:
    assert list(table_lines(COLUMNS, ROWS, 40)) == [
        "Key    smith2020",
        "Pages  12",
        "Title  On the cooling of the street by",
        "       ponds, in four districts of one",
        "       city",
        "",
        "Key    szélkuti",
        "Title  Grids",
    ]


@pytest.mark.parametrize("width", range(12, 90))
def test_a_cut_table_has_one_line_a_row(width: int) -> None:
    columns, rows = fitted(COLUMNS, ROWS, width, {"Pages": 5, "Title": 10})
    lines = list(table_lines(columns, rows, width))
    assert len(lines) == 2 + len(ROWS)
    assert max(map(cell_len, lines)) <= width
    assert [line.split()[0] for line in lines[2:]] == ["smith2020", "szélkuti"]
    cut = "Title" in columns and width < 9 + 5 + 4 + len(ROWS[0][2])
    assert ("…" in lines[2]) == cut


def test_the_first_columns_are_left_out_where_cutting_is_not_enough() -> None:
    cut = {"Pages": 5, "Title": 10}
    assert fitted(COLUMNS, ROWS, 28, cut)[0] == COLUMNS
    assert fitted(COLUMNS, ROWS, 27, cut)[0] == ["Key", "Title"]
    assert fitted(COLUMNS, ROWS, 19, cut)[0] == ["Key"]
    assert fitted(COLUMNS, ROWS, None, cut) == (COLUMNS, ROWS)


def test_paths_end_a_line_after_a_slash() -> None:
    assert wrapped(PATH, 30) == ["/home/me/papers on ponds/", "cooling-of-the-street.pdf"]
    assert "".join(wrapped("x" * 70, 30)) == "x" * 70


@each("text", ["", "  ", "漢字 " * 20, "a " * 50, "/" * 90, f"{PATH}, {PATH}"])
@each("width", [5, 24, 41])
def test_no_character_is_lost(text: str, width: int) -> None:
    lines = wrapped(text, width)
    assert "".join("".join(lines).split()) == "".join(text.split())
    assert lines


def test_pairs_hang_under_their_value() -> None:
    assert list(pair_lines([("file", PATH), ("empty", "")], 32)) == [
        "file   /home/me/papers on ponds/",
        "       cooling-of-the-street.pdf",
        "empty",
    ]


def test_prose_ends_its_lines_at_words_but_tables_and_code_do_not(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    words = "word " * 9
    text = f"{words}\n\n| {words} |\n```\n{words}\n```"
    monkeypatch.setenv("COLUMNS", "12")
    print_prose(text)
    assert capsys.readouterr().out == f"{text}\n", "what goes to a program is not wrapped"
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    print_prose(text)
    lines = capsys.readouterr().out.splitlines()
    assert max(map(len, lines[: lines.index("")])) <= 12
    assert " ".join(lines[: lines.index("")]) == words.strip()
    assert lines[lines.index("") :] == ["", f"| {words} |", "```", words, "```"]
