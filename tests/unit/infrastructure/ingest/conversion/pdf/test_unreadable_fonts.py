"""Pages in fonts that name no characters are told from the others, one by one."""

from collections.abc import Callable
from pathlib import Path

import pikepdf
import pytest
from support.paths import LIBRARY
from support.pdf.scanned_pdf import Dictated
from support.pdf.unreadable_fonts import type3, with_fonts, without_characters
from support.pdf.written_pdf import paragraph, write_pdf

from citeloom.domain.documents.conversion import ConversionResult
from citeloom.infrastructure.ingest.conversion.pdf import native
from citeloom.infrastructure.ingest.conversion.pdf.convert import convert_pdf
from citeloom.infrastructure.ingest.conversion.protocol import Options

NO_OCR = Options(ocr="none")
TYPESET = LIBRARY / "papers" / "pond-cooling.pdf"
TOLD = (
    "page 2 has text that cannot be read (fonts without character codes); "
    'set ocr.engine = "auto" and ingest again to read it'
)


@pytest.fixture
def three_pages(tmp_path: Path) -> Path:
    return write_pdf(tmp_path / "three.pdf", [paragraph(30, 700, seed=n) for n in range(3)])


def characters(result: ConversionResult) -> list[int]:
    """How much text each page has."""
    return [sum(map(len, entry.spans)) for entry in result.structure.page_map]


@pytest.mark.parametrize(
    "name",
    [
        lambda code: f"g{code}",
        lambda code: f"a{code}",
        lambda code: f"x{code}",
        lambda code: f"uni{0xE000 + code:04X}",
        lambda code: ".notdef",
    ],
    ids=["g97", "a97 (dingbats)", "x97", "private use", "notdef"],
)
def test_a_page_in_a_type_3_font_is_missing_and_the_others_are_whole(
    three_pages: Path, tmp_path: Path, name: Callable[[int], str]
) -> None:
    path = with_fonts(three_pages, tmp_path / "t3.pdf", [2], lambda pdf, _: type3(pdf, name))
    result = convert_pdf(path, "id", None, NO_OCR)
    assert result.missing_pages == (2,)
    assert result.warnings == (TOLD,)
    whole = characters(convert_pdf(three_pages, "id", None, NO_OCR))
    assert characters(result) == [whole[0], 0, whole[2]], "nothing is made up for the second"
    assert "brown fox" in result.plain_text


def test_glyph_names_that_tell_the_character_are_believed(
    three_pages: Path, tmp_path: Path
) -> None:
    path = with_fonts(
        three_pages,
        tmp_path / "t3.pdf",
        [1, 2, 3],
        lambda pdf, _: type3(pdf, lambda c: f"uni{c:04X}"),
    )
    result = convert_pdf(path, "id", None, NO_OCR)
    assert result.missing_pages == ()
    assert "the quick brown fox" in result.plain_text


def test_a_typeset_page_without_tounicode_is_missing(tmp_path: Path) -> None:
    path = with_fonts(TYPESET, tmp_path / "stripped.pdf", [2, 4], without_characters)
    result = convert_pdf(path, "id", None, NO_OCR)
    assert result.missing_pages == (2, 4)
    assert "pages 2, 4 have text that cannot be read" in result.warnings[0]
    there = characters(result)
    assert there[1] == there[3] == 0
    assert min(there[0], there[2]) > 1000
    assert result.title == convert_pdf(TYPESET, "id", None, NO_OCR).title


def test_what_is_readable_on_a_page_that_is_broken_in_part_is_kept(
    three_pages: Path, tmp_path: Path
) -> None:
    """A third of its lines are in a font that names no characters."""

    def every_third_line(content: bytes) -> bytes:
        lines = content.split(b"\n")
        return b"\n".join(
            line.replace(b"/F1 ", b"/F3 ") if n % 3 == 0 else line for n, line in enumerate(lines)
        )

    path = tmp_path / "part.pdf"
    with pikepdf.open(three_pages) as pdf:
        page = pdf.pages[1]
        page.Resources.Font.F3 = type3(pdf, lambda code: f"g{code}")
        page.Contents = pdf.make_stream(every_third_line(page.Contents.read_bytes()))
        pdf.save(path)
    result = convert_pdf(path, "id", None, NO_OCR)
    assert result.missing_pages == (2,)
    assert characters(result)[1] > 1000
    assert result.warnings == (TOLD,)


