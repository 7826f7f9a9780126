from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st
from support.cases import each
from support.pdf.page_lines import PITCH, STYLE, flow, line, prose

from citeloom.domain.documents.conversion import BlockLabel
from citeloom.infrastructure.ingest.conversion.pdf.blocks.blocks import BlockDraft, build_blocks
from citeloom.infrastructure.ingest.conversion.pdf.blocks.joins import join_paragraphs
from citeloom.infrastructure.ingest.conversion.pdf.front_matter.title import TitleBlock
from citeloom.infrastructure.ingest.conversion.pdf.headings.headings import HeadingMark
from citeloom.infrastructure.ingest.conversion.pdf.lines.line_flow import PlacedLine
from citeloom.infrastructure.ingest.conversion.pdf.lines.lines import Face, LeadIn
from citeloom.infrastructure.ingest.conversion.pdf.tables.tables import table_spans


def _blocks(placed: Sequence[PlacedLine], marks: Sequence[HeadingMark] = ()) -> list[BlockDraft]:
    tables = table_spans(placed, STYLE, frozenset())
    return join_paragraphs(build_blocks(placed, STYLE, marks, TitleBlock(), tables))


def _labels(drafts: Sequence[BlockDraft]) -> list[tuple[BlockLabel, int]]:
    return [(draft.label, len(draft.lines)) for draft in drafts]


def test_an_indented_line_begins_a_paragraph() -> None:
    lines = prose(3)
    lines.append(line("And a new one", base=136.0, x0=65.0, x1=350.0))
    lines += prose(2, base=148.0)
    assert _labels(_blocks(flow(lines))) == [(BlockLabel.TEXT, 3), (BlockLabel.TEXT, 3)]


def test_a_broken_word_goes_on_however_high_its_line_is() -> None:
    lines = prose(4)
    broken = "the quick brown fox jumps over the lazy dog and the differ-"
    lines[1] = lines[1]._replace(text=broken, size=1.5 * lines[1].size)
    lines[2] = lines[2]._replace(text=f"ence {lines[2].text}")
    drafts = _blocks(flow(lines))
    assert any(lines[1] in draft.lines and lines[2] in draft.lines for draft in drafts)


def test_extra_space_begins_a_paragraph() -> None:
    lines = prose(3) + prose(3, base=100 + 3 * PITCH + 8)
    assert _labels(_blocks(flow(lines))) == [(BlockLabel.TEXT, 3), (BlockLabel.TEXT, 3)]


def test_a_paragraph_goes_on_over_a_page_break_and_a_footnote() -> None:
    note = line("1A note in small type", base=300.0, size=6.0, begins_raised=True)
    first = [*prose(6), note]
    second = prose(6, page=2)
    text, foot = _blocks(flow(first, second))
    assert (text.label, len(text.lines)) == (BlockLabel.TEXT, 12)
    assert {ln.page for ln in text.lines} == {1, 2}
    assert foot.label == BlockLabel.FOOTNOTE


def test_small_type_above_the_text_is_no_footnote() -> None:
    abstract = [
        line("1P excitations are seen above the crossover", base=100.0 + 10 * i, size=6.0, x1=350)
        for i in range(3)
    ]
    drafts = _blocks(flow(abstract, prose(6, base=160.0)))
    assert BlockLabel.FOOTNOTE not in {draft.label for draft in drafts}


def test_numbered_equations_are_no_table() -> None:
    rows = [
        line(f"a = b + c ({i})", base=100 + i * PITCH, x0=90.0, x1=350.0,
             pieces=[("a = b + c", 90, 150), (f"({i})", 335, 350)])
        for i in range(4)
    ]  # fmt: skip
    assert BlockLabel.TABLE not in {draft.label for draft in _blocks(flow(rows))}


def test_a_paragraph_that_ended_does_not_go_on() -> None:
    end = line("and here it ends.", base=100 + 6 * PITCH, x0=50.0)
    begin = line("A new one begins", base=100.0, x0=65.0, x1=350.0, page=2)
    drafts = _blocks(flow([*prose(6), end], [begin, *prose(5, base=112.0, page=2)]))
    assert _labels(drafts) == [(BlockLabel.TEXT, 7), (BlockLabel.TEXT, 6)]


def test_bullets_begin_list_items_that_take_their_further_lines() -> None:
    lines = [
        line("\u2022 first item that is long", base=100.0, x0=60.0),
        line("and goes on", base=112.0, x0=70.0),
        line("\u2022 second item", base=124.0, x0=60.0),
    ]
    assert _labels(_blocks(flow(lines))) == [(BlockLabel.LIST_ITEM, 2), (BlockLabel.LIST_ITEM, 1)]


