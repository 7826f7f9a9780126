"""The plain text of pages, and quotations compared with it."""

from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path

import pytest
from support.pdf.written_pdf import Text, write_pdf

from citeloom.application.documents.stores import SecondReading, SourceState
from citeloom.application.ports.catalogue import SourceStamp, StoredDocument
from citeloom.domain.errors import ConversionFailed, InvalidRequest
from citeloom.domain.projects.project_id import ProjectId
from citeloom.infrastructure.ingest.source_files import LocalFiles
from citeloom.infrastructure.maps.evidence.pdf_pages import PdfPageTexts
from citeloom.infrastructure.storage.source_copies import ALONE, NoCopies

SOURCES = SourceState(LocalFiles(), NoCopies(ALONE))
FALLS = "The cooling beside ponds falls with distance from the shore."
GRID = "The grid had the smallest error of all at every sample size."


@pytest.fixture
def paper(tmp_path: Path) -> Path:
    return write_pdf(tmp_path / "paper.pdf", [[Text(72, 720, FALLS)], [Text(72, 720, GRID)], []])


def test_pages_are_read_without_the_layout(paper: Path):
    assert FALLS in PdfPageTexts().text(paper, 1, None)
    assert PdfPageTexts().text(paper, 3, None) == ""
    with pytest.raises(InvalidRequest):
        PdfPageTexts().text(paper, 4, None)
    paper.write_bytes(b"no PDF")
    with pytest.raises(ConversionFailed):
        PdfPageTexts().text(paper, 1, None)


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


def test_a_quotation_is_looked_for_on_its_page(paper: Path):
    reading = SecondReading(sources=SOURCES, texts=PdfPageTexts(), passwords={})
    document = stored(paper)
    assert reading.has(document, FALLS, [1]) is True
    assert reading.has(document, FALLS, [2]) is False
    assert reading.has(document, FALLS.replace("falls", "rises"), [1]) is False
    for nothing in ([3], [9], []):
        assert reading.has(document, FALLS, nothing) is None
    assert reading.has(stored(paper, "text/markdown"), FALLS, [1]) is None


def test_a_file_that_is_gone_or_changed_is_not_compared(paper: Path):
    document = stored(paper)
    paper.write_bytes(paper.read_bytes() + b"\n")
    for _ in range(2):
        reading = SecondReading(sources=SOURCES, texts=PdfPageTexts(), passwords={})
        assert reading.has(document, FALLS, [1]) is None
        paper.unlink(missing_ok=True)
