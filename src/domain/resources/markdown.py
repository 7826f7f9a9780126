"""Rendering of a part of a document as Markdown, words unchanged."""

import re
from collections.abc import Callable, Iterator, Mapping

from citeloom.domain.documents.conversion import Block, BlockLabel, ConversionResult, Figure
from citeloom.domain.documents.spans import CharSpan

_CELL = " | "
_BULLET = re.compile(r"[•◦▪‣·∙●○■–]\s+")
_DEEPEST = 6
# A link, and punctuation that may follow it.
_LINK = re.compile(r"(?:https?://|doi:\s?(?=10\.)|zotero://select/)[^\s<>\"]+", re.IGNORECASE)
_CLOSING = ".,;:!?'\"*…’”»"
_MOST_LINKS = 500
"""Maximum number of links looked up in one part."""


def markdown_of(
    document: ConversionResult,
    span: CharSpan,
    pictures: Mapping[int, str] | None = None,
    notes: Mapping[int, str] | None = None,
) -> str:
    """``plain_text[span]`` with Markdown for headings, lists, tables, code, and text in figures
    (quoted lines).

    ``pictures`` are the addresses of figures by index in ``document.figures``, placed above
    their captions. ``notes`` are inserted after the character at their offset. Blocks cut off
    by the span stay plain.
    """
    if not document.blocks:
        return document.text_of(span)
    return "\n\n".join(_marked(document, span, pictures or {}, notes or {}))


def replace_links(text: str, known: Callable[[str], str | None]) -> str:
    """``text`` with each link that ``known`` resolves replaced by the URI."""
    links: dict[str, str | None] = {}

    def replaced(found: re.Match[str]) -> str:
        link = found.group().rstrip(_CLOSING)
        while link.endswith((")", "]")) and not _balanced(link):
            link = link[:-1].rstrip(_CLOSING)
        if link not in links and len(links) < _MOST_LINKS:
            links[link] = known(link)
        uri = links.get(link)
        return uri + found.group()[len(link) :] if uri else found.group()

    return _LINK.sub(replaced, text)


def _balanced(link: str) -> bool:
    return all(link.count(a) >= link.count(b) for a, b in ("()", "[]"))


def _marked(
    document: ConversionResult,
    span: CharSpan,
    pictures: Mapping[int, str],
    notes: Mapping[int, str],
) -> Iterator[str]:
    for block in document.blocks:
        start, end = max(block.span.start, span.start), min(block.span.end, span.end)
        if start >= end:
            continue
        if (start, end) != (block.span.start, block.span.end):
            yield document.plain_text[start:end]
            continue
        text = document.text_of(block.span)
        for offset in sorted((at for at in notes if start < at <= end), reverse=True):
            text = f"{text[: offset - start]}{notes[offset]}{text[offset - start :]}"
        if block.label is BlockLabel.CAPTION:
            for at, uri in pictures.items():
                if _same(document.figures[at], text):
                    yield f"![]({uri})"
        yield _mark(block, text)


def _mark(block: Block, text: str) -> str:
    if block.label is BlockLabel.TITLE:
        return f"# {_line(text)}"
    if block.label is BlockLabel.SECTION_HEADER:
        return f"{'#' * min(block.level or 1, _DEEPEST)} {_line(text)}"
    if block.label is BlockLabel.LIST_ITEM:
        return _BULLET.sub("- ", text, count=1) if _BULLET.match(text) else text
    if block.label is BlockLabel.CODE:
        fence = "````" if "```" in text else "```"
        return f"{fence}\n{text}\n{fence}"
    if block.label is BlockLabel.TABLE:
        return _table(text)
    if block.label is BlockLabel.FIGURE_TEXT:
        return "\n".join(f"> {line}" for line in text.split("\n"))
    return text


def _table(text: str) -> str:
    rows = [_cells(row) for row in text.split("\n")]
    width = max(len(row) for row in rows)
    if width < 2:
        return text
    lines = [f"| {' | '.join([*row, *[''] * (width - len(row))])} |" for row in rows]
    return "\n".join([lines[0], "|" + " --- |" * width, *lines[1:]])


def _cells(row: str) -> list[str]:
    """Cells of a row, with or without outer bars."""
    bare = row.strip()
    if len(bare) > 1 and bare[0] == bare[-1] == "|":
        bare = f" {bare[1:-1].strip()} "
    return [cell.strip() for cell in bare.split(_CELL)]


def _same(figure: Figure, caption: str) -> bool:
    return bool(figure.caption) and _line(figure.caption or "") == _line(caption)


def _line(text: str) -> str:
    return " ".join(text.split())
