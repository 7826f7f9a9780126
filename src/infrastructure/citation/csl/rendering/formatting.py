"""Fonts, quotation marks and affixes of a CSL element."""

import html

from citeloom.infrastructure.citation.csl.item import RenderingContext
from citeloom.infrastructure.citation.csl.style import StyleNode

from .rich_text import Runs, field, marked, quoted

_MARKS = {
    ("font-style", "italic"): "i", ("font-style", "oblique"): "i",
    ("font-weight", "bold"): "b", ("font-variant", "small-caps"): "sc",
    ("text-decoration", "underline"): "u",
    ("vertical-align", "sup"): "sup", ("vertical-align", "sub"): "sub",
}  # fmt: skip


def decorated(node: StyleNode, text: Runs) -> Runs:
    """In the font of ``node``; italic text within italics is upright."""
    if not text:
        return text
    for attribute, mark in _MARKS.items():
        if node.attrs.get(attribute[0]) == attribute[1]:
            text = marked(text, mark)
    return quoted(text) if node.get("quotes") == "true" else text


def affixed(context: RenderingContext, node: StyleNode, text: Runs) -> Runs:
    if not text or context.sorting:
        return text
    if prefix := node.get("prefix"):
        text = context.glue(field(html.unescape(prefix)), text)
    if suffix := node.get("suffix"):
        text = context.glue(text, field(html.unescape(suffix)))
    return text
