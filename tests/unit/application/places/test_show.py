"""Places that are shown: text, pages, citation and address, what is marked; words for people."""

from collections.abc import Callable
from hashlib import sha256

import pytest
from support.builders import a_citation
from support.page_drawing import WritingRenderer, no_characters
from support.world import HERE, World

from citeloom.application.documents.page_images import PageImages
from citeloom.application.documents.stores import SourceState
from citeloom.application.maps.marks import WordMarks
from citeloom.application.places.show import OpenedPlace, PageRequest, Show
from citeloom.application.ports.maps import PictureLimit
from citeloom.domain.documents.conversion import (
    Block,
    BlockLabel,
    ConversionResult,
    Heading,
    LabelSource,
    PageEntry,
    Structure,
)
from citeloom.domain.documents.fidelity import PageFidelity
from citeloom.domain.documents.spans import CharSpan, Line
from citeloom.domain.errors import InvalidRequest, InvalidSource, UnsupportedFormat
from citeloom.domain.resources.reading import as_read, whole
from citeloom.domain.resources.uris import document_uri, passage_text_uri
from citeloom.infrastructure.ingest.source_files import LocalFiles
from citeloom.infrastructure.storage.small_files import ALONE, NoCopies

LINES = (
    "1. Methods", "We measured air beside four ponds.", "2. Results",
    "The cooling falls with distance.", "It is gone at a hundred metres.",
)  # fmt: skip
LIMIT = PictureLimit(longest_side=1600, bytes=700_000)


def paged(document_id: str, *labels: str | None) -> ConversionResult:
    """A line a block; pages of two, two and one lines."""
    text, blocks, starts = "", list[Block](), list[int]()
    for number, words in enumerate(LINES):
        start, page = len(text), number // 2 + 1
        starts.append(start)
        box = (50.0, 100.0 + 20 * (number % 2), 400.0, 112.0 + 20 * (number % 2))
        blocks.append(
            Block(
                label=BlockLabel.SECTION_HEADER if words[0].isdigit() else BlockLabel.TEXT,
                level=1 if words[0].isdigit() else None,
                span=CharSpan(start=start, end=start + len(words)),
                lines=(Line(start, start + len(words), page, box),),
            )
        )
        text += f"{words}\n\n"
    cuts = (0, starts[2], starts[4], len(text))
    entries = tuple(
        PageEntry(page=n + 1, label=label, spans=(CharSpan(start=cuts[n], end=cuts[n + 1]),))
        for n, label in enumerate(labels)
    )
    headings = (
        Heading(title=LINES[0], level=1, span=CharSpan(start=0, end=starts[2])),
        Heading(title=LINES[2], level=1, span=CharSpan(start=starts[2], end=len(text))),
    )
    structure = Structure(heading_tree=headings, page_map=entries)
    doubtful = PageFidelity(
        page=2, words=30, words_kept=0.5, words_true=0.5, pairs_kept=0.5, pairs_true=0.5
    )
    return ConversionResult(
        doc_id=document_id, structure=structure, plain_text=text, blocks=tuple(blocks),
        mime_type="application/pdf", ocr_pages=(3,), fidelity=(doubtful,),
    )  # fmt: skip


class Desk:
    """A document of three pages, and the verb over it."""

    def __init__(self, world: World) -> None:
        self.world, self.renderer = world, WritingRenderer()
        path = world.write("paper.md", "# Paper\n\nText of it.\n")
        world.ingest()
        (stored,) = world.stored()
        self.id = sha256(path.read_bytes()).hexdigest()
        world.catalogue.put_document(
            stored.model_copy(
                update={"citation": a_citation("ponds2020"), "mime_type": "application/pdf"}
            )
        )
        self.print("439", "440", "441")
        images = PageImages(
            documents=world.documents,
            bundles=world.bundles,
            sources=SourceState(LocalFiles(), NoCopies(ALONE)),
            renderer=self.renderer,
            passwords={},
        )
        resources = world.application.resources
        self.open = Show(
            places=resources.places,
            observe=resources.observe,
            images=images,
            marks=WordMarks(no_characters),
        )

    def print(self, *labels: str | None) -> None:
        self.world.bundles.save(paged(self.id, *labels), "pages")

    def __call__(self, place: str, **more: object) -> OpenedPlace:
        return self.open(PageRequest.model_validate({"place": place} | more))

    @property
    def passage(self) -> str:
        """The knowledge URI of a passage on two pages: the last two lines."""
        text = paged(self.id, None).plain_text
        span = CharSpan(start=text.index(LINES[3]), end=len(text.rstrip()))
        return passage_text_uri(HERE, self.id, span)


