"""A part of a document as Markdown, its words as they are stored."""

import re
from collections.abc import Callable, Iterator, Mapping

from citeloom.domain.documents.conversion import Block, BlockLabel, ConversionResult, Figure
from citeloom.domain.documents.spans import CharSpan

_CELL = " | "
_BULLET = re.compile(r"[•◦▪‣·∙●○■–]\s+")
_DEEPEST = 6
# A link, and what may close the phrase that it stands in.
_LINK = re.compile(r"(?:https?://|doi:\s?(?=10\.)|zotero://select/)[^\s<>\"]+", re.IGNORECASE)
_CLOSING = ".,;:!?'\"*…’”»"
_MOST_LINKS = 500
"""Links of one part that are looked up."""


def markdown_of(
    document: ConversionResult,
    span: CharSpan,
    pictures: Mapping[int, str] | None = None,
    notes: Mapping[int, str] | None = None,
) -> str:
    """``plain_text[span]`` with headings, lists, tables and code marked as such.

    ``pictures`` are the addresses of figures, by their place in ``document.figures``: each
    stands above its caption. ``notes`` are put in behind the character at their offset. What
    is cut off by the span is left as it is.
    """
    if not document.blocks:
        return document.text_of(span)
    return "\n\n".join(_marked(document, span, pictures or {}, notes or {}))


def with_links(text: str, known: Callable[[str], str | None]) -> str:
    """``text`` with each link that means something ``known`` replaced by its URI."""
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
    return text


def _table(text: str) -> str:
    rows = [_cells(row) for row in text.split("\n")]
    width = max(len(row) for row in rows)
    if width < 2:
        return text
    lines = [f"| {' | '.join([*row, *[''] * (width - len(row))])} |" for row in rows]
    return "\n".join([lines[0], "|" + " --- |" * width, *lines[1:]])


def _cells(row: str) -> list[str]:
    """Between bars, where the row has some at its ends; they may stand there already."""
    bare = row.strip()
    if len(bare) > 1 and bare[0] == bare[-1] == "|":
        bare = f" {bare[1:-1].strip()} "
    return [cell.strip() for cell in bare.split(_CELL)]


def _same(figure: Figure, caption: str) -> bool:
    return bool(figure.caption) and _line(figure.caption or "") == _line(caption)


def _line(text: str) -> str:
    return " ".join(text.split())
