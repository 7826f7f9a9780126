"""Reference lists are cut into entries, whatever the converter made of them."""

from itertools import pairwise

import pytest
from hypothesis import given
from support.builders import Part, a_document, heading, paragraph
from support.cases import each
from support.documents import documents

from citeloom.domain.documents.conversion import Block, BlockLabel, ConversionResult, Structure
from citeloom.domain.documents.spans import CharSpan, Line
from citeloom.domain.references.entries.reference_list import (
    CitedWork,
    cited_works,
    is_reference_section,
)

MARGIN, INDENT = 72.0, 87.0
WEIR = "Weir, A. (2016). Sluices of the north. Weirs, 3, 1. https://doi.org/10.5555/weir.1"
LOCK = "Lock, B., & Gate, C. (2017). Gates that close. Weirs, 4, 2. https://doi.org/10.5555/weir.2"
MOOR = "van Moor, D. (2018). Moorings. Stonebridge Press."

Row = tuple[float, str]


def halves(text: str) -> tuple[str, str]:
    cut = text.index(" ", 30)
    return text[:cut], text[cut + 1 :]


def printed(*blocks: tuple[BlockLabel, list[Row]]) -> ConversionResult:
    """A document with one page: a heading *References*, then blocks of rows with left edges."""
    text, made, top = "References", [], 60.0
    span = CharSpan(start=0, end=len(text))
    made.append(Block(label=BlockLabel.SECTION_HEADER, span=span, level=1))
    for label, rows in blocks:
        text += "\n\n"
        start, lines = len(text), []
        for left, row in rows:
            if lines:
                text += " "
            lines.append(Line(len(text), len(text) + len(row), 1, (left, top, 500.0, top + 10)))
            text, top = text + row, top + 12
        span = CharSpan(start=start, end=len(text))
        made.append(Block(label=label, span=span, lines=tuple(lines)))
    return ConversionResult(
        doc_id="ab" * 32,
        structure=Structure(heading_tree=(), page_map=()),
        plain_text=text,
        blocks=tuple(made),
    )


def entry(*rows: str, label: BlockLabel = BlockLabel.REFERENCE) -> tuple[BlockLabel, list[Row]]:
    """A block with hanging indent."""
    return label, [(INDENT if at else MARGIN, row) for at, row in enumerate(rows)]


def texts(document: ConversionResult) -> list[str]:
    return [work.text for work in cited_works(document)]


def listed(*entries: str, label: BlockLabel = BlockLabel.TEXT) -> list[CitedWork]:
    """Entries as paragraphs of a format without pages."""
    parts = [heading("References"), *(Part(label, text) for text in entries)]
    return list(cited_works(a_document(parts)))


@each(
    "title",
    ["References", "7 REFERENCES", "7. References", "Literature cited", "Bibliography:", "VII. "
     "References", "A References", "Literaturverzeichnis", "Références", "参考文献", "Works Cited"],
)  # fmt: skip
def test_reference_sections_are_known_by_their_titles(title: str) -> None:
    assert is_reference_section(title)


@each("title", ["Reference frames", "Related work", "Methods", "", "Sources of error"])
def test_other_sections_are_none(title: str) -> None:
    assert not is_reference_section(title)


def test_an_entry_has_its_place_and_what_could_be_read() -> None:
    document = printed(entry(*halves(WEIR)), entry(LOCK))
    first, second = cited_works(document)
    assert document.text_of(first.span) == first.text == WEIR
    assert first.pages is not None
    assert first.pages.as_tuple() == (1, 1)
    assert (first.author, first.year, first.doi) == ("Weir", 2016, "10.5555/weir.1")
    assert (second.author, second.title) == ("Lock", "Gates that close")


def test_paragraphs_are_entries_where_there_are_no_pages() -> None:
    assert [work.author for work in listed(WEIR, LOCK, MOOR)] == ["Weir", "Lock", "van Moor"]


def test_what_says_no_work_is_no_entry() -> None:
    assert [work.author for work in listed("The works are these:", WEIR)] == ["Weir"]


def test_the_section_ends_at_the_next_heading_of_its_level() -> None:
    parts = [
        heading("References"), heading("Primary", 2), paragraph(WEIR), heading("Appendix"),
        paragraph("In 2016 the weirs were built (Weir, 2016)."),
    ]  # fmt: skip
    assert [work.author for work in cited_works(a_document(parts))] == ["Weir"]


def test_entries_fused_in_one_paragraph_are_split_at_numbers() -> None:
    fused = "[1] A. Weir. Sluices. Press, 2016. [2] B. Lock. Gates [3] and more. Press, 2017."
    assert [work.label for work in listed(fused)] == ["1", "2", "3"]
    years = "[1] A. Weir. Sluices. Press, [2016]. [2] B. Lock. Gates. Press, 2017."
    assert [work.label for work in listed(years)] == ["1", "2"]


def test_entries_fused_in_one_paragraph_are_split_at_authors() -> None:
    assert [work.text for work in listed(f"{WEIR} {LOCK} {MOOR}")] == [WEIR, LOCK, MOOR]
    edited = "Weir, A. (2016). Sluices. In Lock, B. (Ed.), Gates. Press."
    assert [work.text for work in listed(f"{edited} {LOCK}")] == [edited, LOCK]


