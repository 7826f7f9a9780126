"""The pictures of *map*: which page is meant, what is drawn, and when nothing can be."""

from hashlib import sha256
from pathlib import Path

import pytest
from support.builders import Part, a_citation, a_document, heading, paragraph
from support.cases import each
from support.page_drawing import WritingRenderer
from support.world import HERE, World

from citeloom.application.documents.page_images import PageImages, marks_of, page_number
from citeloom.application.documents.stores import SourceState
from citeloom.application.ports.catalogue import SourceStamp
from citeloom.domain.documents.conversion import BlockLabel, ConversionResult, Figure, Furniture
from citeloom.domain.documents.spans import Line
from citeloom.domain.errors import InvalidRequest, InvalidSource, UnsupportedFormat
from citeloom.infrastructure.ingest.source_files import LocalFiles
from citeloom.infrastructure.storage.small_files import ALONE, NoCopies

PAGED = a_document(
    [heading("Methods", 1, 1), paragraph("We measured.", 1), paragraph("It cooled.", 3)],
    labels={1: "xi", 2: "xii", 3: "1"},
)


@pytest.fixture
def renderer() -> WritingRenderer:
    return WritingRenderer()


@pytest.fixture
def rendering(world: World, renderer: WritingRenderer) -> PageImages:
    return PageImages(
        documents=world.documents,
        bundles=world.bundles,
        sources=SourceState(LocalFiles(), NoCopies(ALONE)),
        renderer=renderer,
        passwords={"paper.pdf": "open"},
    )


def put(world: World, document: ConversionResult = PAGED, *, name: str = "paper.pdf") -> Path:
    """A file whose conversion is ``document``, stored in the project."""
    path = world.write("note.md", "# A note\n")
    world.ingest(path)
    (stored,) = world.stored()
    world.catalogue.remove_documents(HERE, [stored.document_id])
    paper = world.write(name, "as if this were a PDF")
    digest = sha256(paper.read_bytes()).hexdigest()
    world.bundles.save(document.model_copy(update={"doc_id": digest}), "converter")
    world.catalogue.put_document(
        stored.model_copy(
            update={
                "document_id": digest,
                "mime_type": document.mime_type,
                "sources": (SourceStamp(path=str(paper), size=1, mtime_ns=1),),
                "citation": a_citation("smith2020"),
            }
        )
    )
    return paper


@each(("page", "number"), [("3", 3), (" 1 ", 1), ("label:xii", 2), ("label:1", 3)])
def test_a_page_is_named_by_number_or_printed_label(page: str, number: int) -> None:
    assert page_number(PAGED, page) == number


@each("page", ["0", "4", "-1", "xii", "", "1-2", "label:", "label:9", "²", "9" * 5000])
def test_a_page_that_there_is_not_is_refused(page: str) -> None:
    with pytest.raises(InvalidRequest, match=r"page|label"):
        page_number(PAGED, page)


def test_a_label_on_two_pages_names_neither() -> None:
    twice = a_document([paragraph("A.", 1), paragraph("B.", 2)], labels={1: "7", 2: "7"})
    with pytest.raises(InvalidRequest, match="PDF pages 1-2"):
        page_number(twice, "label:7")


def test_blocks_are_numbered_in_reading_order_over_figures_and_furniture() -> None:
    box = (10.0, 10.0, 20.0, 20.0)
    document = PAGED.model_copy(
        update={
            "furniture": (Furniture(page=1, text="xi", bbox=box),),
            "figures": (Figure(page=1, bbox=box), Figure(page=2, bbox=box)),
        }
    )
    marks = marks_of(document, 1)
    assert [mark.caption for mark in marks] == [
        "furniture", "figure", "1 section_header 1", "2 text",
    ]  # fmt: skip
    assert [mark.order for mark in marks] == [None, None, 1, 2]


def test_a_block_in_two_columns_has_two_marks() -> None:
    (block,) = a_document([Part(BlockLabel.TEXT, "left right", None, 1)]).blocks
    lines = (Line(0, 4, 1, (36, 700, 200, 712)), Line(5, 10, 1, (300, 60, 500, 72)))
    document = a_document([Part(BlockLabel.TEXT, "left right", None, 1)]).model_copy(
        update={"blocks": (block.model_copy(update={"lines": lines}),)}
    )
    assert [mark.caption for mark in marks_of(document, 1)] == ["1 text", "1 text (2)"]


def test_a_page_is_drawn_from_the_file_with_its_password(
    world: World, rendering: PageImages, renderer: WritingRenderer
) -> None:
    put(world)
    drawn = rendering.page(HERE, "smith2020", "label:xi")
    assert (drawn.document, drawn.page, drawn.page_label, drawn.png) == (
        "smith2020", 1, "xi", b"page",
    )  # fmt: skip
    (asked,) = renderer.drawn
    assert asked[:3] == ("paper.pdf", 1, "open")
    assert [mark.kind for mark in asked.marks] == ["section_header", "text"]


@pytest.mark.parametrize(
    ("name", "given", "used"),
    [
        ("paper.pdf", "other", "open"),
        ("scan-7.pdf", "other", "pattern"),
        ("free.pdf", "other", "other"),
        ("free.pdf", None, None),
    ],
)
def test_passwords_go_as_in_an_ingest(
    world: World, renderer: WritingRenderer, name: str, given: str | None, used: str | None
) -> None:
    rendering = PageImages(
        documents=world.documents,
        bundles=world.bundles,
        sources=SourceState(LocalFiles(), NoCopies(ALONE)),
        renderer=renderer,
        passwords={"scan-*.pdf": "pattern", "paper.pdf": "open"},
    )
    figure = Figure(page=3, bbox=(10.0, 10.0, 20.0, 20.0))
    put(world, PAGED.model_copy(update={"figures": (figure,)}), name=name)
    rendering.page(HERE, "smith2020", "1", given)
    assert len(list(rendering.figures(HERE, "smith2020", given))) == 1
    assert [one[:3] for one in renderer.drawn] == [(name, 1, used), (name, 3, used)]


def test_figures_are_numbered_on_each_page(world: World, rendering: PageImages) -> None:
    box = (10.0, 10.0, 20.0, 20.0)
    figures = (
        Figure(page=1, bbox=box, caption="A"),
        Figure(page=1, bbox=box),
        Figure(page=3, bbox=box),
    )
    put(world, PAGED.model_copy(update={"figures": figures}))
    found = list(rendering.figures(HERE, "smith2020"))
    assert [(one.page, one.page_label, one.number, one.caption) for one in found] == [
        (1, "xi", 1, "A"), (1, "xi", 2, None), (3, "1", 1, None),
    ]  # fmt: skip


def test_a_file_that_changed_is_not_drawn(world: World, rendering: PageImages) -> None:
    put(world).write_text("another text")
    with pytest.raises(InvalidSource, match=r"paper.pdf: changed since .* ingest it again"):
        rendering.page(HERE, "smith2020", "1")


def test_a_file_that_is_gone_is_not_drawn(world: World, rendering: PageImages) -> None:
    put(world).unlink()
    with pytest.raises(InvalidSource, match=r"paper.pdf: the file is gone"):
        rendering.page(HERE, "smith2020", "1")


def test_a_format_without_pages_is_not_drawn(world: World, rendering: PageImages) -> None:
    world.ingest(world.write("note.md", "# A note\n\nText.\n"))
    with pytest.raises(UnsupportedFormat, match=r"note.md: no PDF"):
        rendering.page(HERE, "note.md", "1")
