"""Elements of Word documents that python-docx lacks: links, restarted lists, right-to-left
paragraphs.

After ECMA-376 part 1: 17.16.22 ``hyperlink``, 17.9.15 ``num``, 17.3.1.6 ``bidi``, 17.3.2.30
``rtl``.
"""

import io
import zipfile
from typing import Any

from citeloom.infrastructure.research.safe_text import is_right_to_left, safe_link, sanitized

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
    """A run linked to ``address``; plain text where that is not a safe link."""
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