def test_a_caption_is_apart_from_the_text_below_it() -> None:
    lines = [
        line("Figure 3: What was seen", base=100.0, x1=350.0),
        line("in two lines.", base=110.0),
        *prose(4, base=140.0),
    ]
    assert _labels(_blocks(flow(lines))) == [(BlockLabel.CAPTION, 2), (BlockLabel.TEXT, 4)]


def test_a_sentence_that_begins_with_a_figure_is_no_caption() -> None:
    lines = prose(3)
    lines.append(line("Figure 3 shows what was seen in it", base=136.0, x1=350.0))
    assert _labels(_blocks(flow(lines))) == [(BlockLabel.TEXT, 4)]


def test_aligned_cells_are_a_table() -> None:
    rows = [
        line(
            f"a{i} b{i} c{i}",
            base=100 + i * PITCH,
            x1=300.0,
            pieces=[(f"a{i}", 50, 70), (f"b{i}", 150, 170), (f"c{i}", 250, 270)],
        )
        for i in range(4)
    ]
    assert _labels(_blocks(flow(rows))) == [(BlockLabel.TABLE, 4)]


def test_entries_of_the_bibliography_are_split_at_their_labels() -> None:
    lines = [
        line("References", base=100.0, size=10.0, bold=True),
        line("[1] A. Author. A title that is long", base=120.0, x1=350.0),
        line("enough for two lines.", base=132.0, x0=62.0),
        line("[2] B. Author. Another one.", base=144.0),
    ]
    drafts = _blocks(flow(lines), [HeadingMark(0, 0, 1)])
    assert _labels(drafts)[1:] == [(BlockLabel.REFERENCE, 2), (BlockLabel.REFERENCE, 1)]


def test_every_line_is_in_exactly_one_block() -> None:
    lines = [*prose(5), line("1. an item", base=160.0), line("x = y + 1", base=190.0, x0=150.0)]
    placed = flow(lines)
    found = [ln for draft in _blocks(placed) for ln in draft.lines]
    assert sorted(found) == sorted(p.line for p in placed)


def test_a_caption_between_the_rules_of_a_table_is_no_row_of_it() -> None:
    cells = [("a", 50.0, 60.0), ("b", 150.0, 160.0)]
    lines = [
        line("Table 1: What was", base=100.0, x1=350.0),
        line("measured.", base=110.0),
        *(line("a b", base=130 + i * PITCH, pieces=cells) for i in range(3)),
    ]
    placed = flow(lines)
    tables = table_spans(placed, STYLE, frozenset(), [(1, (50.0, 80.0, 350.0, 170.0))])
    drafts = build_blocks(placed, STYLE, (), TitleBlock(), tables)
    assert _labels(drafts) == [(BlockLabel.CAPTION, 2), (BlockLabel.TABLE, 3)]


def test_a_number_that_a_sentence_points_to_begins_no_list() -> None:
    lines = [
        *prose(3),
        line("so that it follows from Eq.", base=136.0, x1=350.0),
        line("(2) implies the rest of it", base=148.0, x1=350.0),
        *prose(2, base=160.0),
    ]
    assert _labels(_blocks(flow(lines))) == [(BlockLabel.TEXT, 7)]


def test_a_dash_in_a_running_sentence_begins_no_list() -> None:
    lines = [*prose(3), line("- even then - it goes on", base=136.0, x1=350.0), *prose(2, 148.0)]
    assert _labels(_blocks(flow(lines))) == [(BlockLabel.TEXT, 6)]


def test_items_that_fill_their_lines_are_still_items() -> None:
    rows = [line(f"- {i}:30 an item as wide as all", base=100 + i * 12.0, x1=350) for i in range(3)]
    assert _labels(_blocks(flow(rows))) == [(BlockLabel.LIST_ITEM, 1)] * 3


def test_limits_and_numbers_of_an_equation_are_in_its_block() -> None:
    lines = [
        *prose(3),
        line("P = \u2211 g + 1", base=144.0, x0=120.0),
        line("i \u2208 mesons", base=152.0, x0=140.0),
        line("(3)", base=156.0, x0=335.0, x1=350.0),
        *prose(3, base=180.0),
    ]
    assert _labels(_blocks(flow(lines))) == [
        (BlockLabel.TEXT, 3),
        (BlockLabel.FORMULA, 3),
        (BlockLabel.TEXT, 3),
    ]


