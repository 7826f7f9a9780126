"""A review as a Word document: the report, its references, how it was made, a table of its
claims, and their evidence in block quotations."""

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
    made,
    place,
    said,
    verdict,
)
from citeloom.infrastructure.research.safe_text import line, shown
from citeloom.infrastructure.research.word_markdown import add_inline, add_markdown
from citeloom.infrastructure.research.word_parts import (
    LINK_STYLE,
    add_link,
    add_paragraph,
    add_text,
    packed_alike,
    set_direction,
    set_style,
)

_BLUE = "0563C1"
_CELL_STYLE = "Table Text"
_PAGE_MM = 210, 297
_MARGIN_MM = 25
_INDENT_MM = 8
# ECMA-376 part 2, core properties: Word takes no longer ones.
_LONGEST_PROPERTY = 255
_CLAIM_COLUMNS = ("No.", "Claim", "Verdict", "Confidence", "Source")
_CLAIM_WIDTHS_MM = 11, 59, 32, 25, 33
_MAKING_WIDTHS_MM = 38, 122
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
    _making(document, review)
    rows = list(evidence_rows(review.recorded))
    if rows:
        add_text(add_paragraph(document, "Heading 1"), CLAIMS)
        _claims(document, review, rows)
        add_text(add_paragraph(document, "Heading 1"), EVIDENCE)
        _evidence(document, review, rows)
    written = io.BytesIO()
    document.save(written)
    return packed_alike(written.getvalue())


def _document(review: FinishedReview) -> Any:
    from docx import Document
    from docx.enum.style import WD_STYLE_TYPE
    from docx.shared import Mm, Pt, RGBColor

    document = Document()
    for section in document.sections:
        section.page_width, section.page_height = map(Mm, _PAGE_MM)
        section.left_margin = section.right_margin = Mm(_MARGIN_MM)
    link = document.styles.add_style(LINK_STYLE, WD_STYLE_TYPE.CHARACTER)
    link.font.color.rgb, link.font.underline = RGBColor.from_string(_BLUE), True
    cell = document.styles.add_style(_CELL_STYLE, WD_STYLE_TYPE.PARAGRAPH)
    cell.base_style, cell.font.size = document.styles["Normal"], Pt(_SMALL_PT)
    cell.paragraph_format.space_after = Pt(0)
    quoted = document.styles["Quote"].paragraph_format
    quoted.left_indent = quoted.right_indent = Mm(_INDENT_MM)
    session = review.recorded.session
    about = document.core_properties
    about.title = _property(_title(review)[0])
    about.subject = _property(session.question)
    about.author = about.last_modified_by = "CiteLoom"
    about.comments = ""
    about.created = about.modified = _utc(session.completed_at or session.started_at)
    about.identifier = str(session.id)
    return document


def _title(review: FinishedReview) -> tuple[str, str]:
    """The report's own title and what follows it; else the question, and the whole report."""
    first, _, rest = review.report.lstrip().partition("\n")
    if first.startswith("# "):
        return first.removeprefix("# ").strip(), rest
    return review.recorded.session.question, review.report


def _making(document: Any, review: FinishedReview) -> None:
    add_text(add_paragraph(document, "Heading 1"), MAKING)
    told = list(made(review))
    table = document.add_table(len(told), 2, style="Table Grid")
    for row, (name, text) in zip(table.rows, told, strict=True):
        _put(row.cells[0], name)
        _put(row.cells[1], text)
    _widths(table, _MAKING_WIDTHS_MM)
    for warning in review.warnings:
        add_text(add_paragraph(document), warning).font.italic = True


def _claims(document: Any, review: FinishedReview, rows: Sequence[EvidenceRow]) -> None:
    firsts = [next(same) for _, same in groupby(rows, key=lambda row: row.number)]
    table = document.add_table(1 + len(firsts), len(_CLAIM_COLUMNS), style="Table Grid")
    _set_of_row(table.rows[0], "tblHeader")
    for cell, name in zip(table.rows[0].cells, _CLAIM_COLUMNS, strict=True):
        _put(cell, name).runs[0].font.bold = True
    for below, row in zip(list(table.rows)[1:], firsts, strict=True):
        _set_of_row(below, "cantSplit")
        cells = below.cells  # looked for anew each time
        claim = row.claim
        told = (str(row.number), claim.claim_text, verdict(row), f"{claim.confidence:.2f}")
        for cell, text in zip(cells, told, strict=False):
            _put(cell, text)
        link = review.links.get(row.span.id) if row.span else None
        add_link(_put(cells[-1], ""), line(place(review, row)), link)
    _widths(table, _CLAIM_WIDTHS_MM)


def _evidence(document: Any, review: FinishedReview, rows: Sequence[EvidenceRow]) -> None:
    for number, same in groupby(rows, key=lambda row: row.number):
        own = list(same)
        claim = own[0].claim
        head = add_paragraph(document)
        head.paragraph_format.keep_with_next = True
        add_text(head, f"{number}. {verdict(own[0])} ({claim.confidence:.2f}) ").font.bold = True
        add_text(head, line(said(own[0])))
        if claim.verification_reasoning:
            add_text(add_paragraph(document), claim.verification_reasoning).font.italic = True
        for row in own:
            _quote(document, review, row)


def _quote(document: Any, review: FinishedReview, row: EvidenceRow) -> None:
    if row.span is None or row.citation is None:
        return
    paragraph = add_paragraph(document, "Quote")
    if not row.citation.is_primary:
        add_text(paragraph, "also: ")
    add_text(paragraph, f"“{line(row.span.quote)}” ")
    add_link(paragraph, line(place(review, row)), review.links.get(row.span.id))
    where = " · ".join(filter(None, (row.span.section_heading, row.span.address)))
    if where:
        add_text(paragraph, f" {line(where)}")
    set_direction(paragraph)


def _put(cell: Any, text: str) -> Any:
    """The paragraph of a cell, with ``text``."""
    paragraph = set_style(cell.paragraphs[0], _CELL_STYLE)
    if text:
        add_text(paragraph, line(text))
        set_direction(paragraph)
    return paragraph


def _widths(table: Any, widths: Sequence[int]) -> None:
    """In millimetres. Word goes by the cells, LibreOffice by the columns."""
    from docx.shared import Mm

    table.autofit = False
    for column, width in zip(table.columns, widths, strict=True):
        column.width = Mm(width)
    for row in table.rows:
        for cell, width in zip(row.cells, widths, strict=True):
            cell.width = Mm(width)


def _set_of_row(row: Any, name: str) -> None:
    """A property of a row: ``cantSplit`` over pages, or ``tblHeader`` on each of them."""
    from docx.oxml import OxmlElement

    row._tr.get_or_add_trPr().append(OxmlElement(f"w:{name}"))


def _property(text: str) -> str:
    return shown(line(text))[:_LONGEST_PROPERTY]


def _utc(at: datetime) -> datetime:
    """As python-docx wants it: without a zone, in UTC."""
    return at.astimezone(UTC).replace(tzinfo=None, microsecond=0) if at.tzinfo else at
