from collections.abc import Sequence

from support.cases import each
from support.pdf.page_lines import PITCH, SIZE, line, words

from citeloom.domain.documents.spans import BBox
from citeloom.infrastructure.ingest.conversion.pdf.blocks.block_text import table_text
from citeloom.infrastructure.ingest.conversion.pdf.blocks.figures import figure_boxes
from citeloom.infrastructure.ingest.conversion.pdf.blocks.joins import grid_of
from citeloom.infrastructure.ingest.conversion.pdf.blocks.line_ends import Vocabulary
from citeloom.infrastructure.ingest.conversion.pdf.lines.lines import TextLine
from citeloom.infrastructure.ingest.conversion.pdf.page_record import PageRecord
from citeloom.infrastructure.ingest.conversion.pdf.tables.grids import Grid, Strokes
from citeloom.infrastructure.ingest.conversion.pdf.tables.tables import split_at_rules
from citeloom.infrastructure.ingest.conversion.pdf.words.word_runs import runs_of

Row = Sequence[tuple[str, float]]


def _line(row: Row, base: float) -> TextLine:
    pieces = [(text, x, x + 5.0 * len(text)) for text, x in row]
    text = " ".join(text for text, _ in row)
    return line(text, base=base, x0=pieces[0][1], x1=pieces[-1][2], pieces=pieces)


def _lines(*rows: Row, pitch: float = PITCH) -> list[TextLine]:
    return [_line(row, 100 + i * pitch) for i, row in enumerate(rows)]


def _told(grid: Grid | None, lines: Sequence[TextLine]) -> str:
    assert grid is not None
    return table_text(lines, grid, Vocabulary(frozenset()))[0].text


def _box(x0: float, top: float, x1: float, bottom: float) -> BBox:
    return (x0, top, x1, bottom)


def test_an_empty_cell_keeps_its_column() -> None:
    lines = _lines(
        [("Name", 50), ("A", 120), ("B", 180)],
        [("one", 50), ("1", 120), ("2", 180)],
        [("two", 50), ("4", 180)],
    )
    assert (
        _told(grid_of(lines, Strokes()), lines)
        == "| Name | A | B |\n| one | 1 | 2 |\n| two |  | 4 |"
    )


def test_words_that_had_no_place_in_the_line_above_are_in_its_cell() -> None:
    lines = _lines(
        [("Name", 50), ("What it is", 120), ("No", 240)],
        [("one", 50), ("A long text that is", 120), ("1", 240)],
        [("wrapped over lines", 120)],
        [("two", 50), ("Short", 120), ("2", 240)],
    )
    grid = grid_of(lines, Strokes())
    text = (
        "| Name | What it is | No |\n| one | A long text that is wrapped over lines | 1 |\n"
        "| two | Short | 2 |"
    )
    assert _told(grid, lines) == text


def test_each_physical_line_of_a_wrapped_cell_has_its_own_place() -> None:
    lines = _lines(
        [("Name", 50), ("What it is", 120)],
        [("one", 50), ("A long text that is", 120)],
        [("wrapped over lines", 120)],
    )
    grid = grid_of(lines, Strokes())
    assert grid is not None
    joined, _ = table_text(lines, grid, Vocabulary(frozenset()))
    shown = [joined.text[place.start : place.end] for place in joined.lines]
    assert shown[1:] == ["| one | A long text that is ", "wrapped over lines |"]
    assert joined.lines[2].bbox[0] == 120


def test_rows_of_words_that_may_be_one_rows_text_have_no_cells() -> None:
    lines = _lines(
        [("Monday", 50), ("Tuesday", 150)],
        [("Generalized Linear", 50), ("Reinforcement Learns", 150)],
        [("Models Of Any Kind", 50), ("Learning By Anything", 150)],
        [("Bayesian Decisions", 50), ("Deep Networks Of All", 150)],
    )
    assert grid_of(lines, Strokes()) is None


