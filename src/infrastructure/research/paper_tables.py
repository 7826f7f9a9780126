"""Files of a table of papers and questions: CSV, Excel, Markdown.

In CSV and Excel a question has four columns: answer, page, level, and the whole sentence. The
workbook is the smallest that ECMA-376 (Office Open XML, part 1, 18.2 and 18.3) allows: one sheet
with inline strings, none of which is a formula.
"""

import csv
import io
import zipfile
from collections.abc import Iterator
from typing import Final
from xml.sax.saxutils import escape

import orjson

from citeloom.domain.choices import TableFormat
from citeloom.domain.review.report.table import (
    PaperCell,
    PaperRow,
    PaperTable,
    cell_notes,
)

from .provenance import line, plain
from .text_files import spreadsheet_cell


def table_file(table: PaperTable, format: TableFormat) -> bytes:
    match format:
        case TableFormat.JSON:
            return orjson.dumps(table.model_dump(mode="json"), option=orjson.OPT_INDENT_2)
        case TableFormat.CSV:
            return _csv(table)
        case TableFormat.XLSX:
            return _workbook(table)
        case TableFormat.MARKDOWN:
            return _markdown(table)


def _rows(table: PaperTable) -> Iterator[list[str]]:
    heads = [
        f"{question}{part}"
        for question in table.questions
        for part in ("", " (page)", " (level)", " (sentence)")
    ]
    yield ["key", "authors", "year", "title", *heads]
    for row in table.rows:
        work = [row.citekey or "", "; ".join(row.authors), str(row.year or ""), row.title]
        yield work + [text for cell in row.cells for text in _parts(cell)]


def _parts(cell: PaperCell) -> tuple[str, str, str, str]:
    level = cell.state.value
    if cell.is_uncertain:
        level += "; the text of the page is uncertain"
    return cell.answer or "", cell.where, level, cell.quote.text if cell.quote else ""


def _csv(table: PaperTable) -> bytes:
    buffer = io.StringIO(newline="")
    writer = csv.writer(buffer, quoting=csv.QUOTE_ALL, lineterminator="\r\n")
    for row in _rows(table):
        writer.writerow([spreadsheet_cell(line(text)) for text in row])
    return buffer.getvalue().encode("utf-8-sig")


_OOXML: Final = "http://schemas.openxmlformats.org"
_XML: Final = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
_PARTS: Final = {
    "[Content_Types].xml": f'<Types xmlns="{_OOXML}/package/2006/content-types"><Default '
    'Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
    '<Override PartName="/xl/workbook.xml" ContentType="application/vnd.openxmlformats-'
    'officedocument.spreadsheetml.sheet.main+xml"/><Override PartName="/xl/worksheets/sheet1.xml" '
    'ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml"/>'
    "</Types>",
    "_rels/.rels": f'<Relationships xmlns="{_OOXML}/package/2006/relationships"><Relationship '
    f'Id="r1" Type="{_OOXML}/officeDocument/2006/relationships/officeDocument" '
    'Target="xl/workbook.xml"/></Relationships>',
    "xl/workbook.xml": f'<workbook xmlns="{_OOXML}/spreadsheetml/2006/main" xmlns:r="{_OOXML}/'
    'officeDocument/2006/relationships"><sheets><sheet name="Table" sheetId="1" r:id="r1"/>'
    "</sheets></workbook>",
    "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{_OOXML}/package/2006/relationships">'
    f'<Relationship Id="r1" Type="{_OOXML}/officeDocument/2006/relationships/worksheet" '
    'Target="worksheets/sheet1.xml"/></Relationships>',
}
# The earliest time that a ZIP archive can say: equal tables give equal files.
_TIME: Final = (1980, 1, 1, 0, 0, 0)


def _workbook(table: PaperTable) -> bytes:
    rows = "".join(
        "<row>"
        + "".join(
            f'<c t="inlineStr"><is><t xml:space="preserve">'
            f"{escape(spreadsheet_cell(line(text)))}</t></is></c>"
            for text in row
        )
        + "</row>"
        for row in _rows(table)
    )
    sheet = f'<worksheet xmlns="{_OOXML}/spreadsheetml/2006/main"><sheetData>{rows}</sheetData>'
    parts = {**_PARTS, "xl/worksheets/sheet1.xml": f"{sheet}</worksheet>"}
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in parts.items():
            info = zipfile.ZipInfo(name, _TIME)
            info.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(info, _XML + text)
    return buffer.getvalue()


def _markdown(table: PaperTable) -> bytes:
    heads = ["Paper", *map(plain, table.questions)]
    lines = [f"| {' | '.join(heads)} |", f"|{'---|' * len(heads)}"]
    for row in table.rows:
        cells = [_name(row), *map(_short, row.cells)]
        lines.append(f"| {' | '.join(cells)} |")
    for row in table.rows:
        quoted = [
            (question, cell)
            for question, cell in zip(table.questions, row.cells, strict=True)
            if cell.quote
        ]
        if quoted:
            lines += ["", f"**{_name(row)}** {plain(row.title)}", ""]
            lines += [f"- {plain(question)} {_evidence(cell)}" for question, cell in quoted]
    return ("\n".join(lines) + "\n").encode()


def _name(row: PaperRow) -> str:
    return f"@{row.citekey}" if row.citekey else plain(row.title)


def _short(cell: PaperCell) -> str:
    if cell.answer is None:
        return f"*{cell.state.value}*"
    notes = "".join(f", {note}" for note in cell_notes(cell))
    return f"{plain(cell.answer)} ({cell.where or 'no page'}{notes})"


def _evidence(cell: PaperCell) -> str:
    assert cell.quote is not None
    citation = f" {cell.quote.citation}" if cell.quote.citation else ""
    return f"“{plain(cell.quote.text)}”{citation}"
