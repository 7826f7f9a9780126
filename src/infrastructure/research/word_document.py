"""Review as a Word document: report, references, provenance, claims, evidence in block
quotations.

Elements of Word documents that python-docx lacks: links, restarted lists, right-to-left paragraphs.
After ECMA-376 part 1: 17.16.22 ``hyperlink``, 17.9.15 ``num``, 17.3.1.6 ``bidi``, 17.3.2.30
``rtl``.
"""

import io
import re
import zipfile
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from functools import cache
from itertools import groupby
from typing import Any

from citeloom.application.citation.export import CitedQuotation
from citeloom.application.ports.research import FinishedReview
from citeloom.domain.research.comparison import EvidenceRow, evidence_rows

from .provenance import (
    CLAIMS,
    EVIDENCE,
    MAKING,
    REFERENCES,
    claim_text_of,
    is_right_to_left,
    line,
    place_of,
    provenance_rows,
    safe_link,
    sanitized,
)

LINK_STYLE = "Hyperlink"
_BLUE = "0563C1"
_PAGE_MM = 210, 297
_MARGIN_MM = 25
_INDENT_MM = 8
# The earliest date of a zip file.
_EPOCH = (1980, 1, 1, 0, 0, 0)


def new_document() -> Any:
    """An empty A4 document with a style for links."""
    from docx import Document
    from docx.enum.style import WD_STYLE_TYPE
    from docx.shared import Mm, RGBColor

    document = Document()
    for section in document.sections:
        section.page_width, section.page_height = map(Mm, _PAGE_MM)
        section.left_margin = section.right_margin = Mm(_MARGIN_MM)
    link = document.styles.add_style(LINK_STYLE, WD_STYLE_TYPE.CHARACTER)
    link.font.color.rgb, link.font.underline = RGBColor.from_string(_BLUE), True
    quote_format = document.styles["Quote"].paragraph_format
    quote_format.left_indent = quote_format.right_indent = Mm(_INDENT_MM)
    return document


def set_style(paragraph: Any, name: str) -> Any:
    """By its id, which in Word is the name without spaces: python-docx searches all styles for each
    name."""
    paragraph._p.style = name.replace(" ", "")
    return paragraph


def add_paragraph(document: Any, style: str | None = None) -> Any:
    paragraph = document.add_paragraph()
    return set_style(paragraph, style) if style else paragraph


def add_text(paragraph: Any, text: str) -> Any:
    """A run with sanitized ``text``."""
    run = paragraph.add_run(sanitized(text))
    if is_right_to_left(text):
        run.font.rtl = True
    return run


def add_link(paragraph: Any, text: str, address: str | None) -> Any:
    """A run linked to ``address``; plain text if that is not a safe link."""
    from docx.opc.constants import RELATIONSHIP_TYPE
    from docx.oxml import OxmlElement
    from docx.oxml.ns import qn

    target = safe_link(address)
    if target is None:
        return add_text(paragraph, text)
    run = add_text(paragraph, text)
    run._r.style = LINK_STYLE
    link = OxmlElement("w:hyperlink")
    id = paragraph.part.relate_to(target, RELATIONSHIP_TYPE.HYPERLINK, is_external=True)
    link.set(qn("r:id"), id)
    paragraph._p.append(link)
    link.append(run._r)
    return run


def set_direction(paragraph: Any) -> None:
    """Right to left, if its text is."""
    from docx.oxml import OxmlElement

    if is_right_to_left(paragraph.text):
        properties = paragraph._p.get_or_add_pPr()
        # Before what follows it in CT_PPrBase (17.3.1.26).
        properties.insert_element_before(
            OxmlElement("w:bidi"),
            *("w:adjustRightInd", "w:snapToGrid", "w:spacing", "w:ind", "w:contextualSpacing"),
            *("w:mirrorIndents", "w:suppressOverlap", "w:jc", "w:textDirection"),
            *("w:textAlignment", "w:textboxTightWrap", "w:outlineLvl", "w:divId", "w:cnfStyle"),
            *("w:rPr", "w:sectPr", "w:pPrChange"),
        )