def test_heads_of_several_lines_beside_shorter_ones_are_one_row() -> None:
    rows = [
        _line([(f"model {i}", 50), (str(i), 140), (str(i), 220)], 140 + i * 12) for i in range(4)
    ]
    heads = [
        _line([("Rating", 140)], 100),
        _line([("Model", 50), ("Bench", 220)], 105),
        _line([("(points)", 140)], 110),
    ]
    strokes = Strokes(tuple(_box(50, y, 250, y + 0.5) for y in (88.0, 116.0, 190.0)))
    lines = [*heads, *rows]
    text = _told(grid_of(lines, strokes), lines)
    assert text.splitlines()[:2] == ["| Model | Rating (points) | Bench |", "| model 0 | 0 | 0 |"]
    first = [
        _line([(name, 50), ("yes", 140), ("no", 220)], y)
        for name, y in (("Alpha", 100), ("Beta", 110))
    ]
    lines = [*first, *rows]
    text = _told(grid_of(lines, strokes), lines)
    assert text.splitlines()[:2] == ["| Alpha | yes | no |", "| Beta | yes | no |"]


def test_a_cell_in_the_middle_of_two_columns_spans_them() -> None:
    lines = _lines(
        [("Name", 50), ("A", 140), ("B", 200)],
        *([(f"n{i}", 50), (f"1{i}", 140), (f"2{i}", 200)] for i in range(4)),
        [("both", 50), ("3.3 in a sum", 145)],
        [("all", 50), ("4.4 in a sum", 145)],
    )
    grid = grid_of(lines, Strokes())
    assert grid is not None
    assert (grid.cells[-1].col, grid.cells[-1].cols) == (1, 2)


def test_cells_of_the_first_column_may_be_wrapped() -> None:
    lines = _lines(
        [("Live coding or", 50), ("Instructors write code or show how tools work", 140)],
        [("demonstrations", 50), ("and invite to follow along.", 140)],
        [("Exercises", 50), ("Students are invited to solve short exercises,", 140)],
        [("repeating what was shown.", 140)],
        [("Continuous", 50), ("Students are asked to give feedback each day 1.", 140)],
        [("anonymous notes", 50), ("Something to keep and 2. Something to do.", 140)],
    )
    assert _told(grid_of(lines, Strokes()), lines).splitlines() == [
        "| Live coding or demonstrations | Instructors write code or show how tools work and "
        "invite to follow along. |",
        "| Exercises | Students are invited to solve short exercises, repeating what was shown. |",
        "| Continuous anonymous notes | Students are asked to give feedback each day 1. "
        "Something to keep and 2. Something to do. |",
    ]


@each(
    "rows",
    [
        [
            [("State", 50), ("Chance", 140)],
            [("false", 50), ("0.81", 140)],
            [("true", 50), ("0.19", 140)],
        ],
        [
            [("Scan", 50), ("yes", 140), ("yes", 180)],
            [("Test", 50), ("yes", 140)],
            [("Grid", 50), ("no", 140), ("no", 180)],
        ],
        [
            [("Convolutional", 50), ("O(1)", 180)],
            [("Self-Attention (local)", 50), ("O(n)", 180)],
            [("Recurrent", 50), ("O(n)", 180)],
        ],
    ],
)
def test_short_cells_below_each_other_are_not_one(rows: Sequence[Row]) -> None:
    lines = _lines(*rows)
    grid = grid_of(lines, Strokes())
    assert grid is None or grid.rows == len(rows)


def test_what_is_in_brackets_below_a_cell_is_of_it_where_white_space_parts_the_rows() -> None:
    lines = [
        _line(row, 100 + y)
        for y, row in (
            (0, [("Python for Data", 50), ("Using", 200)]),
            (9, [("(one provider)", 50), ("libraries", 200)]),
            (24, [("Python for All", 50), ("None", 200)]),
            (33, [("(another one)", 50)]),
            (48, [("Start with Code", 50), ("Using", 200)]),
            (57, [("(a university)", 50), ("libraries", 200)]),
        )
    ]
    assert _told(grid_of(lines, Strokes()), lines).splitlines() == [
        "| Python for Data (one provider) | Using libraries |",
        "| Python for All (another one) | None |",
        "| Start with Code (a university) | Using libraries |",
    ]


