"""OpenDocument text as its readers see it: scripts by their styles, formulas, base text of glosses.

docling gives scripts as plain digits, and formulas without their structure (OpenDocument 1.3, part
3: 16.29.1 ``style:text-properties``, 20.394 ``style:text-position``, 6.4 "Ruby").
"""

import io
import re
import zipfile
from typing import Final

from citeloom.domain.text.scripts import lowered, raised

from .formulas import Element, mathml_text
from .source_text import detach, etree, parse_xml, rewritten_parts, unwrap

_NAMESPACE: Final = "{{urn:oasis:names:tc:opendocument:xmlns:{}:1.0}}"
_TEXT, _STYLE, _DRAW = (_NAMESPACE.format(name) for name in ("text", "style", "drawing"))
_HREF: Final = "{http://www.w3.org/1999/xlink}href"
_CONTENT: Final = re.compile(r"content\.xml")


def seen_text(raw: bytes) -> bytes:
    """The file with its scripts and formulas as text."""
    with zipfile.ZipFile(io.BytesIO(raw)) as archive:
        names = set(archive.namelist())
        sheets = [archive.read(one) for one in ("styles.xml", "content.xml") if one in names]
        objects = {
            name.removesuffix("/content.xml"): parse_xml(archive.read(name))
            for name in names
            if name.startswith("Object") and name.endswith("/content.xml")
        }
    roots = [root for root in map(parse_xml, sheets) if root is not None]
    scripts, hidden = _scripts(roots), _hidden(roots)

    def seen(data: bytes) -> bytes:
        root = parse_xml(data)
        if root is None:
            return data
        _write_formulas(root, objects)
        for element in list(root.iter(f"{_TEXT}hidden-text", f"{_TEXT}hidden-paragraph")):
            detach(element)
        for element in list(root.iter(f"{_TEXT}span", f"{_TEXT}p", f"{_TEXT}h")):
            if element.get(f"{_TEXT}style-name") in hidden and element.getparent() is not None:
                detach(element)
        for gloss in list(root.iter(f"{_TEXT}ruby-text")):
            detach(gloss)
        for span in list(root.iter(f"{_TEXT}span")):
            high = scripts.get(span.get(f"{_TEXT}style-name") or "")
            if high is not None:
                _write_script(span, is_high=high)
        for element in list(
            root.iter(f"{_TEXT}span", f"{_TEXT}a", f"{_TEXT}ruby-base", f"{_TEXT}ruby")
        ):
            unwrap(element)
        if next(root.iter("{*}text"), None) is not None:  # not of a slide or a sheet
            _write_blocks(root)
        content: bytes = etree().tostring(
            root.getroottree(), encoding="UTF-8", xml_declaration=True
        )
        return content

    return rewritten_parts(raw, _CONTENT, seen)


def _hidden(roots: list[Element]) -> set[str]:
    """The styles of text that is not displayed (20.358 ``text:display``)."""
    return {
        style.get(f"{_STYLE}name") or ""
        for root in roots
        for style in root.iter(f"{_STYLE}style")
        if any(
            properties.get(f"{_TEXT}display") == "none"
            for properties in style.iter(f"{_STYLE}text-properties")
        )
    }


def _write_blocks(root: Element) -> None:
    """Blocks that docling leaves out or joins: the header of a list, numbered paragraphs, text
    boxes, and the further paragraphs of an item."""
    for header in list(root.iter(f"{_TEXT}list-header")):
        header.tag = f"{_TEXT}list-item"
    for paragraph in list(root.iter(f"{_TEXT}numbered-paragraph")):
        unwrap(paragraph)
    for box in list(root.iter(f"{_DRAW}text-box")):
        frame = next(box.iterancestors(f"{_DRAW}frame"), box)
        inside = frame
        while inside is not None and inside.tag not in (f"{_TEXT}p", f"{_TEXT}h"):
            inside = inside.getparent()
        place = frame if inside is None else inside
        if place.getparent() is None:
            continue
        for block in reversed(list(box)):
            place.addnext(block)
        detach(frame)
    for item in list(root.iter(f"{_TEXT}list-item")):
        for further in [one for one in item if one.tag == f"{_TEXT}p"][1:]:
            following = item.makeelement(item.tag)
            item.addnext(following)
            following.extend([further, *further.itersiblings()])
            item = following


def _scripts(roots: list[Element]) -> dict[str, bool]:
    """Styles of text that raise it, or lower it (False)."""
    styles = {
        style.get(f"{_STYLE}name"): style
        for root in roots
        for style in root.iter(f"{_STYLE}style")
        if style.get(f"{_STYLE}family") == "text"
    }
    found: dict[str, bool] = {}
    for name in styles:
        style, seen = styles[name], set[str]()
        while style is not None:
            properties = style.find(f"{_STYLE}text-properties")
            place = "" if properties is None else properties.get(f"{_STYLE}text-position") or ""
            if place:
                first = place.split()[0]
                if first in ("super", "sub") or re.match(r"-?0*[1-9]", first):
                    found[name] = first == "super" or first[0] not in "-s"
                break
            parent = style.get(f"{_STYLE}parent-style-name") or ""
            style = styles.get(parent) if parent not in seen else None
            seen.add(parent)
    return found


def _write_script(span: Element, *, is_high: bool) -> None:
    head = span.getparent().text or ""
    for before in reversed(list(span.itersiblings(preceding=True))):
        head += "".join(before.itertext()) + (before.tail or "")
    words, tail = "".join(span.itertext()), span.tail or ""
    for child in list(span):
        span.remove(child)
    span.text = (raised if is_high else lowered)(words, head[-24:], tail[:1])


def _write_formulas(root: Element, objects: dict[str, Element | None]) -> None:
    for drawn in list(root.iter(f"{_DRAW}object")):
        inner: Element | None = next(drawn.iter("{*}math"), None)
        if inner is None:
            linked = objects.get((drawn.get(_HREF) or "").removeprefix("./").rstrip("/"))
            inner = None if linked is None else next(linked.iter("{*}math"), None)
        if inner is None:
            continue
        frame = next(drawn.iterancestors(f"{_DRAW}frame"), drawn)
        frame.tail = mathml_text(inner) + (frame.tail or "")
        if frame.getparent() is not None:
            detach(frame)
