from support.pdf.page_lines import PITCH, STYLE, flow, line, prose

from citeloom.domain.documents.conversion import BlockLabel
from citeloom.infrastructure.ingest.conversion.pdf.blocks.blocks import BlockDraft, build_blocks
from citeloom.infrastructure.ingest.conversion.pdf.blocks.joins import (
    join_paragraphs,
    with_list_depths,
)
from citeloom.infrastructure.ingest.conversion.pdf.front_matter.title import TitleBlock
from citeloom.infrastructure.ingest.conversion.pdf.lines.lines import TextLine


def _blocks(*columns: list[TextLine]) -> list[BlockDraft]:
    return join_paragraphs(build_blocks(flow(*columns), STYLE, (), TitleBlock(), ()))


def _caption(base: float, page: int = 1) -> list[TextLine]:
    return [
        line("Figure 1: What was seen", base=base, x1=350.0, size=7.0, page=page),
        line("in two lines", base=base + 10, size=7.0, page=page),
    ]


def test_a_paragraph_goes_on_after_a_caption_in_its_own_column() -> None:
    after = 100.0 + 4 * PITCH + 90
    text, caption = _blocks(
        [*prose(4), *_caption(100 + 4 * PITCH + 60), *prose(4, base=after + 20)]
    )
    assert (text.label, len(text.lines)) == (BlockLabel.TEXT, 8)
    assert (caption.label, len(caption.lines)) == (BlockLabel.CAPTION, 2)


def test_a_paragraph_that_ended_does_not_go_on_after_a_caption() -> None:
    end = line("and here it ends.", base=100 + 4 * PITCH)
    below = prose(4, base=100 + 4 * PITCH + 120)
    drafts = _blocks([*prose(4), end, *_caption(100 + 4 * PITCH + 60), *below])
    assert [len(draft.lines) for draft in drafts] == [5, 2, 4]


def test_a_paragraph_goes_on_in_the_next_column_after_notes_that_no_rule_parts() -> None:
    text = "Received in May by the editors of this journal and revised in July"
    notes = [line(text, base=230 + 10 * k, x1=350.0, size=7.0) for k in range(3)]
    for end in ("and it shows dynamic traffic char-", "and it shows dynamic traffic that is"):
        left = [*prose(4), line(end, base=148, x1=350.0), *notes]
        right = [
            line("acterized by its high rate over time", base=100.0, x0=400.0, x1=700.0),
            *prose(3, base=112.0, x0=400.0),
        ]
        first, *others = _blocks(left, right)
        assert len(first.lines) == 9, end
        assert [ln.text for one in others for ln in one.lines] == [text] * 3, end
    left[4] = line("and here it ends.", base=148.0, x1=350.0)
    assert len(_blocks(left, right)[0].lines) == 5


def test_a_list_item_goes_on_after_a_caption_on_the_next_page() -> None:
    item = line("2. Grid: a lattice covers the plot and", base=100 + 6 * PITCH, x0=62.0, x1=350)
    rest = [line("its first point is drawn", base=140.0, x0=74.0, page=2)]
    first, second, caption = _blocks([*prose(6), item], _caption(100.0, page=2), rest)
    assert first.label == BlockLabel.TEXT
    assert (second.label, [ln.page for ln in second.lines]) == (BlockLabel.LIST_ITEM, [1, 2])
    assert caption.label == BlockLabel.CAPTION


def test_a_paragraph_goes_on_after_a_listing_with_its_caption() -> None:
    code = [line("fun f (x) =", base=170.0 + 12 * k, x1=150.0, font="Courier") for k in range(3)]
    figure = [line("Figure 2: A function", base=215.0, x1=150.0, size=7.0)]
    text, listing, caption = _blocks([*prose(4), *code, *figure, *prose(4, base=250.0)])
    assert (text.label, len(text.lines)) == (BlockLabel.TEXT, 8)
    assert [listing.label, caption.label] == [BlockLabel.CODE, BlockLabel.CAPTION]
    assert len(_blocks([*prose(4), *code, *prose(4, base=250.0)])[0].lines) == 4


def test_a_line_that_an_item_took_from_the_paragraph_below_keeps_its_sentence() -> None:
    item = [
        line("\u2022 Few clients hold locks, which is", base=100.0, x0=50.0, x1=350.0),
        line("consistent with it.", base=112.0, x0=59.0, x1=130.0),
        line("A choice that may surprise some readers is that we", base=124.0, x0=59.0, x1=350.0),
    ]
    (found,) = _blocks([*item, *prose(3, base=136.0)])
    assert len(found.lines) == 6
    item[2] = item[2]._replace(text="A choice that may surprise some readers is this.")
    assert [len(one.lines) for one in _blocks([*item, *prose(3, base=136.0)])] == [3, 3]


def test_a_paragraph_goes_on_below_the_authors_above_the_next_column() -> None:
    right = [line("Bo Loom", base=70.0, x0=400.0), *prose(3, base=100.0, x0=400.0)]
    placed = flow(prose(4), right)
    drafts = build_blocks(placed, STYLE, (), TitleBlock((), (4,)), ())
    text, authors = join_paragraphs(drafts)
    assert (len(text.lines), authors.label) == (7, BlockLabel.AUTHORS)


def test_a_word_broken_at_a_line_end_holds_a_list_item_together() -> None:
    item = line("\u2022 Functions h with a subgroup K (repre-", base=100.0, x1=350.0)
    rest = line("sented by {0,1}n) such that h(x) = h(y) iff x + y \u2208 K", base=130.0, x0=80.0)
    (found,) = _blocks([item, rest])
    assert (found.label, len(found.lines)) == (BlockLabel.LIST_ITEM, 2)


def test_items_are_as_deep_as_they_are_indented_by_more_than_half_a_line() -> None:
    marks = (
        ("\u2022", 62.0),
        ("\u2013", 74.0),
        ("\u2013", 76.0),
        ("\u2022", 62.0),
        ("\u2013", 65.0),
    )
    lines = [
        line(f"{mark} item {n} of the list of things", base=100.0 + n * PITCH, x0=x0, x1=350.0)
        for n, (mark, x0) in enumerate(marks)
    ]
    found = with_list_depths(_blocks(lines))
    assert [(draft.label, draft.depth) for draft in found] == [
        (BlockLabel.LIST_ITEM, depth) for depth in (1, 2, 2, 1, 1)
    ]


def test_a_bracket_of_a_program_does_not_go_on_in_the_next_column() -> None:
    rest = [line("ment of invocations is here", base=100.0, x0=320.0), *prose(3, base=112.0)]
    words, bracket = ([line(text, base=100.0)] for text in ("a word", "52 }"))
    assert len(_blocks(words, rest)) == 1
    assert len(_blocks(bracket, rest)) == 2
