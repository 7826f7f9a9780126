"""What is too large is refused before it is expanded."""

import hashlib
import io
import zipfile
from pathlib import Path

import pytest

from citeloom.domain.errors import DocumentTooLarge, SourceChanged
from citeloom.infrastructure.ingest.conversion import format_table
from citeloom.infrastructure.ingest.conversion import sources as archives
from citeloom.infrastructure.ingest.conversion.sources import read_content

CELLS = '<worksheet><sheetData><row r="1"><c r="A1"/></row><row r="{r}"><c s="1" r="{c}{r}"/>'
ODS = (
    '<table:table table:name="S"><table:table-row table:number-rows-repeated="{r}">'
    '<table:table-cell table:number-columns-repeated="{c}"><text:p>x</text:p></table:table-cell>'
    '<table:table-cell table:number-columns-repeated="16000"/></table:table-row>'
    '<table:table-row table:number-rows-repeated="1000000"><table:table-cell/>'
    "</table:table-row></table:table>"
)


def archive(**members: str | bytes) -> zipfile.ZipFile:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as writer:
        for name, text in members.items():
            writer.writestr(name, text)
    return zipfile.ZipFile(content)


def check(made: zipfile.ZipFile, kind: format_table.Format = format_table.DOCX) -> None:
    archives.check_archive("a.zip", made, kind, 64)


@pytest.mark.parametrize(
    ("members", "said"),
    [
        (
            {"word/document.xml": b"ab" * 600_000},
            "1.1 MB of text and markup, more than 1 MB, which is",
        ),
        ({"media/a.bin": b"a" * 65 * 2**20}, "expands to 65 MB, more than 64 MB, which"),
        ({f"{n}.txt": b"" for n in range(20_001)}, "holds 20,001 files, more than 20,000, which"),
    ],
)
def test_an_archive_that_expands_too_far_is_refused(members: dict[str, bytes], said: str) -> None:
    with pytest.raises(DocumentTooLarge, match=f"a.zip: {said}|a.zip: holds {said}"):
        check(archive(**members))


def test_a_text_that_expands_as_no_text_does_is_refused() -> None:
    made = archive(**{"word/document.xml": b"a" * 2**21})
    with pytest.raises(DocumentTooLarge, match=r"part word/document.xml expands \d+ times"):
        archives.check_archive("a.docx", made, format_table.DOCX, 2048)


@pytest.mark.parametrize(("column", "row", "fits"), [("XFD", 1048576, False), ("CV", 20000, True)])
def test_the_span_of_a_sheet_is_bounded(column: str, row: int, *, fits: bool) -> None:
    made = archive(**{"xl/worksheets/sheet1.xml": CELLS.format(r=row, c=column)})
    if fits:
        check(made, format_table.XLSX)
        return
    with pytest.raises(DocumentTooLarge, match="spans 17,179,869,184 cells, more than 2,000,000"):
        check(made, format_table.XLSX)


@pytest.mark.parametrize(("rows", "columns", "fits"), [(100_000, 1000, False), (1000, 100, True)])
def test_repeated_cells_are_counted_up_to_the_last_that_is_used(
    rows: int, columns: int, *, fits: bool
) -> None:
    made = archive(**{"content.xml": ODS.format(r=rows, c=columns)})
    if fits:
        check(made, format_table.ODS)
        return
    with pytest.raises(DocumentTooLarge, match="spans 100,000,000 cells"):
        check(made, format_table.ODS)


def test_a_text_file_is_refused_by_its_size(tmp_path: Path) -> None:
    path = tmp_path / "log.txt"
    path.write_bytes(b"a" * (3 * 2**20))
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    with pytest.raises(DocumentTooLarge, match=r"log\.txt: 3 MB of text, more than 1 MB, is"):
        read_content(path, digest, 64)
    assert len(read_content(path, digest, 2048)) == 3 * 2**20
    path.write_bytes(b"b" * 100)
    with pytest.raises(SourceChanged):
        read_content(path, digest, 64)
