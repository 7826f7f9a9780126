"""Review as a Word document: report, references, provenance, claims, evidence in block
quotations."""

import io
from collections.abc import Sequence
from datetime import UTC, datetime
from itertools import groupby
from typing import Any

from citeloom.application.ports.research import FinishedReview
from citeloom.domain.research.evidence_table import EvidenceRow, evidence_rows
from citeloom.infrastructure.research.provenance import (
    CLAIMS,
    EVIDENCE,
    MAKING,
    REFERENCES,
    claim_text_of,
    place_of,
    provenance_rows,
    verdict,
)
from citeloom.infrastructure.research.safe_text import line, sanitized
from citeloom.infrastructure.research.word_markdown import add_inline, add_markdown
from citeloom.infrastructure.research.word_parts import (
    add_link,
    add_paragraph,
    add_text,
    new_document,
    set_direction,
    set_style,
    without_timestamps,
)

_CELL_STYLE = "Table Text"
# ECMA-376 part 2, core properties: limit of Word.
_MAX_PROPERTY = 255
_CLAIM_COLUMNS = ("No.", "Claim", "Verdict", "Confidence", "Source")
_CLAIM_WIDTHS_MM = 11, 59, 32, 25, 33
_PROVENANCE_WIDTHS_MM = 38, 122
_SMALL_PT = 9


def word(review: FinishedReview) -> bytes:
    document = _document(review)
    title, body = _title(review)
    add_text(add_paragraph(document, "Title"), line(title))
    add_markdown(document, body, below=-1 if body is not review.report else 0)
    if review.bibliography:
        add_text(add_paragraph(document, "Heading 1"), REFERENCES)
        for entry in review.bibliography:
            add_inline(add_paragraph(document), entry.text)
    _provenance(document, review)
    rows = list(evidence_rows(review.recorded))
    if rows:
        add_text(add_paragraph(document, "Heading 1"), CLAIMS)
        _claims(document, review, rows)
        add_text(add_paragraph(document, "Heading 1"), EVIDENCE)
        _evidence(document, review, rows)
    buffer = io.BytesIO()
    document.save(buffer)
    return without_timestamps(buffer.getvalue())


def _document(review: FinishedReview) -> Any:
    from docx.enum.style import WD_STYLE_TYPE
    from docx.shared import Pt

    document = new_document()
    cell = document.styles.add_style(_CELL_STYLE, WD_STYLE_TYPE.PARAGRAPH)
    cell.base_style, cell.font.size = document.styles["Normal"], Pt(_SMALL_PT)
    cell.paragraph_format.space_after = Pt(0)
    session = review.recorded.session
    properties = document.core_properties
    properties.title = _property(_title(review)[0])
    properties.subject = _property(session.question)
    properties.author = properties.last_modified_by = "CiteLoom"
    properties.comments = ""
    properties.created = properties.modified = _utc(session.completed_at or session.started_at)
    properties.identifier = str(session.id)
    return document


def _title(review: FinishedReview) -> tuple[str, str]:
    """The report's title and the rest of it; else the question and the whole report."""
    first, _, rest = review.report.lstrip().partition("\n")
    if first.startswith("# "):
        return first.removeprefix("# ").strip(), rest
    return review.recorded.session.question, review.report


def _provenance(document: Any, review: FinishedReview) -> None:
    add_text(add_paragraph(document, "Heading 1"), MAKING)
    rows = list(provenance_rows(review))
    table = document.add_table(len(rows), 2, style="Table Grid")
    for row, (name, text) in zip(table.rows, rows, strict=True):
        _fill(row.cells[0], name)
        _fill(row.cells[1], text)
    _set_widths(table, _PROVENANCE_WIDTHS_MM)
    for warning in review.warnings:
        add_text(add_paragraph(document), warning).font.italic = True


def _claims(document: Any, review: FinishedReview, rows: Sequence[EvidenceRow]) -> None:
    firsts = [next(group) for _, group in groupby(rows, key=lambda row: row.number)]
    table = document.add_table(1 + len(firsts), len(_CLAIM_COLUMNS), style="Table Grid")
    _set_row_property(table.rows[0], "tblHeader")
    for cell, name in zip(table.rows[0].cells, _CLAIM_COLUMNS, strict=True):
        _fill(cell, name).runs[0].font.bold = True
    for table_row, row in zip(list(table.rows)[1:], firsts, strict=True):
        _set_row_property(table_row, "cantSplit")
        cells = table_row.cells  # computed at each access
        claim = row.claim
        texts = (str(row.number), claim.claim_text, verdict(row), f"{claim.confidence:.2f}")
        for cell, text in zip(cells, texts, strict=False):
            _fill(cell, text)
        link = review.links.get(row.span.id) if row.span else None
        add_link(_fill(cells[-1], ""), line(place_of(review, row)), link)
    _set_widths(table, _CLAIM_WIDTHS_MM)


def _evidence(document: Any, review: FinishedReview, rows: Sequence[EvidenceRow]) -> None:
    for number, group in groupby(rows, key=lambda row: row.number):
        claim_rows = list(group)
        claim = claim_rows[0].claim
        head = add_paragraph(document)
        head.paragraph_format.keep_with_next = True
        add_text(
            head, f"{number}. {verdict(claim_rows[0])} ({claim.confidence:.2f}) "
        ).font.bold = True
        add_text(head, line(claim_text_of(claim_rows[0])))
        if claim.verification_reasoning:
            add_text(add_paragraph(document), claim.verification_reasoning).font.italic = True
        for row in claim_rows:
            _quote(document, review, row)


def _quote(document: Any, review: FinishedReview, row: EvidenceRow) -> None:
    if row.span is None or row.citation is None:
        return
    paragraph = add_paragraph(document, "Quote")
    if not row.citation.is_primary:
        add_text(paragraph, "also: ")
    add_text(paragraph, f"“{line(row.span.quote)}” ")
    add_link(paragraph, line(place_of(review, row)), review.links.get(row.span.id))
    details = " · ".join(filter(None, (row.span.section_heading, row.span.address)))
    if details:
        add_text(paragraph, f" {line(details)}")
    set_direction(paragraph)


def _fill(cell: Any, text: str) -> Any:
    """The paragraph of a cell, with ``text``."""
    paragraph = set_style(cell.paragraphs[0], _CELL_STYLE)
    if text:
        add_text(paragraph, line(text))
        set_direction(paragraph)
    return paragraph


def _set_widths(table: Any, widths: Sequence[int]) -> None:
    """In millimetres. Word uses the widths of cells, LibreOffice those of columns."""
    from docx.shared import Mm

    table.autofit = False
    for column, width in zip(table.columns, widths, strict=True):
        column.width = Mm(width)
    for row in table.rows:
        for cell, width in zip(row.cells, widths, strict=True):
            cell.width = Mm(width)


def _set_row_property(row: Any, name: str) -> None:
    """A property of a row: ``cantSplit`` across pages, or ``tblHeader`` repeated on each page."""
    from docx.oxml import OxmlElement

    row._tr.get_or_add_trPr().append(OxmlElement(f"w:{name}"))


def _property(text: str) -> str:
    return sanitized(line(text))[:_MAX_PROPERTY]


def _utc(at: datetime) -> datetime:
    """In UTC without a zone, as python-docx needs it."""
    return at.astimezone(UTC).replace(tzinfo=None, microsecond=0) if at.tzinfo else at
