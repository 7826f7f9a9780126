"""What is cut out of PDFs, texts and pictures, and what is refused."""

import io
import json
import warnings
from pathlib import Path
from typing import Any

import numpy
import pikepdf
import pypdfium2
import pytest
from PIL import Image
from support.paths import cases
from support.pdf.written_pdf import Text, write_pdf

from citeloom.application.ports.maps import Bookmark, CutRequest, Cutter, PageText
from citeloom.domain.documents.spans import Region
from citeloom.domain.errors import (
    CiteLoomError,
    ConversionFailed,
    InvalidRequest,
    PasswordNeeded,
    UnsupportedFormat,
)
from citeloom.domain.maps.resource_map import Location
from citeloom.infrastructure.maps.evidence.cutters import cutters

ROWS: list[dict[str, Any]] = cases("citekit_resource_map")["physical"]


def a_pdf(path: Path, pages: int, **more: Any) -> Path:
    return write_pdf(path, [[Text(72, 720, f"Page {n}")] for n in range(1, pages + 1)], **more)


def cut_out(
    source: Path, location: Location, password: str | None = None, **more: Any
) -> tuple[Path, list[str]]:
    """The file that was cut, and the warnings."""
    cut = CutRequest(source_hash="ab" * 32, location=location, title="On ponds", **more)
    cutter: Cutter = cutters()[location.modality]
    target = source.with_name(f"out{cutter.suffix(source, cut)}")
    target.unlink(missing_ok=True)
    return target, list(cutter.write(source, cut, password, target))


def pages(*numbers: int) -> Location:
    return Location(modality="document", pages=numbers)


def texts(path: Path) -> list[str]:
    with pypdfium2.PdfDocument(path) as pdf:
        return [page.get_textpage().get_text_bounded() for page in pdf]


def rows(kind: str) -> list[Any]:
    found = [row for row in ROWS if row["kind"] == kind]
    assert found
    return [pytest.param(row, id=json.dumps(row)[:80]) for row in found]


@pytest.mark.parametrize("row", rows("document"))
def test_pages_as_in_the_table(row: dict[str, Any], tmp_path: Path) -> None:
    source = tmp_path / "book.pdf"
    count = row.get("source_pages", 3)
    if row.get("source") != "missing":
        a_pdf(source, count)
    wanted = row.get("pages", [1])
    location = Location(modality="document", pages=tuple(wanted) if wanted else None)
    if "error" in row:
        with pytest.raises((CiteLoomError, FileNotFoundError)) as caught:
            cut_out(source, location)
        if row.get("source") != "missing":
            assert ("no page numbers" if wanted is None else "no page 99; it has 3") in str(
                caught.value
            )
        return
    path, warnings = cut_out(source, location)
    there = [page for page in wanted if page <= count]
    assert texts(path) == [f"Page {page}" for page in there]
    assert len(there) == row["out_pages"]
    assert bool(warnings) == (there != wanted)


@pytest.mark.parametrize("row", rows("text"))
def test_lines_as_in_the_table(row: dict[str, Any], tmp_path: Path) -> None:
    source = tmp_path / "code.py"
    source.write_bytes(row["content"].encode())
    lines = tuple(row["lines"])
    if "error" in row or row.get("adopt", "").startswith("stricter"):
        with pytest.raises(ValueError if "adopt" in row else InvalidRequest) as caught:
            cut_out(source, Location(modality="text", lines=lines))
        assert row.get("error", "") in str(caught.value)
        return
    path, warnings = cut_out(source, Location(modality="text", lines=lines))
    assert path.read_bytes() == row["text"].encode()
    assert warnings == ["code.py: has 3 lines; cut from 2 to 3"]


@pytest.mark.parametrize("row", rows("image"))
def test_boxes_as_in_the_table(row: dict[str, Any], tmp_path: Path) -> None:
    source = tmp_path / "picture.png"
    Image.new("RGB", tuple(row.get("size", (100, 100))), "red").save(source)
    bbox = tuple(row["bbox"]) if row["bbox"] else None
    if "error" in row:
        with pytest.raises(InvalidRequest if bbox is None else ValueError) as caught:
            cut_out(source, Location(modality="image", bbox=bbox))
        assert row["error"].lower() in str(caught.value).lower()
        return
    path, _ = cut_out(source, Location(modality="image", bbox=bbox))
    with Image.open(path) as crop:
        assert list(crop.size) == row["out_size"]


