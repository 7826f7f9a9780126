"""Pages as PNG, by pdfium: size, colours of marks, regions, files that cannot be drawn; and
the plain text of pages, with which quotations are compared."""

import io
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path

import pikepdf
import pytest
from PIL import Image
from support.pdf.written_pdf import Text, write_pdf

from citeloom.application.documents.stores import SecondReading, SourceState
from citeloom.application.ports.catalogue import SourceStamp, StoredDocument
from citeloom.application.ports.maps import PageMark, PictureLimit
from citeloom.domain.documents.spans import Region
from citeloom.domain.errors import ConversionFailed, InvalidRequest, PasswordNeeded
from citeloom.domain.projects.project import ProjectId
from citeloom.infrastructure.ingest.source_files import LocalFiles
from citeloom.infrastructure.maps.evidence.pdf_pages import (
    COLOURS,
    FIGURE_SCALE,
    MAX_SIDE,
    PAGE_SCALE,
    PdfPageRenderer,
    page_text,
)
from citeloom.infrastructure.storage.small_files import ALONE, NoCopies

RENDERER = PdfPageRenderer()
WHITE = (255, 255, 255)
BOX = (100.0, 200.0, 300.0, 260.0)


def opened(png: bytes) -> Image.Image:
    image = Image.open(io.BytesIO(png))
    assert image.format == "PNG"
    return image.convert("RGB")


def pixel(image: Image.Image, x: float, y: float) -> tuple[int, ...]:
    """The colour at a place in points."""
    found = image.getpixel((round(x * PAGE_SCALE), round(y * PAGE_SCALE)))
    assert isinstance(found, tuple)
    return found


@pytest.fixture
def paper(tmp_path: Path) -> Path:
    return write_pdf(tmp_path / "paper.pdf", [[Text(72, 720, "One")], [Text(72, 720, "Two")]])


def test_a_page_has_the_size_that_it_is_displayed_at(paper: Path, tmp_path: Path) -> None:
    assert opened(RENDERER.page(paper, 1, (), None)).size == (1224, 1584)
    turned = write_pdf(tmp_path / "turned.pdf", [[Text(72, 72, "Turned")]], rotate=90)
    assert opened(RENDERER.page(turned, 1, (), None)).size == (1584, 1224)


@pytest.mark.parametrize("kind", sorted(COLOURS))
def test_the_border_of_a_mark_has_the_colour_of_its_kind(paper: Path, kind: str) -> None:
    image = opened(RENDERER.page(paper, 2, [PageMark(kind=kind, caption="", bbox=BOX)], None))
    left, top, right, bottom = BOX
    for place in ((right, 230), (left, 230), (250, top), (250, bottom)):
        assert pixel(image, *place) == COLOURS[kind]
    inside, outside = pixel(image, 200, 230), pixel(image, 400, 230)
    assert outside == WHITE
    assert inside not in (WHITE, COLOURS[kind])


def test_a_passage_is_marked_as_with_a_pen(paper: Path) -> None:
    mark = PageMark(kind="passage", caption="", bbox=BOX)
    image = opened(RENDERER.page(paper, 2, [mark], None))
    left, _, right, _ = BOX
    inside = pixel(image, 200, 230)
    assert inside == pixel(image, left + 1, 230) == pixel(image, right - 1, 230)
    red, green, blue = inside
    assert red == 255
    assert blue < green < 255
    assert pixel(image, right + 3, 230) == WHITE


def test_pictures_stay_within_their_limits(tmp_path: Path) -> None:
    lines = [Text(40, 30 + 9 * n, f"{n} of the hundred lines " * 6, size=8) for n in range(80)]
    full = write_pdf(tmp_path / "full.pdf", [lines])
    wide = PictureLimit(longest_side=1600, bytes=10_000_000)
    assert max(opened(RENDERER.page(full, 1, (), None, wide)).size) == 1584
    small = PictureLimit(longest_side=800, bytes=10_000_000)
    assert max(opened(RENDERER.page(full, 1, (), None, small)).size) == 800
    few = PictureLimit(longest_side=1600, bytes=40_000)
    for png in (
        RENDERER.page(full, 1, (), None, few),
        RENDERER.region(full, Region(page=1, bbox=(0, 0, 612, 792)), None, few),
    ):
        assert len(png) <= few.bytes
        assert opened(png).size[0] > 200


def test_pages_are_rendered_in_several_threads_at_once(paper: Path) -> None:
    with ThreadPoolExecutor(8) as threads:
        drawn = set(threads.map(lambda _: RENDERER.page(paper, 1, (), None), range(24)))
    assert len(drawn) == 1


def test_arrows_join_marks_in_order_and_no_others(paper: Path) -> None:
    above = PageMark(kind="text", caption="1 text", bbox=(100, 100, 300, 150), order=1)
    below = PageMark(kind="text", caption="2 text", bbox=(100, 300, 300, 350), order=2)
    joined = opened(RENDERER.page(paper, 1, [above, below], None))
    assert pixel(joined, 103, 225) != WHITE
    apart = [mark.model_copy(update={"order": None}) for mark in (above, below)]
    assert pixel(opened(RENDERER.page(paper, 1, apart, None)), 103, 225) == WHITE