def test_a_line_of_words_and_symbols_across_the_column_is_text() -> None:
    text = "For f ∈ K[x] the hypersurface V (f) equals {x ∈ K ="
    full = line(text, base=136.0, x1=350.0)._replace(maths=0.4)
    short = line("f = V (f) for x ∈ K", base=148.0, x0=120.0)._replace(maths=0.4)
    assert _labels(_blocks(flow([*prose(3), full, *prose(2, 148.0)]))) == [(BlockLabel.TEXT, 6)]
    labels = _labels(_blocks(flow([*prose(4), short, *prose(2, 160.0)])))
    assert labels == [(BlockLabel.TEXT, 4), (BlockLabel.FORMULA, 1), (BlockLabel.TEXT, 2)]


def test_the_last_line_of_a_paragraph_is_no_formula() -> None:
    last = line("E[x²] = σ².", base=136.0)._replace(maths=0.8)
    assert _labels(_blocks(flow([*prose(3), last, *prose(2, 160.0)]))) == [
        (BlockLabel.TEXT, 4),
        (BlockLabel.TEXT, 2),
    ]
    alone = line("E[x²] = mβ³ + σ²", base=144.0)._replace(maths=0.8)
    labels = _labels(_blocks(flow([*prose(3), alone, *prose(2, 168.0)])))
    assert labels == [(BlockLabel.TEXT, 3), (BlockLabel.FORMULA, 1), (BlockLabel.TEXT, 2)]


def test_formulas_aligned_at_their_relation_are_no_table() -> None:
    rows = [
        line(
            f"{name} = {right}",
            base=144.0 + 12 * i,
            x0=120.0,
            pieces=[(name, 120.0, 130.0), ("=", 145.0, 152.0), (right, 167.0, 230.0)],
        )
        for i, (name, right) in enumerate([("ξ", "β(x − vt),"), ("η", "y,"), ("ζ", "z,")])
    ]
    placed = flow([*prose(3), *rows, *prose(3, base=192.0)])
    assert table_spans(placed, STYLE, frozenset()) == []
    drafts = build_blocks(placed, STYLE, (), TitleBlock(), [])
    assert (BlockLabel.FORMULA, 3) in _labels(drafts)


def test_an_item_after_a_sentence_that_ends_with_section_is_an_item() -> None:
    lines = [
        line("6. We assume it in this section.", base=100.0, x0=60.0, x1=350.0),
        line("7. In the last one we do not.", base=112.0, x0=60.0, x1=350.0),
    ]
    assert (
        _labels(_blocks(flow(prose(3, base=64.0) + lines)))[1:] == [(BlockLabel.LIST_ITEM, 1)] * 2
    )


def test_an_address_in_typewriter_type_is_part_of_its_sentence() -> None:
    lines = [
        *prose(2),
        line("https://example.org/board.", base=124.0, font="Courier"),
        line("int main() { return 0; }", base=160.0, font="Courier"),
    ]
    assert _labels(_blocks(flow(lines))) == [(BlockLabel.TEXT, 3), (BlockLabel.CODE, 1)]


def test_footnotes_marked_with_a_bracket_are_one_block_each() -> None:
    notes = [
        line("1) A note in small type", base=300.0, size=6.0, x1=300.0),
        line("2) Another note", base=308.0, size=6.0),
    ]
    found = _labels(_blocks(flow([*prose(6), *notes])))
    assert found == [(BlockLabel.TEXT, 6), (BlockLabel.FOOTNOTE, 1), (BlockLabel.FOOTNOTE, 1)]


def test_a_caption_in_the_type_of_the_text_ends_with_its_centred_line() -> None:
    note = line("Note: a smaller line of its own", base=100, x0=52, x1=250, size=6.5)
    first = line("Table 1: What was seen in the first and in", base=113.5, x0=52, x1=346)
    last = line("the second summer.", base=126, x0=150, x1=248)
    text = [
        line("And then the text goes on as before", base=141.5 + i * PITCH, x0=50, x1=350)
        for i in range(4)
    ]
    made = _blocks(flow([*prose(4, base=40), note, first, last, *text]))
    captions = [block for block in made if block.label == BlockLabel.CAPTION]
    assert [[one.text for one in block.lines] for block in captions] == [[first.text, last.text]]