def begin_list(document: Any, style: str, start: int) -> int:
    """The id of a numbered list in ``style`` that starts at ``start``."""
    definition = document.styles[style].element.pPr.numPr.numId.val
    numbering = document.part.numbering_part.element
    abstract = numbering.num_having_numId(definition).abstractNumId.val
    number = numbering.add_num(abstract)
    number.add_lvlOverride(ilvl=0).add_startOverride(start)
    return int(number.numId)


def add_to_list(paragraph: Any, list_id: int) -> None:
    properties = paragraph._p.get_or_add_pPr().get_or_add_numPr()
    properties.get_or_add_ilvl().val = 0
    properties.get_or_add_numId().val = list_id


def without_timestamps(content: bytes) -> bytes:
    """The same zip archive without modification times."""
    packed = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as old, zipfile.ZipFile(packed, "w") as new:
        for name in old.namelist():
            info = zipfile.ZipInfo(name, _EPOCH)
            info.compress_type = zipfile.ZIP_DEFLATED
            new.writestr(info, old.read(name))
    return packed.getvalue()


_CODE_FONT = "Courier New"
_MAX_HEADING = 9
_MAX_LIST = 3
# A bare URL, as in bibliographies, without the punctuation that follows.
_ADDRESS = re.compile(r"https?://[^\s<>\"]*[^\s<>\".,;:!?'’”)\]]")
# markdown-it's tokens of emphasis, as runs of Word have it.
_MARKS = {"em": "italic", "strong": "bold"}


def add_markdown(document: Any, text: str, *, below: int = 0) -> None:
    """Headings (``below`` levels deeper than written), paragraphs, block quotations, lists, tables
    and code of CommonMark; HTML is kept as text."""
    _Blocks(document, below).add(_parser().parse(text))


def add_inline(paragraph: Any, text: str) -> None:
    """Append a line of Markdown to a paragraph."""
    for token in _parser().parseInline(text):
        _Inline(paragraph).add(token.children or ())


@cache
def _parser() -> Any:
    from markdown_it import MarkdownIt

    return MarkdownIt("commonmark").enable("table")


class _Blocks:
    """Block tokens in order; the open blocks around them decide upon the style."""

    def __init__(self, document: Any, below: int) -> None:
        self._document = document
        self._below = below
        self._quotes = 0
        self._lists: list[int | None] = []  # the id of a numbered one
        self._bullet = False
        self._heading: int | None = None

    def add(self, tokens: Sequence[Any]) -> None:
        remaining = iter(tokens)
        for token in remaining:
            if token.type == "table_open":
                self._table(remaining)
            elif token.type == "inline":
                self._inline(token)
            elif token.type in ("fence", "code_block", "html_block"):
                self._literal(token)
            elif token.type == "hr":
                self._document.add_paragraph("⁂").alignment = 1  # centred
            else:
                self._open_or_close(token)

    def _open_or_close(self, token: Any) -> None:
        kind = token.type
        if kind == "heading_open":
            self._heading = int(token.tag[1:])
        elif kind in ("blockquote_open", "blockquote_close"):
            self._quotes += token.nesting
        elif kind == "bullet_list_open":
            self._lists.append(None)
        elif kind == "ordered_list_open":
            start = int(token.attrs.get("start", 1))
            self._lists.append(begin_list(self._document, self._style("List Number"), start))
        elif kind in ("bullet_list_close", "ordered_list_close"):
            self._lists.pop()
        elif kind == "list_item_open":
            self._bullet = True

    def _inline(self, token: Any) -> None:
        paragraph = self._paragraph()
        _Inline(paragraph).add(token.children or ())
        set_direction(paragraph)

    def _paragraph(self) -> Any:
        if self._heading is not None:
            level, self._heading = self._heading, None
            style = f"Heading {min(level + self._below, _MAX_HEADING)}"
            return add_paragraph(self._document, style)
        if self._quotes:
            return add_paragraph(self._document, "Quote")
        if not self._lists:
            return add_paragraph(self._document)
        if not self._bullet:
            return add_paragraph(self._document, self._style("List Continue"))
        self._bullet = False
        numbered = self._lists[-1]
        kind = "List Bullet" if numbered is None else "List Number"
        paragraph = add_paragraph(self._document, self._style(kind, len(self._lists)))
        if numbered is not None:
            add_to_list(paragraph, numbered)
        return paragraph

    def _style(self, name: str, depth: int | None = None) -> str:
        """Word has three levels of each list style."""
        level = min(len(self._lists) if depth is None else depth, _MAX_LIST)
        return f"{name} {level}" if level > 1 else name

    def _literal(self, token: Any) -> None:
        paragraph = self._paragraph()
        add_text(paragraph, token.content.rstrip("\n")).font.name = _CODE_FONT

    def _table(self, remaining: Iterator[Any]) -> None:
        rows: list[list[Any]] = []
        for token in remaining:
            if token.type == "table_close":
                break
            if token.type == "tr_open":
                rows.append([])
            elif token.type == "inline":
                rows[-1].append(token)
        table = self._document.add_table(len(rows), max(map(len, rows)), style="Table Grid")
        for index, (row, cells) in enumerate(zip(table.rows, rows, strict=True)):
            for cell, token in zip(row.cells, cells, strict=False):
                _Inline(cell.paragraphs[0]).add(token.children or (), bold=index == 0)