def test_a_mark_that_leaves_the_page_is_no_error(paper: Path) -> None:
    odd = [
        PageMark(kind="text", caption="text " * 60, bbox=(-50, -20, 900, 2000), order=1),
        PageMark(kind="unheard of", caption="", bbox=(10, 10, 10, 10), order=2),
    ]
    assert opened(RENDERER.page(paper, 1, odd, None)).size == (1224, 1584)


def test_a_region_shows_what_stands_in_it(paper: Path) -> None:
    with_text = opened(RENDERER.region(paper, Region(page=1, bbox=(70, 60, 110, 80)), None))
    assert with_text.size == (round(40 * FIGURE_SCALE), round(20 * FIGURE_SCALE))
    assert any(colour != WHITE for _, colour in with_text.getcolors(100_000) or [])
    beside = opened(RENDERER.region(paper, Region(page=1, bbox=(300, 300, 340, 320)), None))
    assert [colour for _, colour in beside.getcolors(100_000) or []] == [WHITE]


@pytest.mark.parametrize("bbox", [(700, 900, 800, 950), (50, 50, 50, 50), (-9, -9, -1, -1)])
def test_a_region_without_area_on_the_page_is_one_pixel_at_least(
    paper: Path, bbox: tuple[float, float, float, float]
) -> None:
    assert min(opened(RENDERER.region(paper, Region(page=1, bbox=bbox), None)).size) >= 1


def test_a_poster_is_drawn_smaller(paper: Path, tmp_path: Path) -> None:
    poster = tmp_path / "poster.pdf"
    with pikepdf.open(paper) as pdf:
        pdf.pages[0].mediabox = [0, 0, 14000, 7000]
        pdf.save(poster)
    assert max(opened(RENDERER.page(poster, 1, (), None)).size) <= MAX_SIDE + 1


def test_a_page_that_the_file_has_not_is_refused(paper: Path) -> None:
    with pytest.raises(InvalidRequest, match="no page 3; it has 2"):
        RENDERER.page(paper, 3, (), None)


def test_a_protected_file_needs_its_password(paper: Path, tmp_path: Path) -> None:
    locked = tmp_path / "locked.pdf"
    with pikepdf.open(paper) as pdf:
        pdf.save(locked, encryption=pikepdf.Encryption(owner="owner", user="open"))
    with pytest.raises(PasswordNeeded, match=r"locked.pdf: password needed"):
        RENDERER.page(locked, 1, (), None)
    with pytest.raises(PasswordNeeded, match="password is wrong"):
        RENDERER.page(locked, 1, (), "wrong")
    assert opened(RENDERER.page(locked, 1, (), "open")).size == (1224, 1584)


def test_what_is_no_pdf_cannot_be_drawn(tmp_path: Path) -> None:
    garbage = tmp_path / "garbage.pdf"
    garbage.write_bytes(b"%PDF-1.7 and no more")
    with pytest.raises(ConversionFailed, match=r"garbage.pdf: cannot be opened"):
        RENDERER.page(garbage, 1, (), None)


SOURCES = SourceState(LocalFiles(), NoCopies(ALONE))
FALLS = "The cooling beside ponds falls with distance from the shore."
GRID = "The grid had the smallest error of all at every sample size."


@pytest.fixture
def ponds(tmp_path: Path) -> Path:
    return write_pdf(tmp_path / "paper.pdf", [[Text(72, 720, FALLS)], [Text(72, 720, GRID)], []])


def test_pages_are_read_without_the_layout(ponds: Path):
    assert FALLS in page_text(ponds, 1, None)
    assert page_text(ponds, 3, None) == ""
    with pytest.raises(InvalidRequest):
        page_text(ponds, 4, None)
    ponds.write_bytes(b"no PDF")
    with pytest.raises(ConversionFailed):
        page_text(ponds, 1, None)


def stored(path: Path, mime_type: str = "application/pdf") -> StoredDocument:
    return StoredDocument(
        project_id=ProjectId.parse("papers"),
        document_id=sha256(path.read_bytes()).hexdigest(),
        mime_type=mime_type,
        pages=3,
        chunks=1,
        sources=(SourceStamp(path=str(path), size=1, mtime_ns=1),),
        conversion="x",
        chunking="x",
        embedding="x",
        stored_at=datetime(2026, 3, 1, tzinfo=UTC),
    )


def test_a_quotation_is_looked_for_on_its_page(ponds: Path):
    reading = SecondReading(sources=SOURCES, texts=page_text, passwords={})
    document = stored(ponds)
    assert reading.has(document, FALLS, [1]) is True
    assert reading.has(document, FALLS, [2]) is False
    assert reading.has(document, FALLS.replace("falls", "rises"), [1]) is False
    for nothing in ([3], [9], []):
        assert reading.has(document, FALLS, nothing) is None
    assert reading.has(stored(ponds, "text/markdown"), FALLS, [1]) is None


def test_a_file_that_is_gone_or_changed_is_not_compared(ponds: Path):
    document = stored(ponds)
    ponds.write_bytes(ponds.read_bytes() + b"\n")
    for _ in range(2):
        reading = SecondReading(sources=SOURCES, texts=page_text, passwords={})
        assert reading.has(document, FALLS, [1]) is None
        ponds.unlink(missing_ok=True)