def test_the_pages_cut_have_bookmarks_and_the_labels_of_the_source(tmp_path: Path) -> None:
    source = a_pdf(tmp_path / "book.pdf", 5, labels="/Nums [0 << /S /r >> 2 << /S /D >>]")
    marks = (
        Bookmark(
            title="Left out",
            page=1,
            children=(
                Bookmark(title="Methods", page=2, children=(Bookmark(title="Sampling", page=4),)),
            ),
        ),
    )
    path, _ = cut_out(source, pages(2, 4), bookmarks=marks)
    with pypdfium2.PdfDocument(path) as pdf:
        toc = [(b.level, b.get_title(), b.get_dest().get_index()) for b in pdf.get_toc()]
        assert toc == [(0, "Methods", 0), (1, "Sampling", 1)]
        assert [pdf.get_page_label(n) for n in range(2)] == ["ii", "2"]
        assert pdf.get_metadata_value("Title") == "On ponds"
        assert not pdf.get_metadata_value("CreationDate")


def test_the_labels_of_a_document_come_before_those_of_its_file(tmp_path: Path) -> None:
    source = a_pdf(tmp_path / "book.pdf", 3, labels="/Nums [0 << /S /D >>]")
    path, _ = cut_out(source, pages(3, 1), labels=("2", "PDF 1"))
    with pypdfium2.PdfDocument(path) as pdf:
        assert [pdf.get_page_label(n) for n in range(2)] == ["2", "PDF 1"]


def test_cutting_twice_gives_the_same_bytes(tmp_path: Path) -> None:
    source = a_pdf(tmp_path / "book.pdf", 3)
    marks = {"highlights": (Region(page=2, bbox=(70, 60, 110, 80)),)}
    first = cut_out(source, pages(1, 2), **marks)[0].read_bytes()
    assert cut_out(source, pages(1, 2), **marks)[0].read_bytes() == first
    assert cut_out(source, pages(1, 2))[0].read_bytes() != first


@pytest.mark.parametrize("rotate", [0, 90, 180, 270])
def test_a_highlight_is_seen_where_its_box_is(rotate: int, tmp_path: Path) -> None:
    source = a_pdf(tmp_path / "book.pdf", 2, rotate=rotate)
    with pikepdf.open(source, allow_overwriting_input=True) as pdf:
        pdf.pages[1].cropbox = [10, 20, 600, 780]
        pdf.save(source)
    box = (100.0, 150.0, 300.0, 170.0)
    path, _ = cut_out(source, pages(2), highlights=(Region(page=2, bbox=box),))
    with pypdfium2.PdfDocument(path) as drawn:
        image = drawn[0].render(scale=1).to_pil().convert("RGB")
    pixels = numpy.asarray(image).astype(int)
    rows, columns = numpy.nonzero(pixels.max(axis=2) - pixels.min(axis=2) > 100)
    found = (columns.min(), rows.min(), columns.max() + 1, rows.max() + 1)
    assert found == pytest.approx(box, abs=1.5)


def test_links_of_a_page_survive_beside_a_highlight(tmp_path: Path) -> None:
    source = a_pdf(tmp_path / "book.pdf", 2)
    with pikepdf.open(source, allow_overwriting_input=True) as pdf:
        link = pikepdf.Dictionary(
            Type=pikepdf.Name.Annot, Subtype=pikepdf.Name.Link, Rect=[0, 0, 9, 9],
            Dest=[pdf.pages[1].obj, pikepdf.Name.Fit],
        )  # fmt: skip
        pdf.pages[0].Annots = pdf.make_indirect(pikepdf.Array([pdf.make_indirect(link)]))
        pdf.save(source)
    path, _ = cut_out(source, pages(1), highlights=(Region(page=1, bbox=(1, 1, 9, 9)),))
    with pikepdf.open(path) as pdf:
        kinds = [str(note.Subtype) for note in pdf.pages[0].Annots]
    assert kinds == ["/Link", "/Highlight"]


def test_a_protected_pdf_needs_its_password(tmp_path: Path) -> None:
    locked = tmp_path / "locked.pdf"
    with pikepdf.open(a_pdf(tmp_path / "book.pdf", 2)) as pdf:
        pdf.save(locked, encryption=pikepdf.Encryption(owner="owner", user="open"))
    with pytest.raises(PasswordNeeded, match=r"locked.pdf: password needed"):
        cut_out(locked, pages(1))
    with pytest.raises(PasswordNeeded, match="password is wrong"):
        cut_out(locked, pages(1), "wrong")
    assert texts(cut_out(locked, pages(2), "open")[0]) == ["Page 2"]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert texts(cut_out(tmp_path / "book.pdf", pages(2), "needless")[0]) == ["Page 2"]