@pytest.fixture
def desk(world: World) -> Desk:
    return Desk(world)


def test_all_that_names_a_page_opens_it(desk: Desk) -> None:
    second = f"[p. 440; the text of this page is uncertain]\n\n# {LINES[2]}\n\n{LINES[3]}"
    for place in (
        f"doc://{desk.id[:16]}#pages=2",
        f"{document_uri(HERE, desk.id)}/page/2",
        f"{document_uri(HERE, desk.id)}/page/2.png",
        "[@ponds2020, p. 440]",
        "@ponds2020 p. 440",
        "ponds2020, p. 440",
        "ponds2020 PDF p. 2",
        "paper.md p. 440",
    ):
        opened = desk(place)
        assert opened.text.text == second, place
        assert opened.citation == "[@ponds2020, p. 440]"
        assert opened.address == f"doc://{desk.id[:16]}#pages=2"
        assert [(one.page, one.label, one.uncertain) for one in opened.pages] == [(2, "440", True)]
    assert desk("ponds2020", page="440") == desk("ponds2020", page="PDF 2")


def test_a_page_says_how_its_label_is_known_and_a_citation_has_both_of_two(desk: Desk) -> None:
    made = paged(desk.id, "12\u201313", "14\u201315", None)
    sources = (LabelSource.PRINTED, LabelSource.COUNTED, None)
    entries = tuple(
        entry.model_copy(update={"label_source": source})
        for entry, source in zip(made.structure.page_map, sources, strict=True)
    )
    structure = made.structure.model_copy(update={"page_map": entries})
    desk.world.bundles.save(made.model_copy(update={"structure": structure}), "pages")
    opened = desk("ponds2020", page="15")
    assert [(one.page, one.label, one.label_source) for one in opened.pages] == [
        (2, "14\u201315", LabelSource.COUNTED)
    ]
    assert opened.citation == "[@ponds2020, pp. 14\u201315]"
    assert desk("ponds2020", page="PDF 3").citation == "[@ponds2020, PDF p. 3]"


def test_a_passage_is_opened_with_its_pages_and_marked_on_them(desk: Desk) -> None:
    opened = desk(desk.passage)
    assert opened.citation == "[@ponds2020, pp. 440–441]"
    assert opened.address == desk.passage
    assert opened.text.text.endswith(f"{LINES[3]}\n\n[p. 441]\n\n{LINES[4]}")
    assert opened.section_path == ("2. Results",)
    assert [one.ocr for one in opened.pages] == [False, True]
    assert [(one.page, one.marked) for one in desk.open.pictures(opened, LIMIT)] == [
        (2, True),
        (3, True),
    ]
    assert {one.limit for one in desk.renderer.drawn} == {LIMIT}
    assert [(one.page, [mark.bbox for mark in one.marks]) for one in desk.renderer.drawn] == [
        (2, [(50.0, 120.0, 400.0, 132.0)]),
        (3, [(50.0, 100.0, 400.0, 112.0)]),
    ]


def test_a_quotation_leads_to_its_page_and_one_that_is_not_there_is_told(desk: Desk) -> None:
    whole = desk("ponds2020")
    assert whole.citation == "[@ponds2020]"
    (picture,) = desk.open.pictures(whole, LIMIT, "falls with distance")
    assert (picture.page, picture.marked) == (2, True)
    with pytest.raises(InvalidRequest, match="is not on these pages; they are on other"):
        desk.open.pictures(desk("ponds2020 p. 439"), LIMIT, "falls with distance")


def test_a_section_is_opened_by_its_heading(desk: Desk) -> None:
    for opened in (desk("ponds2020", section="results"), desk('[@ponds2020, sec. "2. Results"]')):
        assert opened.text.text.startswith("[p. 440; the text of this page is uncertain]\n\n# 2.")
        assert [one.page for one in opened.pages] == [2, 3]
        assert opened.citation == "[@ponds2020, pp. 440–441]"


@pytest.mark.parametrize(
    ("place", "message"),
    [
        ("[@ponds2020, p. 442]", "no page p. 442; its pages are 439 to 441"),
        ("ponds2020 PDF p. 4", "no page PDF p. 4; its pages are PDF pp. 1 to 3"),
        ('[@ponds2020, sec. "Methode"]', "Methode: no such section in"),
    ],
)
def test_pages_that_are_not_there_are_told_with_those_there_are(
    desk: Desk, place: str, message: str
) -> None:
    with pytest.raises(InvalidRequest, match=message):
        desk(place)


