from support.pdf.page_lines import PITCH, SIZE, STYLE, flow, line, prose, words

from citeloom.infrastructure.ingest.conversion.pdf.headings.outlines import bibliography_lines
from citeloom.infrastructure.ingest.conversion.pdf.lines.lines import TextLine
from citeloom.infrastructure.ingest.conversion.pdf.page_record import PageRecord
from citeloom.infrastructure.ingest.conversion.pdf.tables.tables import (
    lift_side_tables,
    split_below,
    table_regions,
    table_spans,
)
from citeloom.infrastructure.ingest.conversion.pdf.words.word_runs import runs_of

_ACROSS = "running text that goes on below the table, over the whole of the column"


def _row(text: str, base: float) -> TextLine:
    return line(text, base=base, pieces=[(text[:2], 50.0, 60.0), (text[3:], 150.0, 160.0)])


def _rows(count: int, base: float) -> list[TextLine]:
    return [_row(f"a{i} b{i}", base + i * PITCH) for i in range(count)]


def test_a_caption_between_two_tables_parts_them() -> None:
    lines = [*_rows(3, 100.0), line("Table 2: The other", base=140.0), *_rows(3, 155.0)]
    region = (1, (40.0, 80.0, 350.0, 190.0))
    assert table_spans(flow(lines), STYLE, frozenset(), [region]) == [(0, 2), (4, 6)]


def test_two_rows_are_a_table_beside_its_caption_only() -> None:
    cells = [("begin", 50.0, 75.0), ("end", 150.0, 165.0), ("do", 250.0, 260.0)]
    rows = [line("begin end do", 100 + i * PITCH, pieces=cells) for i in range(2)]
    caption = line("Table 4.5: Translations of keywords", base=130.0)
    assert table_spans(flow([*rows, caption]), STYLE, frozenset()) == [(0, 1)]
    assert table_spans(flow([caption._replace(base=80.0), *rows]), STYLE, frozenset()) == [(1, 2)]
    assert table_spans(flow([*rows, line("Text below", base=130.0)]), STYLE, frozenset()) == []
    two = [row._replace(pieces=row.pieces[:2]) for row in rows]
    assert table_spans(flow([*two, caption]), STYLE, frozenset()) == []


def test_the_bibliography_is_what_follows_its_heading_up_to_the_next_one() -> None:
    lines = [
        *prose(2),
        line("References", base=140.0, size=10.0, bold=True),
        *prose(3, base=160.0),
        line("A Appendix", base=210.0, size=10.0, bold=True),
        *prose(2, base=230.0),
    ]
    assert bibliography_lines(flow(lines), STYLE) == {3, 4, 5}


def test_a_table_beside_running_text_is_lifted_out_with_its_caption() -> None:
    text = [words("running text beside the table", 50.0, 100 + i * PITCH) for i in range(8)]
    cells = [words(f"a{i} b{i}", 240.0, 100 + i * PITCH) for i in range(6)]
    caption = words("Table 1: Cells", 240.0, 100 + 7 * PITCH)
    around = [words(_ACROSS, 50.0, 100 + i * PITCH) for i in (8, 9)]
    runs = runs_of([w for group in [*text, *cells, caption, *around] for w in group], SIZE)
    rest, (table,) = lift_side_tables(runs, [(235.0, 90.0, 320.0, 165.0)])
    assert len(rest) == 10
    assert len(table.runs) == 7
    assert table.around
    assert table.home([rest[8:], rest[:8]]) == 1


def test_a_table_beside_the_text_of_another_column_stays_in_its_own() -> None:
    text = [words("running text beside the table", 50.0, 100 + i * PITCH) for i in range(8)]
    cells = [words(f"a{i} b{i}", 240.0, 100 + i * PITCH) for i in range(6)]
    below = [words("text below the table", 240.0, 100 + i * PITCH) for i in (8, 9)]
    runs = runs_of([w for group in [*text, *cells, *below] for w in group], SIZE)
    _, (table,) = lift_side_tables(runs, [(235.0, 90.0, 320.0, 165.0)])
    left, right, above = (
        runs_of([w for group in lines for w in group], SIZE)
        for lines in (text, below, [words("text above the table", 240.0, 60.0)])
    )
    assert [table.home(groups) for groups in ([left, right], [above, left], [left])] == [1, 0, None]
    assert table.split([*above, *right]) == (above, right)
    drawn = [*runs, *runs_of(words("Figure 1: Cells", 240.0, 100 + 6 * PITCH), SIZE)]
    assert lift_side_tables(drawn, [(235.0, 90.0, 320.0, 175.0)])[1][0].around