def test_what_is_no_pdf_or_no_picture_is_told(tmp_path: Path) -> None:
    garbage = tmp_path / "garbage.pdf"
    garbage.write_bytes(b"%PDF-1.7 and no more")
    with pytest.raises(ConversionFailed, match=r"garbage\.pdf: cannot be opened as PDF"):
        cut_out(garbage, pages(1))
    with pytest.raises(UnsupportedFormat, match="no picture that can be cut"):
        cut_out(garbage, Location(modality="image", bbox=(0, 0, 1, 1)))


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("/Rotate", pikepdf.Name.Sideways),
        ("/CropBox", pikepdf.Array([1, 2])),
        ("/CropBox", pikepdf.Array([pikepdf.Name.a, 0, 9, 9])),
    ],
)
def test_a_page_of_odd_objects_is_damaged_where_it_must_be_marked(
    key: str, value: Any, tmp_path: Path
) -> None:
    source = a_pdf(tmp_path / "book.pdf", 1)
    with pikepdf.open(source, allow_overwriting_input=True) as pdf:
        pdf.pages[0].obj[key] = value
        pdf.save(source)
    with pytest.raises(ConversionFailed, match=r"book\.pdf: its pages cannot be copied"):
        cut_out(source, pages(1), highlights=(Region(page=1, bbox=(1, 1, 9, 9)),))


def test_slides_are_cut_as_their_text(tmp_path: Path) -> None:
    slides = tmp_path / "talk.pptx"
    read = tuple(PageText(page=n, text=f"Slide {n}") for n in (1, 2, 3))
    path, warnings = cut_out(slides, pages(1, 3), texts=read)
    assert path.suffix == ".txt"
    assert path.read_text("utf-8") == "[1]\nSlide 1\n\n[3]\nSlide 3\n"
    assert warnings == ["talk.pptx: no PDF; the text of its pages was cut out"]


@pytest.mark.parametrize(
    ("content", "lines", "expected"),
    [
        (b"a\r\nb\r\nc", (2, 3), b"b\r\nc"),
        (b"a\rb\rc\r", (2, 2), b"b\r"),
        (b"a\n\nc\n", (2, 2), b"\n"),
        (b"\xff\n\x85\n", (2, 2), b"\x85\n"),
        ("a\u2028b\nc\n".encode(), (1, 1), "a\u2028b\n".encode()),
        ("\ufeffä\nö\n".encode("utf-16-le"), (2, 2), "\ufeffö\n".encode("utf-16-le")),
        ("\ufeff上\n਀\n".encode("utf-16-be"), (2, 2), "\ufeff਀\n".encode("utf-16-be")),
    ],
)
def test_lines_keep_their_bytes(
    content: bytes, lines: tuple[int, int], expected: bytes, tmp_path: Path
) -> None:
    source = tmp_path / "notes.txt"
    source.write_bytes(content)
    path, _ = cut_out(source, Location(modality="text", lines=lines))
    assert path.read_bytes() == expected


def test_a_picture_is_cut_as_it_is_displayed(tmp_path: Path) -> None:
    source = tmp_path / "photo.jpg"
    picture = Image.new("RGB", (80, 40), "white")
    picture.paste("red", (0, 0, 20, 40))  # on the left; turned clockwise: at the top
    exif = Image.Exif()
    exif[0x0112] = 6
    picture.save(source, exif=exif, quality=95)
    top = Location(modality="image", bbox=(0, 0, 1, 0.25))
    path, _ = cut_out(source, top)
    with Image.open(path) as crop:
        assert (crop.size, crop.format) == ((40, 20), "PNG")
        assert crop.getpixel((20, 10)) == pytest.approx((254, 0, 0), abs=4)
    again = path.read_bytes()
    assert (
        cut_out(source, Location(modality="image", bbox=(0, 0, 1, 0.25)))[0].read_bytes() == again
    )


@pytest.mark.parametrize("mode", ["1", "L", "LA", "P", "RGB", "RGBA", "CMYK", "I;16"])
def test_pictures_of_any_kind_are_cut(mode: str, tmp_path: Path) -> None:
    source = tmp_path / "picture.tif"
    Image.new(mode, (30, 20)).save(source)
    path, _ = cut_out(source, Location(modality="image", bbox=(0.5, 0.5, 0.501, 0.501)))
    with Image.open(io.BytesIO(path.read_bytes())) as crop:
        assert crop.size == (1, 1)


def test_a_picture_with_too_many_pixels_or_too_few_bytes_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = tmp_path / "picture.png"
    Image.effect_noise((200, 200), 50).save(source)
    whole = Location(modality="image", bbox=(0, 0, 1, 1))
    monkeypatch.setattr(Image, "MAX_IMAGE_PIXELS", 100)
    with pytest.raises(UnsupportedFormat, match="too many pixels"):
        cut_out(source, whole)
    monkeypatch.undo()
    source.write_bytes(source.read_bytes()[:2000])
    with pytest.raises(ConversionFailed, match="damaged"):
        cut_out(source, whole)
