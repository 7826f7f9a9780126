"""Parts of Word documents that python-docx has no call for: links, lists that begin anew,
paragraphs from right to left.

After ECMA-376 part 1: 17.16.22 ``hyperlink``, 17.9.15 ``num``, 17.3.1.6 ``bidi``, 17.3.2.30
``rtl``.
"""

import io
import zipfile
from typing import Any

from citeloom.infrastructure.research.safe_text import is_right_to_left, opened, shown

LINK_STYLE = "Hyperlink"
# Dates that a zip file can have begin here.
_EPOCH = (1980, 1, 1, 0, 0, 0)


def set_style(paragraph: Any, name: str) -> Any:
    """By its id, which in Word is the name without spaces: python-docx looks through all styles
    for each name."""
    paragraph._p.style = name.replace(" ", "")
    return paragraph


def add_paragraph(document: Any, style: str | None = None) -> Any:
    paragraph = document.add_paragraph()
    return set_style(paragraph, style) if style else paragraph


def add_text(paragraph: Any, text: str) -> Any:
    """A run with ``text``, whatever it holds."""
    run = paragraph.add_run(shown(text))
    if is_right_to_left(text):
        run.font.rtl = True
    return run


def add_link(paragraph: Any, text: str, address: str | None) -> Any:
    """A run that opens ``address``; mere text where that opens nothing."""
    from docx.opc.constants import RELATIONSHIP_TYPE
    from docx.oxml import OxmlElement
    from docx.oxml.ns import qn

    target = opened(address)
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
    """From right to left, if its text is."""
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
    """The id of a numbered list in ``style`` that counts from ``start``."""
    definition = document.styles[style].element.pPr.numPr.numId.val
    numbering = document.part.numbering_part.element
    abstract = numbering.num_having_numId(definition).abstractNumId.val
    number = numbering.add_num(abstract)
    number.add_lvlOverride(ilvl=0).add_startOverride(start)
    return int(number.numId)


def put_in_list(paragraph: Any, list_id: int) -> None:
    properties = paragraph._p.get_or_add_pPr().get_or_add_numPr()
    properties.get_or_add_ilvl().val = 0
    properties.get_or_add_numId().val = list_id


def packed_alike(content: bytes) -> bytes:
    """The same parts without the time at which they were packed."""
    packed = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as old, zipfile.ZipFile(packed, "w") as new:
        for name in old.namelist():
            info = zipfile.ZipInfo(name, _EPOCH)
            info.compress_type = zipfile.ZIP_DEFLATED
            new.writestr(info, old.read(name))
    return packed.getvalue()
