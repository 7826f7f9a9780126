"""Parsing of untrusted XML: no entity expansion, no network access."""

from typing import Any

Element = Any
"""An ``lxml`` element; the library has no types of its own."""

# Elements that are white space, and those that end a line of text.
_BLANK = {"s", "tab", "br", "cr", "line-break"}
_ENDS = {"p", "h", "li", "td", "th", "tr", "div", "title", "sec", "tc", "table-cell", "label"}


def etree() -> Any:
    """The module ``lxml.etree``: loaded where it is used, in worker processes."""
    from lxml import etree as module  # type: ignore[import-untyped, unused-ignore]

    return module


def parse_xml(raw: bytes) -> Element | None:
    """The root of an XML file; None if it cannot be parsed even with error recovery."""
    parser = etree().XMLParser(resolve_entities=False, no_network=True, recover=True)
    try:
        return etree().fromstring(raw, parser)
    except etree().XMLSyntaxError:
        return None


def raw_text(root: Element | None) -> str:
    """All character data below ``root``, with white space where the markup means some."""
    if root is None:
        return ""
    parts: list[str] = []
    for event, element in etree().iterwalk(root, events=("start", "end", "comment", "pi")):
        name = element.tag.rsplit("}", 1)[-1] if isinstance(element.tag, str) else ""
        if event == "start":
            parts.append(" " if name in _BLANK else "")
            parts.append(element.text or "")
        else:
            parts.append("\n" if name in _ENDS else "")
            parts.append(element.tail or "")
    return "".join(parts)
