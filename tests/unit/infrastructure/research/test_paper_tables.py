"""Files of tables: rows and columns, and no formulas."""

import csv
import io

import pytest

from citeloom.domain.choices import TableFormat
from citeloom.domain.review.report.table import (
    CellState,
    PaperCell,
    PaperRow,
    PaperTable,
)
from citeloom.domain.verification.drafts.draft import EvidenceQuote
from citeloom.infrastructure.research.paper_tables import table_file

QUOTE = EvidenceQuote(
    text="In all | 27 students *took* part.", document_id="d", citation="[@weir2020, p. 3]",
    start=0, end=31, page=5, page_label="3", relevance=0.9, address="a", knowledge_uri="u",
)  # fmt: skip
TABLE = PaperTable(
    project="local/thesis",
    questions=("How many?", "=1+1"),
    rows=(
        PaperRow(
            document_id="d",
            citekey="weir2020",
            title="=HYPERLINK(1)",
            authors=("Weir", "Quill"),
            year=2020,
            cells=(
                PaperCell(state=CellState.SURE, answer="27 students", span=(9, 20), quote=QUOTE),
                PaperCell(state=CellState.NOT_STATED),
            ),
        ),
    ),
)
ROWS = [
    ["key", "authors", "year", "title", "How many?", "How many? (page)", "How many? (level)",
     "How many? (sentence)", "'=1+1", "'=1+1 (page)", "'=1+1 (level)", "'=1+1 (sentence)"],
    ["weir2020", "Weir; Quill", "2020", "'=HYPERLINK(1)", "27 students", "p. 3", "sure",
     "In all | 27 students *took* part.", "", "", "not stated", ""],
]  # fmt: skip


def test_csv_has_four_columns_a_question_and_no_formula() -> None:
    text = table_file(TABLE, TableFormat.CSV).decode("utf-8-sig")
    assert list(csv.reader(io.StringIO(text, newline=""))) == ROWS


def test_a_workbook_opens_with_the_same_cells() -> None:
    openpyxl = pytest.importorskip("openpyxl")
    content = table_file(TABLE, TableFormat.XLSX)
    sheet = openpyxl.load_workbook(io.BytesIO(content))["Table"]
    assert [[cell or "" for cell in row] for row in sheet.iter_rows(values_only=True)] == ROWS
    assert content == table_file(TABLE, TableFormat.XLSX)


def test_markdown_shows_answers_and_their_sentences() -> None:
    text = table_file(TABLE, TableFormat.MARKDOWN).decode()
    assert "| @weir2020 | 27 students (p. 3) | *not stated* |" in text
    assert "“In all \\| 27 students \\*took\\* part.” [@weir2020, p. 3]" in text
