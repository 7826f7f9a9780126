"""JATS articles rewritten so that docling reads all of their parts."""

from citeloom.infrastructure.ingest.conversion.formats.safe_xml import (
    Element,
    etree,
    parse_xml,
    raw_text,
)

# docling takes an article for JATS by its document type only; many files have none.
_DOCTYPE = (
    '<!DOCTYPE article PUBLIC "-//NLM//DTD JATS (Z39.96) Journal Publishing DTD v1.2 '
    '20190208//EN" "JATS-journalpublishing1.dtd">'
)


def readable_jats(raw: bytes) -> bytes:
    """The article with a JATS document type, and without elements nested in figures.

    Figures inside figures (figure supplements) and the legends of supplementary files are
    moved after the outer figure; docling skips them inside it.
    """
    root = parse_xml(raw)
    if root is None:
        return raw
    for figure in [outer for outer in root.iter("fig") if _is_outermost(outer)]:
        inner = list(figure.iter("fig", "supplementary-material"))[1:]
        _move_behind(figure, inner)
    for supplement in list(root.iter("supplementary-material")):
        _as_paragraph(supplement)
    content: bytes = etree().tostring(
        root, encoding="utf-8", xml_declaration=True, doctype=_DOCTYPE
    )
    return content


def _is_outermost(figure: Element) -> bool:
    return next(figure.iterancestors("fig"), None) is None


def _move_behind(figure: Element, inner: list[Element]) -> None:
    parent = figure.getparent()
    for element in reversed(inner):  # the innermost first
        _detach(element)
        parent.insert(parent.index(figure) + 1, element)


def _detach(element: Element) -> None:
    """Take an element out of its parent; the text behind it stays where it is."""
    parent, before = element.getparent(), element.getprevious()
    tail = element.tail or ""
    if before is not None:
        before.tail = (before.tail or "") + tail
    else:
        parent.text = (parent.text or "") + tail
    element.tail = None
    parent.remove(element)


def _as_paragraph(supplement: Element) -> None:
    """A supplementary file's label and legend as a paragraph; its link is no text."""
    legend = " ".join(
        text
        for part in supplement
        if part.tag in ("label", "caption", "p") and (text := " ".join(raw_text(part).split()))
    )
    parent = supplement.getparent()
    paragraph = etree().SubElement(parent, "p")
    paragraph.text, paragraph.tail = legend, supplement.tail
    parent.replace(supplement, paragraph)
