"""Pieces of a document assembled into text, sections and labels."""

from citeloom.domain.documents.conversion import BlockLabel, LabelSource
from citeloom.infrastructure.ingest.conversion.formats.assembly import (
    BlockPiece,
    Page,
    PrintedPlace,
    assemble,
)


def test_empty_pieces_leave_no_trace_and_control_characters_go() -> None:
    done = assemble(
        [
            BlockPiece(BlockLabel.TEXT, text)
            for text in ("a\x0bb", " \n", "c\x00\ud800\U000e0041\u200b")
        ]
    )
    assert done.text == "a\nb\n\nc\N{REPLACEMENT CHARACTER}"
    assert len(done.blocks) == 2


def test_a_section_of_a_slide_ends_with_the_slide() -> None:
    def piece(label: BlockLabel, text: str, page: int, level: int | None = None) -> BlockPiece:
        return BlockPiece(label, text, level, (PrintedPlace(page, (0.0, 0.0, 9.0, 9.0)),))

    pieces = [
        piece(BlockLabel.SECTION_HEADER, "Head", 1, 1),
        piece(BlockLabel.TEXT, "body", 1),
        piece(BlockLabel.TEXT, "next slide", 2),
    ]
    pages = [Page(1, label="i"), Page(2)]
    done = assemble(pieces, pages, sections_end_with_page=True)
    assert done.structure.heading_tree[0].span.end == len("Head\n\nbody")
    assert done.structure.section_path_at(len(done.text) - 1) is None
    assert done.structure.label_of(1) == "i"
    flowing = assemble(pieces, pages)
    assert flowing.structure.heading_tree[0].span.end == len(flowing.text)


def test_labels_of_sheets_say_that_they_are_names() -> None:
    pieces = [BlockPiece(BlockLabel.TEXT, "Yield", places=(PrintedPlace(1, (0.0, 0.0, 1.0, 1.0)),))]
    pages = [Page(1, 10.0, 10.0, "Plots"), Page(2, 10.0, 10.0)]
    first, second = assemble(pieces, pages).structure.page_map
    assert (first.label, first.label_source) == ("Plots", LabelSource.SHEET)
    assert second.label_source is None