def test_a_number_printed_twice_is_never_guessed(desk: Desk) -> None:
    desk.print("7", "7", "8")
    with pytest.raises(InvalidRequest, match=r"7 is printed on several pages.* PDF pp\. 1-2"):
        desk("ponds2020 p. 7")
    assert desk("ponds2020 PDF p. 2").citation == "[@ponds2020, p. 7]"


def test_pages_of_which_one_has_no_number_are_cited_as_those_of_the_file(desk: Desk) -> None:
    desk.print("7", None, "9")
    opened = desk(f"doc://{desk.id[:16]}#pages=1,3")
    assert opened.citation == "[@ponds2020, pp. 7, 9]"
    assert desk(f"doc://{desk.id[:16]}#pages=1-2").citation == "[@ponds2020, PDF pp. 1-2]"


def test_pages_beyond_the_end_are_said_to_be_absent(desk: Desk) -> None:
    assert desk("ponds2020", page="440-450").place.absent == "no page is numbered 442–450"
    assert desk("ponds2020", page="PDF 2-9").place.absent == "the file ends with page 3"
    assert desk(f"doc://{desk.id[:16]}#pages=3,8").place.absent == "the file has no page 8"


def test_without_its_file_a_page_has_text_and_no_picture(desk: Desk) -> None:
    opened = desk("ponds2020 p. 440")
    (desk.world.folder / "paper.md").unlink()
    assert desk("ponds2020 p. 440") == opened
    with pytest.raises(InvalidSource, match="the file is gone"):
        desk.open.pictures(opened, LIMIT)


def test_documents_without_pages_have_text_sections_and_neighbours(world: World) -> None:
    world.write("ponds.md", "# Ponds\n\n" + "\n\n".join(f"## S{n}\n\nText {n}." for n in range(9)))
    world.ingest()
    resources = world.application.resources
    open_page = resources.show
    (stored,) = world.stored()
    chunks = resources.places.passages.chunks(stored)
    address = f"virtual://{stored.document_id[:16]}#chunk=4"
    opened = open_page(PageRequest(place=address))
    assert opened.pages == ()
    near = [one.text.split("\n\n")[-1] for one in chunks[2:7]]
    assert all(words in opened.text.text for words in near)
    assert chunks[0].text not in opened.text.text
    wider = open_page(PageRequest(place=address, around=4))
    assert all(one.text.split("\n\n")[-1] in wider.text.text for one in chunks)
    with pytest.raises(UnsupportedFormat, match="only pages of PDFs are drawn"):
        open_page.pictures(opened, LIMIT)
    with pytest.raises(InvalidRequest, match="has no pages"):
        open_page(PageRequest(place="ponds.md", page="3"))


def test_a_layer_has_the_lines_of_a_page_with_their_boxes_and_the_marks_of_a_passage(
    desk: Desk,
) -> None:
    opened = desk("ponds2020 PDF p. 2")
    text = opened.place.document.plain_text
    start = text.index(LINES[3])

    layer = desk.open.layer(opened, 2, CharSpan(start=start, end=start + len(LINES[3])))

    assert (layer.page, layer.pages, layer.label, layer.uncertain) == (2, 3, "440", True)
    assert [line.text for line in layer.lines] == [LINES[2], LINES[3]]
    assert layer.marks == (layer.lines[1].bbox,)
    assert desk.open.layer(opened, 2).marks == ()
    assert desk.open.layer(opened, 1, CharSpan(start=start, end=start + 3)).marks == ()
    assert [desk.open.layer(opened, page).ocr for page in (2, 3)] == [False, True]


def test_a_layer_is_of_a_page_of_an_unchanged_pdf(desk: Desk) -> None:
    opened = desk("ponds2020 PDF p. 2")
    with pytest.raises(InvalidRequest, match="page 4: does not exist; the file has 3"):
        desk.open.layer(opened, 4)
    (desk.world.folder / "paper.md").write_text("other")
    with pytest.raises(InvalidSource, match="changed since it was ingested"):
        desk.open.layer(opened, 2)


