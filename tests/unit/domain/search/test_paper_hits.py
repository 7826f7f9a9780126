"""Hits by paper: what is joined, what is printed once, and where the pieces come from."""

from typing import Any

from support.builders import DOC_ID, Part, a_document, heading, paragraph

from citeloom.domain.documents.conversion import BlockLabel, ConversionResult
from citeloom.domain.documents.spans import ChunkKind
from citeloom.domain.search.hits import PassageHit, hits_by_paper
from citeloom.domain.search.request import Neighbour, QueryResultItem

TABLE = "Pond | Cooling\nNorth | 3.1\nSouth | 2.4"
PAPER = a_document(
    [
        heading("1 Methods", 1, 1),
        paragraph("We measured four ponds. Each had a logger.", 1),
        Part(BlockLabel.TABLE, TABLE, None, 1),
        paragraph("The loggers were compared in a shelter. They agreed.", 2),
        heading("2 Results", 1, 2),
        paragraph("Ponds cool the street. The cooling falls with distance.", 2),
        paragraph("It is gone at one hundred metres.", 3),
    ],
    labels={1: "77", 2: "78", 3: "79"},
)
METHODS, RESULTS = ("1 Methods",), ("2 Results",)


def item(rank: int, first: str, last: str, **more: Any) -> QueryResultItem:
    """A hit from the words ``first`` to the words ``last`` of the paper."""
    text = PAPER.plain_text
    start, end = text.index(first), text.index(last) + len(last)
    pages = [
        line.page for block in PAPER.blocks for line in block.lines
        if line.start < end and start < line.end
    ]  # fmt: skip
    section = RESULTS if start >= text.index("2 Results") else METHODS
    values: dict[str, Any] = {
        "rank": rank,
        "score": 1 / rank,
        "text": text[start:end],
        "citekey": "okafor2021",
        "citation": f"[@okafor2021, p. {76 + pages[0]}]",
        "title": "Ponds",
        "document_id": DOC_ID,
        "chunk_id": str(rank),
        "char_span": (start, end),
        "section": section[-1],
        "section_path": section,
        "page_span": (pages[0], pages[-1]),
        "page_labels": tuple(str(76 + page) for page in dict.fromkeys(pages)),
        "address": f"doc://{DOC_ID[:16]}#pages={pages[0]}",
        "knowledge_uri": "ndk://file/p/d/$chunk/00",
        "source_path": "/ponds.pdf",
        "project": "local/thesis",
    }
    return QueryResultItem(**values | more)


def near(offset: int, first: str, last: str) -> Neighbour:
    hit = item(1, first, last)
    return Neighbour(
        offset=offset, chunk_id=f"n{offset}", char_span=hit.char_span, text=hit.text,
        address=hit.address,
    )  # fmt: skip


def hits(*items: QueryResultItem, paper: ConversionResult | None = PAPER) -> list[PassageHit]:
    papers = hits_by_paper(items, {DOC_ID: paper} if paper else {})
    return [hit for one in papers for hit in one.hits]


def printed(hit: PassageHit) -> list[str]:
    return [block.text for block in hit.blocks]


def test_neighbours_of_one_section_are_one_hit_with_all_their_pages() -> None:
    first = item(3, "1 Methods", "3.1\nSouth | 2.4")
    second = item(1, "The loggers", "They agreed.", best_sentence="They agreed.")
    (hit,) = hits(second, first)
    assert hit.ranks == (1, 3)
    assert hit.item.citation == "[@okafor2021, pp. 77–78]"
    assert (hit.item.page_span, hit.item.section) == ((1, 2), "1 Methods")
    assert hit.item.address == f"doc://{DOC_ID[:16]}#pages=1-2"
    assert [block.label for block in hit.blocks] == [
        BlockLabel.TEXT, BlockLabel.TABLE, BlockLabel.TEXT,
    ]  # fmt: skip
    assert printed(hit)[1] == TABLE
    last = hit.blocks[-1]
    assert [last.text[span.start : span.end] for span in last.best] == ["They agreed."]


def test_passages_of_two_sections_stay_two_hits() -> None:
    assert [
        hit.ranks
        for hit in hits(item(1, "The loggers", "They agreed."), item(2, "2 Results", "distance."))
    ] == [(1,), (2,)]


def test_an_overlap_is_printed_once_also_across_sections() -> None:
    first = item(1, "Each had a logger.", "They agreed.")
    second = item(2, "They agreed.", "falls with distance.", section="2", section_path=RESULTS)
    (hit,) = hits(first, second)
    text = " ".join(printed(hit))
    assert text.count("They agreed.") == 1
    assert hit.ranks == (1, 2)
    assert hit.item.section is None


def test_context_is_printed_once_and_told_from_the_hit() -> None:
    before = near(-1, "We measured", "2.4")
    one = item(1, "The loggers", "They agreed.", context=(before,))
    other = item(2, "Ponds cool", "distance.", context=(near(-1, "They agreed.", "2 Results"),))
    (hit,) = hits(one, other)
    blocks = {block.text: block for block in hit.blocks}
    text = "\n".join(printed(hit))
    assert all(text.count(each) == 1 for each in ("We measured", "They agreed.", "Ponds cool"))
    (beside,) = blocks["We measured four ponds. Each had a logger."].beside
    assert (beside.start, beside.end) == (0, 42)
    assert not blocks["Ponds cool the street. The cooling falls with distance."].beside


def test_what_is_left_out_between_two_pieces_is_shown_as_left_out() -> None:
    far = item(1, "It is gone", "metres.", context=(near(-2, "We measured", "four ponds."),))
    (hit,) = hits(far)
    assert [block.follows for block in hit.blocks] == [True, False]


def test_a_heading_that_names_the_section_is_not_printed_again() -> None:
    (hit,) = hits(item(1, "2 Results", "distance."))
    assert printed(hit) == ["Ponds cool the street. The cooling falls with distance."]


def test_uncertain_page_labels_make_the_whole_citation_one_of_the_file() -> None:
    first = item(1, "1 Methods", "2.4")
    second = item(2, "The loggers", "They agreed.", page_labels=())
    (hit,) = hits(first, second)
    assert hit.item.citation == "[@okafor2021, PDF pp. 1–2]"
    assert hit.item.page_labels == ()


def test_figures_and_annotations_stand_apart() -> None:
    first = item(1, "1 Methods", "a logger.")
    assert len(hits(first, item(2, "Pond |", "2.4", kind=ChunkKind.FIGURE))) == 2


def test_papers_come_in_the_order_of_their_best_hit() -> None:
    other = item(2, "Ponds cool", "distance.", document_id="b" * 64, citekey="lindqvist2020")
    supplement = item(4, "1 Methods", "a logger.", document_id="c" * 64)
    papers = hits_by_paper(
        [item(1, "1 Methods", "a logger."), other, item(3, "It is gone", "metres."), supplement],
        {DOC_ID: PAPER},
    )
    assert [[hit.ranks for hit in paper.hits] for paper in papers] == [[(1,), (3,), (4,)], [(2,)]]


def test_without_its_conversion_a_hit_has_the_paragraphs_of_its_text() -> None:
    first = item(1, "1 Methods", "a logger.", best_sentence="Each had a logger.")
    second = item(2, "Pond |", "2.4")
    one, other = hits(first, second, paper=None)
    assert printed(one) == ["1 Methods", "We measured four ponds. Each had a logger."]
    assert [len(block.best) for block in one.blocks] == [0, 1]
    assert other.ranks == (2,)