def test_a_rule_below_a_head_says_which_columns_it_spans() -> None:
    lines = [
        _line([("Group", 150)], 100),
        _line([("Name", 50), ("A", 140), ("B", 190)], 120),
        *(_line([(f"n{i}", 50), (str(i), 140), (str(i), 190)], 140 + i * PITCH) for i in range(4)),
    ]
    whole = [_box(50, y, 195, y + 0.5) for y in (88.0, 126.0, 190.0)]
    strokes = Strokes((*whole, _box(138, 106, 195, 106.5)))
    grid = grid_of(lines, strokes)
    assert grid is not None
    assert (grid.cells[0].row, grid.cells[0].col, grid.cells[0].cols) == (0, 1, 2)
    assert grid.header == 2


def test_a_cell_without_a_rule_through_it_spans_its_rows() -> None:
    lines = [
        _line([("x", 120)], 110),
        _line([("key", 55)], 119),
        _line([("y", 120)], 128),
        _line([("end", 55), ("z", 120)], 148),
    ]
    upright = tuple(_box(x, 97, x + 0.5, 157) for x in (50.0, 100.0, 150.0))
    level = [_box(50, y, 150, y + 0.5) for y in (97.0, 137.0, 157.0)]
    strokes = Strokes((*level, _box(100, 117, 150, 117.5)), upright)
    grid = grid_of(lines, strokes)
    assert grid is not None
    key = next(cell for cell in grid.cells if cell.parts[0].text == "key")
    assert (key.row, key.col, key.rows) == (0, 0, 2)
    assert _told(grid, lines) == "| key | x |\n|  | y |\n| end | z |"


def test_the_wide_spaces_of_stretched_cells_part_no_columns() -> None:
    lines = [
        _line([("facial", 55), ("expres-", 110), ("none", 155)], 110),
        _line([("sions;", 55), ("speech;", 110)], 119),
        _line([("gestures", 55)], 128),
        _line([("one", 55), ("end", 155)], 148),
    ]
    upright = tuple(_box(x, 97, x + 0.5, 157) for x in (50.0, 150.0, 200.0))
    level = tuple(_box(50, y, 200, y + 0.5) for y in (97.0, 137.0, 157.0))
    told = "| facial expressions; speech; gestures | none |\n| one | end |"
    assert _told(grid_of(lines, Strokes(level, upright)), lines) == told
    columns = [*lines[:2], _line([("gestures", 55), ("a", 140)], 128), lines[3]]
    grid = grid_of(columns, Strokes(level, upright))
    assert grid is None or grid.cols > 2


def test_amounts_with_their_unit_below_each_other_are_rows() -> None:
    rows = [(f"Read rate ({last})", f"{a} MB/s") for last, a in (("minute", 583), ("hour", 562))]
    lines = _lines(*([(a, 52), (b, 150)] for a, b in [("Cluster", "A"), *rows, *rows]))
    upright = tuple(_box(x, 85, x + 0.5, 160) for x in (50.0, 148.0, 200.0))
    level = tuple(_box(50, y, 200, y + 0.5) for y in (90.0, 102.0, 126.0, 150.0))
    told = [f"| {a} | {b} |" for a, b in [("Cluster", "A"), *rows, *rows]]
    assert _told(grid_of(lines, Strokes(level, upright)), lines) == "\n".join(told)


def test_a_dash_for_an_empty_cell_does_not_go_on_below() -> None:
    lines = _lines(
        [("text", 50), ("-", 100), ("t", 130), ("-", 160)],
        [("pattern", 50), ("a", 100), ("t", 130), ("e", 160)],
    )
    assert (
        _told(grid_of(lines, Strokes()), lines) == "| text | - | t | - |\n| pattern | a | t | e |"
    )


def test_an_upright_rule_parts_what_stands_close_beside_it() -> None:
    (run,) = runs_of(words("one two", 50.0), SIZE)
    strokes = Strokes((), (_box(66, 80, 66.5, 120),))
    assert [[w.text for w in r.words] for r in split_at_rules([run], [strokes])] == [
        ["one"],
        ["two"],
    ]


def test_dense_text_too_small_to_read_is_part_of_the_figure_with_a_caption() -> None:
    tiny = [w for i in range(8) for w in words("a b c d e f g h " * 3, 50, 60 + i * 4, size=3.0)]
    caption = words("Fig. 1. Tokens of the two", 50.0, 110.0)
    record = PageRecord(1, 600.0, 800.0)
    assert figure_boxes(record, runs_of([*tiny, *caption], SIZE), SIZE) != []
    assert figure_boxes(record, runs_of(tiny, SIZE), SIZE) == []