Reading = Callable[..., str]
PARTS = (
    ("# A", BlockLabel.TITLE), ("1. Methods", BlockLabel.SECTION_HEADER),
    ("2&A are <scan> resistant and", BlockLabel.TEXT), ("a | b\nc | d", BlockLabel.TABLE),
    ("2. Other methods", BlockLabel.SECTION_HEADER), ("The end.", BlockLabel.TEXT),
)  # fmt: skip


def parted(document_id: str, *labels: str | None) -> ConversionResult:
    """Three pages, of which the second begins within the first paragraph."""
    text, blocks, at = "", [], 0
    for part, label in PARTS:
        span = CharSpan(start=at, end=at + len(part))
        blocks.append(
            Block(label=label, span=span, level=1 if label is BlockLabel.SECTION_HEADER else None)
        )
        text, at = f"{text}{part}\n\n", span.end + 2
    cuts = [0, text.index("are <scan>"), text.index("2. Other"), len(text)]
    entries = [
        PageEntry(page=n + 1, label=label, spans=(CharSpan(start=cuts[n], end=cuts[n + 1]),))
        for n, label in enumerate(labels)
    ]
    first, second = text.index("1. Methods"), cuts[2]
    headings = (
        Heading(title="1. Methods", level=1, span=CharSpan(start=first, end=second)),
        Heading(title="2. Other methods", level=1, span=CharSpan(start=second, end=len(text))),
    )
    return ConversionResult(
        doc_id=document_id,
        plain_text=text,
        blocks=tuple(blocks),
        structure=Structure(heading_tree=headings, page_map=tuple(entries)),
    )


@pytest.fixture
def reading(world: World) -> Reading:
    world.write("paper.md", "# A\n\nText of it.\n")
    world.ingest()
    (stored,) = world.stored()
    world.bundles.save(parted(stored.document_id, "439", "440", None), "pages")
    return world.application.resources.show.markdown


def test_the_whole_document_is_read_with_its_pages(reading: Reading) -> None:
    assert reading("paper", HERE) == (
        "[p. 439]\n\n# # A\n\n# 1. Methods\n\n2&A\n\n[p. 440]\n\nare <scan> resistant and\n\n"
        "| a | b |\n| --- | --- |\n| c | d |\n\n[PDF p. 3]\n\n# 2. Other methods\n\nThe end."
    )


def test_pages_are_named_as_they_are_printed_or_counted(reading: Reading, world: World) -> None:
    second = reading("paper", HERE, page="440")
    assert second.startswith("[p. 440]\n\nare <scan> resistant and")
    assert "439" not in second
    assert reading("paper", HERE, page="PDF 2") == second
    assert reading("paper", HERE, page="439-440").endswith(second)
    (stored,) = world.stored()
    assert reading(f"doc://{stored.document_id[:16]}#pages=2") == second


def test_a_section_is_named_with_or_without_its_number(reading: Reading) -> None:
    for name in ("Methods", "1. Methods", "methods"):
        assert reading("paper", HERE, section=name).startswith("[p. 439]\n\n# 1. Methods")
    assert reading("paper", HERE, section="Other").endswith("# 2. Other methods\n\nThe end.")


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"page": "441"}, "no page 441; its pages are 439 to 440"),
        ({"page": "PDF 9"}, "no page PDF 9; its pages are PDF pp. 1 to 3"),
        ({"section": "metods"}, "metods: no such section in "),
        ({"section": "etho"}, "etho: means 2 sections of "),
        ({"page": "1", "section": "x"}, "a page or a section"),
    ],
)
def test_what_is_not_there_is_told(reading: Reading, asked: dict[str, str], message: str) -> None:
    with pytest.raises(InvalidRequest, match=message):
        reading("paper", HERE, **asked)


def test_without_printed_numbers_no_page_is_guessed(reading: Reading, world: World) -> None:
    (stored,) = world.stored()
    world.bundles.save(parted(stored.document_id, None, None, None), "pages")
    with pytest.raises(InvalidRequest, match=r"not known; name a page of the file: PDF p\. 2"):
        reading("paper", HERE, page="2")
    world.bundles.save(parted(stored.document_id, "7", "7", "8"), "pages")
    with pytest.raises(InvalidRequest, match=r"7 is printed on several pages.* PDF pp\. 1-2"):
        reading("paper", HERE, page="7")


def test_nothing_is_left_out_of_a_document_without_pages() -> None:
    text = as_read(document := parted("0" * 64), whole(document)).text
    assert all(part.split("\n")[0].split(" | ")[0] in text for part, _ in PARTS)
    assert "[p" not in text.casefold()