def test_a_line_of_typewriter_type_within_a_sentence_is_text() -> None:
    lines = prose(5)
    lines[2] = lines[2]._replace(text="with ftp://example.org/generators/net", font="Courier")
    assert _labels(_blocks(flow(lines))) == [(BlockLabel.TEXT, 5)]
    lines[2] = lines[2]._replace(text="(e.g. CreateBlob and DeleteBlob).")
    lines[3] = lines[3]._replace(text="The quick brown fox jumps over the lazy dog")
    assert _labels(_blocks(flow(lines))) == [(BlockLabel.TEXT, 5)]
    lines[2:4] = [one._replace(text="member(X, [X|_]).", font="Courier") for one in lines[2:4]]
    assert (BlockLabel.CODE, 2) in _labels(_blocks(flow(lines)))


def test_a_line_that_ends_a_broken_word_is_no_code() -> None:
    lines = prose(3)
    lines[1] = lines[1]._replace(text="such as the generator of R. An-")
    rest = "derson (available from ftp://example.org/generators),"
    lines[2] = lines[2]._replace(text=rest, font="Courier")
    assert _labels(_blocks(flow(lines))) == [(BlockLabel.TEXT, 3)]


def test_a_listing_after_a_sentence_stays_code() -> None:
    lines = prose(5)
    lines[1] = lines[1]._replace(text="It is written as follows:")
    lines[2] = lines[2]._replace(text="let x = f (y) in", font="Courier")
    labels = [draft.label for draft in _blocks(flow(lines))]
    assert labels == [BlockLabel.TEXT, BlockLabel.CODE, BlockLabel.TEXT]


def test_the_captions_of_the_parts_of_a_figure_are_no_list() -> None:
    row = line(
        "(a) Normal execution (b) No backup tasks",
        base=76.0,
        x1=350.0,
        pieces=[("(a) Normal execution", 50.0, 150.0), ("(b) No backup tasks", 250.0, 350.0)],
    )
    drafts = _blocks(flow([row, *prose(3)]))
    assert [draft.label for draft in drafts] == [BlockLabel.CAPTION, BlockLabel.TEXT]


HEAD = "3. Learn interactively"


@each(
    ("head", "bold", "begin", "apart"),
    [
        (HEAD, True, "Interactive learning is what students like", True),
        ("\u2022 H8 (the tutor is not useful)", True, "\u201cThe help system is effective", True),
        (HEAD, False, "Interactive learning is what students like", False),
        (HEAD, True, "in groups of students that like it", False),
        ("A study of", True, "Convergent and other types", False),
        ("(2)", True, "Interactive learning is what students like", False),
        (HEAD, True, "\u2078\u2079, another name in a list of authors", False),
    ],
)
def test_a_short_line_in_bold_is_apart_from_the_sentence_below_it(
    head: str, bold: bool, begin: str, apart: bool
) -> None:
    lines = [
        line(head, base=100.0, x0=60.0, bold=bold),
        line(begin, base=112.0, x0=60.0, x1=350.0),
        *prose(2, base=124.0),
    ]
    (first, *_) = _blocks(flow(lines, prose(6, page=2)))
    assert (len(first.lines) == 1) is apart


@given(
    head=st.sampled_from(["Reusability", "2. Score-Guided Execution", "(2)", "Done.", "Axioms:"]),
    rest=st.sampled_from(["Writing code takes time and care", "is what it says", "x + y", ""]),
    face=st.sampled_from(Face),
)
def test_a_head_in_bold_at_the_beginning_of_a_paragraph_loses_no_word(
    head: str, rest: str, face: Face
) -> None:
    text = f"{head} {rest}".strip()
    lead = LeadIn(len(head), 3.0, 50.0 + 4.0 * len(head), face)
    begin = line(text, base=100.0, x1=350.0)._replace(lead_in=lead)
    lines = [begin, *prose(3, base=112.0)]
    drafts = _blocks(flow(lines, prose(6, page=2)))
    words = " ".join(one.text for draft in drafts for one in draft.lines)
    assert words == " ".join(one.text for one in (*lines, *prose(6, page=2)))
    is_head = face is Face.BOLD and head[-1].isalpha() and rest.startswith("Writing")
    assert (drafts[0].lines[0].text == head) is (is_head or text == head)


def test_a_name_in_bold_at_the_top_of_a_column_does_not_end_the_sentence_before_it() -> None:
    text = "Jupyter Notebooks were used by the students of it"
    top = line(text, base=100.0, x1=350.0, page=2)._replace(lead_in=LeadIn(7, 3.0, 85.0, Face.BOLD))
    drafts = _blocks(flow(prose(4), [top, *prose(3, base=112.0, page=2)]))
    assert [len(draft.lines) for draft in drafts] == [8]
