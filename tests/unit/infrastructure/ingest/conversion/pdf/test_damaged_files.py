"""Files that are not as they should be are read, or refused with a reason and a next step."""

import io
from pathlib import Path

import pikepdf
import pytest
from support.pdf import odd_pdf
from support.pdf.written_pdf import paragraph, write_pdf

from citeloom.domain.errors import ConversionFailed
from citeloom.infrastructure.ingest.conversion.pdf.convert import convert_pdf
from citeloom.infrastructure.ingest.conversion.pdf.pdfium import read_file_facts
from citeloom.infrastructure.ingest.conversion.protocol import Options

NO_OCR = Options(ocr="none")


def put(folder: Path, content: bytes) -> Path:
    path = folder / "odd.pdf"
    path.write_bytes(content)
    return path


def good(folder: Path) -> bytes:
    return write_pdf(folder / "good.pdf", [paragraph(12, 700)]).read_bytes()


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (odd_pdf.unknown_encryption(), "encrypted in a way that cannot be opened"),
        (odd_pdf.page_tree_loop(), "table of pages is damaged"),
        (odd_pdf.raw(["<< /Type /Catalog >>"]), r"damaged|no pages"),
    ],
    ids=["unknown encryption", "loop of pages", "no pages"],
)
def test_what_cannot_be_read_is_refused(tmp_path: Path, content: bytes, reason: str) -> None:
    with pytest.raises(ConversionFailed, match=rf"^odd\.pdf: .*({reason}).*; \w+"):
        convert_pdf(put(tmp_path, content), "id", None, NO_OCR)


def test_a_title_and_labels_that_are_no_utf_16_are_read_without_what_is_no_character(
    tmp_path: Path,
) -> None:
    lone = b"\xfe\xff\x00P\x00o\xdc\x00\x00n\x00d"
    with pikepdf.open(io.BytesIO(good(tmp_path))) as pdf:
        pdf.docinfo["/Title"] = pikepdf.String(lone)
        pdf.Root.PageLabels = pikepdf.Dictionary(
            Nums=[0, pikepdf.Dictionary(P=pikepdf.String(lone))]
        )
        written = io.BytesIO()
        pdf.save(written)
    facts = read_file_facts("odd.pdf", written.getvalue(), None)
    assert facts.info.title == "Pond"
    assert facts.labels == ("Pond",)


def test_a_page_without_size_is_read_in_the_usual_size(tmp_path: Path) -> None:
    path = put(tmp_path, odd_pdf.page_box("[0 0 0 0]"))
    result = convert_pdf(path, "id", None, NO_OCR)
    assert result.plain_text == "Words on a page"
    assert (result.structure.page_map[0].width, result.structure.page_map[0].height) == (612, 792)


def test_a_file_without_its_table_of_objects_is_refused(tmp_path: Path) -> None:
    content = odd_pdf.without_xref(good(tmp_path))
    with pytest.raises(ConversionFailed, match="damaged"):
        convert_pdf(put(tmp_path, content), "id", None, NO_OCR)


def test_a_wrong_table_of_objects_is_made_anew(tmp_path: Path) -> None:
    content = odd_pdf.damaged_xref(good(tmp_path))
    result = convert_pdf(put(tmp_path, content), "id", None, NO_OCR)
    assert result.plain_text.startswith("the quick brown fox")


@pytest.mark.parametrize("box", ["[612 792 0 0]", "[0 0 200000 200000]", "[0 0 abc]"])
def test_odd_page_boxes_are_read(tmp_path: Path, box: str) -> None:
    result = convert_pdf(put(tmp_path, odd_pdf.page_box(box)), "id", None, NO_OCR)
    assert result.plain_text == "Words on a page"
    assert result.structure.page_map[0].width > 0


def test_a_huge_page_without_words_is_looked_at_in_bounded_memory(tmp_path: Path) -> None:
    drawn = odd_pdf.page_box("[0 0 200000 200000]", "0 0 100000 100000 re f")
    result = convert_pdf(put(tmp_path, drawn), "id", None, NO_OCR)
    assert result.missing_pages == (1,)


def test_a_broken_picture_is_a_missing_page(tmp_path: Path) -> None:
    result = convert_pdf(put(tmp_path, odd_pdf.corrupt_image()), "id", None, NO_OCR)
    assert result.missing_pages == (1,)
    assert result.plain_text == ""


def test_a_thousand_tiny_pages_are_read(tmp_path: Path) -> None:
    result = convert_pdf(put(tmp_path, odd_pdf.many_pages(1000)), "id", None, NO_OCR)
    assert result.page_count == 1000
    assert result.plain_text.count("Card") == 1000