class _Inline:
    """Runs of a paragraph."""

    def __init__(self, paragraph: Any) -> None:
        self._paragraph = paragraph
        self._marks: list[str] = []
        self._link: str | None = None

    def add(self, tokens: Sequence[Any], *, bold: bool = False) -> None:
        if bold:
            self._marks.append("bold")
        for token in tokens:
            kind, _, side = token.type.rpartition("_")
            if kind in _MARKS:
                mark = _MARKS[kind]
                self._marks.append(mark) if side == "open" else self._marks.remove(mark)
            elif kind == "link":
                self._link = str(token.attrs.get("href", "")) if side == "open" else None
            elif token.type == "softbreak":
                self._text(" ")
            elif token.type == "hardbreak":
                self._text("\n")
            else:
                run = self._text(token.content)
                if token.type == "code_inline":
                    run.font.name = _CODE_FONT

    def _text(self, text: str) -> Any:
        if self._link is not None:
            return self._marked(add_link(self._paragraph, text, self._link))
        end = 0
        for match in _ADDRESS.finditer(text):
            self._marked(add_text(self._paragraph, text[end : match.start()]))
            self._marked(add_link(self._paragraph, match[0], match[0]))
            end = match.end()
        return self._marked(add_text(self._paragraph, text[end:]))

    def _marked(self, run: Any) -> Any:
        for mark in self._marks:
            setattr(run.font, mark, True)
        return run


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
        texts = (str(row.number), claim.claim_text, row.verdict, f"{claim.confidence:.2f}")
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
            head, f"{number}. {claim_rows[0].verdict} ({claim.confidence:.2f}) "
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


_TITLE = "Quotations"


def word_quotations(quotations: Sequence[CitedQuotation], bibliography: Sequence[str]) -> bytes:
    """See the port ``QuotationWriter``."""
    document = new_document()
    document.core_properties.title = _TITLE
    document.core_properties.author = "CiteLoom"
    document.core_properties.comments = ""
    add_text(add_paragraph(document, "Title"), _TITLE)
    for one in quotations:
        paragraph = add_paragraph(document, "Quote")
        add_text(paragraph, f"“{line(one.text)}” ")
        add_link(paragraph, one.citation, one.link)
        set_direction(paragraph)
    if bibliography:
        add_text(add_paragraph(document, "Heading 1"), REFERENCES)
        for entry in bibliography:
            add_inline(add_paragraph(document), entry)
    buffer = io.BytesIO()
    document.save(buffer)
    return without_timestamps(buffer.getvalue())
