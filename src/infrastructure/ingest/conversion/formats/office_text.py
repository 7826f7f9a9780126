"""Slides and sheets with their super- and subscripts in the notation of ``domain.text.scripts``.

docling gives them as plain digits (ECMA-376 part 1: 21.1.2.3.9 ``a:rPr`` with ``baseline``, in
thousandths of a per cent; 18.4.14 ``vertAlign`` of runs in cells).
"""

import re
from collections.abc import Callable
from typing import Final

from citeloom.domain.text.scripts import lowered, raised

from .formulas import Element
from .source_text import etree, parse_xml, rewritten_parts

_SLIDES: Final = re.compile(r"ppt/(?:slides|notesSlides)/\w+\.xml")
_SHEETS: Final = re.compile(r"xl/(?:sharedStrings|worksheets/\w+)\.xml")


def seen_slides(raw: bytes) -> bytes:
    return _with_scripts(raw, _SLIDES, "p", _of_slide)


def seen_sheets(raw: bytes) -> bytes:
    return _with_scripts(raw, _SHEETS, "si", _of_sheet)


def _of_slide(run: Element) -> str:
    properties = run.find("{*}rPr")
    baseline = "0" if properties is None else properties.get("baseline", "0")
    found = re.fullmatch(r"(-?)0*[1-9]\d*%?", baseline.partition(".")[0])
    return "" if found is None else "sub" if found[1] else "super"


def _of_sheet(run: Element) -> str:
    align = run.find("{*}rPr/{*}vertAlign")
    return "" if align is None else (align.get("val") or "").removesuffix("script")


def _with_scripts(
    raw: bytes, parts: re.Pattern[str], paragraph: str, align_of: Callable[[Element], str]
) -> bytes:
    def seen(data: bytes) -> bytes:
        root = parse_xml(data)
        if root is None or not any(map(align_of, root.iter("{*}r"))):
            return data
        for one in root.iter(f"{{*}}{paragraph}", "{*}is"):
            _write(one, align_of)
        content: bytes = etree().tostring(root, encoding="UTF-8", xml_declaration=True)
        return content

    return rewritten_parts(raw, parts, seen)


def _write(paragraph: Element, align_of: Callable[[Element], str]) -> None:
    before = ""
    texts = [(run, run.find("{*}t")) for run in paragraph.iter("{*}r", "{*}br")]
    for at, (run, text) in enumerate(texts):
        words = "" if text is None else text.text or ""
        align = align_of(run) if words else ""
        if align in ("super", "sub"):
            following = texts[at + 1][1] if at + 1 < len(texts) else None
            after = "" if following is None or align_of(texts[at + 1][0]) else following.text or ""
            words = (raised if align == "super" else lowered)(words, before[-24:], after[:1])
            text.text = words
        before += words if text is not None else "\n"