def test_an_engine_reads_the_page_that_is_missing_and_no_other(
    monkeypatch: pytest.MonkeyPatch, three_pages: Path, tmp_path: Path
) -> None:
    engine = Dictated(["weavers keep their shuttles in a drawer under the loom"] * 4)
    monkeypatch.setattr(native, "choose_engine", lambda _: engine.choice())
    path = with_fonts(
        three_pages, tmp_path / "t3.pdf", [2], lambda pdf, _: type3(pdf, lambda c: f"a{c}")
    )
    result = convert_pdf(path, "id")
    assert (engine.pages, result.ocr_pages, result.missing_pages) == (1, (2,), ())
    assert result.plain_text.count("weavers keep") == 4


def invisible(path: Path, *, picture: bool, visible: str = "") -> Path:
    """A page with a layer of invisible text, over a picture or over nothing."""
    lines = paragraph(20, 700)
    write_pdf(path, [lines])
    with pikepdf.open(path, allow_overwriting_input=True) as pdf:
        page = pdf.pages[0]
        hidden = b"3 Tr\n" + page.Contents.read_bytes()
        drawn = b""
        if picture:
            image = pdf.make_stream(b"\xc8" * 10000)
            image.update(
                pikepdf.Dictionary(
                    Type=pikepdf.Name.XObject,
                    Subtype=pikepdf.Name.Image,
                    Width=100,
                    Height=100,
                    ColorSpace=pikepdf.Name.DeviceGray,
                    BitsPerComponent=8,
                )
            )
            page.Resources.XObject = pikepdf.Dictionary(Im=image)
            drawn = b"q 612 0 0 792 0 0 cm /Im Do Q\n"
        shown = b"0 Tr BT /F1 10 Tf 72 400 Td (%s) Tj ET\n" % visible.encode() if visible else b""
        page.Contents = pdf.make_stream(drawn + shown + hidden)
        pdf.save(path)
    return path


def test_the_text_layer_over_a_scan_is_its_text_and_needs_no_ocr(tmp_path: Path) -> None:
    path = invisible(tmp_path / "scan.pdf", picture=True, visible="Downloaded on 1 May")
    result = convert_pdf(path, "id", None, NO_OCR)
    assert (result.missing_pages, result.warnings) == ((), ())
    assert "the quick brown fox" in result.plain_text
    assert result.blocks[0].lines[0].bbox[0] == pytest.approx(72, abs=1)


def test_words_misread_in_the_text_layer_of_a_scan_are_counted_and_dispute_their_sentence(
    tmp_path: Path,
) -> None:
    text = "The l0gic of pr1nted words"
    path = invisible(tmp_path / "scan.pdf", picture=True, visible=text)
    result = convert_pdf(path, "id", None, NO_OCR)
    (warning,) = result.warnings
    assert warning.startswith("page 1 is a scan with a text layer: 2 of ")
    assert any(text in result.text_of(one) for one in result.disputed)
    beside = convert_pdf(
        invisible(tmp_path / "a.pdf", picture=False, visible=text), "id", None, NO_OCR
    )
    assert not any("scan" in warning for warning in beside.warnings)
    assert beside.disputed == ()


def test_hidden_text_beside_what_is_printed_is_left_out(tmp_path: Path) -> None:
    path = invisible(tmp_path / "hidden.pdf", picture=False, visible="What a reader sees")
    result = convert_pdf(path, "id", None, NO_OCR)
    assert result.plain_text == "What a reader sees"
