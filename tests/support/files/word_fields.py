"""Fields and content controls of reference managers, as Word stores them."""

import base64
import json
from typing import Any

from docx.oxml import OxmlElement
from docx.oxml.ns import qn
from docx.text.paragraph import Paragraph


def add_field(paragraph: Paragraph, instruction: str, shown: str, data: str = "") -> None:
    """A complex field; the instruction in two pieces, as Word may cut it; its data are that of
    a field inside, as EndNote writes them."""
    _run(paragraph, "w:fldChar", fldCharType="begin")
    half = len(instruction) // 2
    _run(paragraph, "w:instrText", instruction[:half])
    _run(paragraph, "w:instrText", instruction[half:])
    if data:
        begin = OxmlElement("w:fldChar")
        begin.set(qn("w:fldCharType"), "begin")
        inner = OxmlElement("w:fldData")
        inner.text = data
        begin.append(inner)
        paragraph.add_run()._r.append(begin)
        _run(paragraph, "w:instrText", " ADDIN EN.CITE.DATA ")
        _run(paragraph, "w:fldChar", fldCharType="end")
    _run(paragraph, "w:fldChar", fldCharType="separate")
    paragraph.add_run(shown)
    _run(paragraph, "w:fldChar", fldCharType="end")


def add_control(paragraph: Paragraph, tag: str, shown: str) -> None:
    """A content control around a run."""
    control, properties, content = map(OxmlElement, ("w:sdt", "w:sdtPr", "w:sdtContent"))
    mark = OxmlElement("w:tag")
    mark.set(qn("w:val"), tag)
    properties.append(mark)
    run = paragraph.add_run(shown)._r
    content.append(run)
    control.extend([properties, content])
    paragraph._p.append(control)


def zotero(*items: dict[str, Any]) -> str:
    return f" ADDIN ZOTERO_ITEM CSL_CITATION {json.dumps({'citationItems': items})} "


def mendeley_desktop(*items: dict[str, Any]) -> str:
    return f"ADDIN CSL_CITATION {json.dumps({'citationItems': items, 'mendeley': {}})}"


def mendeley_cite(*items: dict[str, Any]) -> str:
    """The tag of a content control: Base64 for URLs, without padding."""
    content = json.dumps({"citationItems": items, "citationID": "MENDELEY_CITATION_1"})
    data = base64.urlsafe_b64encode(content.encode()).decode().rstrip("=")
    return f"MENDELEY_CITATION_v3_{data}"


def endnote(*cites: str) -> str:
    return f"<EndNote>{''.join(cites)}</EndNote>"


def endnote_data(xml: str) -> str:
    """Field data: Base64 with a zero at the end, in lines."""
    data = base64.b64encode(xml.encode() + b"\0").decode()
    return "\n".join(data[at : at + 76] for at in range(0, len(data), 76))


def endnote_cite(
    author: str, year: int, title: str, doi: str = "", *, pages: str = "", more: str = ""
) -> str:
    """A cite with its record; the texts in EndNote's style elements."""

    def styled(text: str) -> str:
        return f'<style face="normal" font="default" size="100%">{text}</style>'

    return (
        f"<Cite{more}><Author>{author.partition(',')[0]}</Author><Year>{year}</Year>"
        f"<RecNum>12</RecNum><Pages>{pages}</Pages><record><rec-number>12</rec-number>"
        f"<contributors><authors><author>{styled(author)}</author></authors></contributors>"
        f"<titles><title>{styled(title)}</title></titles>"
        f"<dates><year>{styled(str(year))}</year></dates>"
        f"<electronic-resource-num>{styled(doi)}</electronic-resource-num></record></Cite>"
    )


def _run(paragraph: Paragraph, tag: str, text: str | None = None, **attributes: str) -> None:
    element = OxmlElement(tag)
    for name, value in attributes.items():
        element.set(qn(f"w:{name}"), value)
    if text is not None:
        element.text = text
    paragraph.add_run()._r.append(element)