def test_a_table_across_the_page_stays_where_it_is() -> None:
    runs = runs_of([w for i in range(6) for w in words("a b c", 50.0, 100 + i * PITCH)], SIZE)
    assert lift_side_tables(runs, [(40.0, 90.0, 320.0, 165.0)]) == (runs, [])


def test_what_text_flows_around_comes_before_the_next_paragraph() -> None:
    first = [words("one two", 50.0, 100 + i * PITCH) for i in range(4)]
    second = [words("three four", 50.0, 160 + i * PITCH) for i in range(2)]
    runs = runs_of([w for group in first + second for w in group], SIZE)
    before, after = split_below(runs, 120.0)
    assert (len(before), len(after)) == (4, 2)


def test_a_table_that_goes_on_over_the_page_break_reaches_down_to_the_foot() -> None:
    caption = words("Table 1: Cells", 50.0, 90.0)
    cells = [words(t, x, 110 + i * PITCH) for i in range(8) for t, x in (("a", 60.0), ("b", 260.0))]
    runs = runs_of([w for group in [caption, *cells] for w in group], SIZE)
    rules = ((50.0, 95.0, 350.0, 95.5), (50.0, 114.0, 350.0, 114.5))
    record = PageRecord(1, 400.0, 300.0, rules=rules)
    (box,) = table_regions(record, runs, [])
    assert box[3] == 110 + 7 * PITCH


def test_the_further_lines_of_a_last_cell_are_in_the_table() -> None:
    cells = [("first cell", 50.0, 95.0), ("second", 150.0, 180.0)]
    lines = [line("first cell second", 100 + i * PITCH, pieces=cells) for i in range(4)]
    lines.append(line("goes on", base=100 + 4 * PITCH, x0=150.0))
    assert table_spans(flow(lines), STYLE, frozenset()) == [(0, 4)]


def _stretched(gap_at: float, base: float) -> TextLine:
    """A justified line from 50 to 350, with a wide space of 12 points at ``gap_at``."""
    pieces = [("ends a sentence.", 50.0, gap_at), ("The next one begins", gap_at + 12.0, 350.0)]
    return line("ends a sentence. The next one begins", base=base, x1=350.0, pieces=pieces)


def test_wide_spaces_in_justified_prose_are_no_columns() -> None:
    lines = [_stretched(100.0 + 37 * i, 100 + i * PITCH) for i in range(5)]
    assert table_spans(flow(lines), STYLE, frozenset()) == []


def test_wide_spaces_one_above_the_other_are_no_columns_where_text_covers_them() -> None:
    lines = [_stretched((150.0, 250.0)[i % 2], 100 + i * PITCH) for i in range(6)]
    assert table_spans(flow(lines), STYLE, frozenset()) == []


def test_references_and_bullets_far_from_their_labels_are_no_tables() -> None:
    for labels in (["[ABC12]", "[DE+13]", "[FGH14]"], ["o", "o", "o"]):
        lines = [
            line(
                f"{label} {text}",
                base=100 + i * PITCH,
                pieces=[(label, 50.0, 80.0), (text, 100.0, 300.0)],
            )
            for i, (label, text) in enumerate(zip(labels, ("one", "two", "three"), strict=True))
        ]
        assert table_spans(flow(lines), STYLE, frozenset()) == []


def test_text_in_columns_between_rules_is_no_table() -> None:
    text = "words that run on over the whole of this line"
    lines = [words(text, x, 110 + i * PITCH) for i in range(8) for x in (50.0, 320.0)]
    runs = runs_of([w for group in lines for w in group], SIZE)
    rules = ((50.0, 95.0, 550.0, 95.5), (50.0, 220.0, 550.0, 220.5))
    record = PageRecord(1, 600.0, 800.0, rules=rules)
    assert table_regions(record, runs, []) == []


def test_a_grid_in_parts_with_double_rules_between_them_is_one_table() -> None:
    cells = [words(t, x, 98 + i * PITCH) for i in range(4) for t, x in (("a", 60.0), ("b", 260.0))]
    runs = runs_of([w for group in cells for w in group], SIZE)
    head, body = (50.0, 88.0, 350.0, 101.0), (50.0, 103.0, 350.0, 138.0)
    far = (50.0, 160.0, 350.0, 190.0)
    record = PageRecord(1, 400.0, 300.0, drawings=(head, body, far))
    assert table_regions(record, runs, []) == [(50.0, 88.0, 350.0, 138.0)]