def test_lines_at_the_margin_of_a_hanging_list_begin_entries() -> None:
    fused = BlockLabel.REFERENCE, [
        (MARGIN, halves(LOCK)[0]), (INDENT, halves(LOCK)[1]), (MARGIN, MOOR),
    ]  # fmt: skip
    assert texts(printed(entry(*halves(WEIR)), fused)) == [WEIR, LOCK, MOOR]


@pytest.mark.parametrize(
    ("begun", "count"),
    [
        ("Weir, A. (2016). Sluices of the north.", 2),
        ("Weir, A. (2016). Sluices of the north, edited by", 1),
        ("Weir, A. Sluices of the north.", 1),
    ],
)
def test_an_entry_is_over_where_it_has_a_year_and_a_stop(begun: str, count: int) -> None:
    rows = [(MARGIN, begun), (MARGIN, "Lock, B., & Gate, C. (2017). Press.")]
    assert len(texts(printed((BlockLabel.REFERENCE, rows)))) == count


@pytest.mark.parametrize("label", [BlockLabel.TABLE, BlockLabel.CODE, BlockLabel.FOOTNOTE])
def test_indented_lines_go_on_with_the_entry_whatever_their_block_is(label: BlockLabel) -> None:
    cut = WEIR.index("10.5555/weir.") + len("10.5555/weir.")
    document = printed(
        entry(*halves(LOCK)),
        entry(*halves(WEIR[:cut])),
        (label, [(INDENT, "12, online."), (MARGIN, MOOR)]),
    )
    found = cited_works(document)
    assert [work.doi for work in found] == ["10.5555/weir.2", "10.5555/weir.12", None]
    assert found[2].text == MOOR


def test_keyed_entries_in_a_table_are_entries() -> None:
    document = printed(
        entry("[AK80] A. Altman. Schemes.", "Math., 35, 1980."),
        (BlockLabel.TABLE, [(MARGIN, "[DS] | S. Donald. Pencils. Preprint,"), (INDENT, "2000."),
                            (MARGIN, "[Fed69] | H. Feder. Measures. Springer, 1969.")]),
        (BlockLabel.REFERENCE, [(INDENT, "Second edition.")]),
        entry("[Gom95] R. Gomph. Manifolds. Annals,", "1995."),
    )  # fmt: skip
    assert [(work.label, work.author) for work in cited_works(document)] == [
        ("AK80", "Altman"), ("DS", "Donald"), ("Fed69", "Feder"), ("Gom95", "Gomph"),
    ]  # fmt: skip
    assert cited_works(document)[2].text.endswith("1969. Second edition.")


def test_a_number_that_is_not_the_next_one_begins_no_entry() -> None:
    document = printed(
        entry("[1] A. Weir. Sluices. Press,", "[7] and a note. 2016."), entry("[2] B. Lock. 2017.")
    )
    assert [work.label for work in cited_works(document)] == ["1", "2"]


def test_what_follows_the_list_does_not_join_its_last_entry() -> None:
    document = printed(
        entry("[1] A. Weir. Sluices.", "Press, 2016."), entry("[2] B. Lock. Gates.", "2017."),
        (BlockLabel.TEXT, [(200.0, "Attention visualised")]),
    )  # fmt: skip
    assert texts(document)[-1] == "[2] B. Lock. Gates. 2017."


def test_a_word_broken_between_blocks_is_joined() -> None:
    document = printed(
        entry(*halves(LOCK)), entry("Weir, A. (2016). The International Con-"),
        (BlockLabel.CODE, [(INDENT, "ference on Weirs. Press.")]),
    )  # fmt: skip
    assert texts(document)[1] == "Weir, A. (2016). The International Conference on Weirs. Press."


@given(documents())
def test_entries_lie_in_the_document_in_order(document: ConversionResult) -> None:
    works = cited_works(document)
    assert all(work.span.end <= len(document.plain_text) for work in works)
    assert all(one.span.end <= other.span.start for one, other in pairwise(works))
    for work in works:
        assert work.text
        assert (work.pages is not None) == bool(document.page_count)


NUMBERED = [
    "[1] A. Weir. Sluices of the north. Weirs, 3:1, 2016.",
    "[2] B. Lock. Gates that close. Weirs, 4:2, 2017.",
    "[4] C. Moor. Moorings and more. Weirs, 5:3, 2018.",
]


def test_a_list_without_a_heading_is_found_by_its_labels() -> None:
    prose = [heading("Results"), paragraph("We cite [1] and [2]."), *map(paragraph, NUMBERED)]
    assert [work.label for work in cited_works(a_document(prose))] == ["1", "2", "4"]


def test_a_list_below_a_line_that_is_set_like_text_is_found() -> None:
    prose = [heading("Results"), paragraph("Weirs."), paragraph("Notes & References")]
    works = cited_works(a_document([*prose, *map(paragraph, (WEIR, LOCK, MOOR))]))
    assert [work.author for work in works] == ["Weir", "Lock", "van Moor"]


@pytest.mark.parametrize(
    "texts",
    [
        NUMBERED[:2],
        ["[1] Open the gate.", "[2] Wait for the tide.", "[3] Close the gate."],
        ["In [1] we saw it.", "[3] it was, in 1999.", "See [2], 1998."],
    ],
)
def test_numbered_prose_is_no_list(texts: list[str]) -> None:
    assert cited_works(a_document([heading("Results"), *map(paragraph, texts)])) == ()
