"""Markdown as paragraphs of a Word document."""

import re
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any

from citeloom.infrastructure.research.word_parts import (
    add_link,
    add_paragraph,
    add_text,
    add_to_list,
    begin_list,
    set_direction,
)

_CODE_FONT = "Courier New"
_MAX_HEADING = 9
_MAX_LIST = 3
# A bare URL, as in bibliographies, without the punctuation that follows.
_ADDRESS = re.compile(r"https?://[^\s<>\"]*[^\s<>\".,;:!?'’”)\]]")
# markdown-it's tokens of emphasis, as runs of Word have it.
_MARKS = {"em": "italic", "strong": "bold"}


def add_markdown(document: Any, text: str, *, below: int = 0) -> None:
    """Headings (``below`` levels deeper than written), paragraphs, block quotations, lists, tables
    and code of CommonMark; HTML is kept as text."""
    _Blocks(document, below).add(_parser().parse(text))


def add_inline(paragraph: Any, text: str) -> None:
    """Append a line of Markdown to a paragraph."""
    for token in _parser().parseInline(text):
        _Inline(paragraph).add(token.children or ())


@cache
def _parser() -> Any:
    from markdown_it import MarkdownIt

    return MarkdownIt("commonmark").enable("table")


class _Blocks:
    """Block tokens in order; the open blocks around them decide upon the style."""

    def __init__(self, document: Any, below: int) -> None:
        self._document = document
        self._below = below
        self._quotes = 0
        self._lists: list[int | None] = []  # the id of a numbered one
        self._bullet = False
        self._heading: int | None = None

    def add(self, tokens: Sequence[Any]) -> None:
        remaining = iter(tokens)
        for token in remaining:
            if token.type == "table_open":
                self._table(remaining)
            elif token.type == "inline":
                self._inline(token)
            elif token.type in ("fence", "code_block", "html_block"):
                self._literal(token)
            elif token.type == "hr":
                self._document.add_paragraph("⁂").alignment = 1  # centred
            else:
                self._open_or_close(token)

    def _open_or_close(self, token: Any) -> None:
        kind = token.type
        if kind == "heading_open":
            self._heading = int(token.tag[1:])
        elif kind in ("blockquote_open", "blockquote_close"):
            self._quotes += token.nesting
        elif kind == "bullet_list_open":
            self._lists.append(None)
        elif kind == "ordered_list_open":
            start = int(token.attrs.get("start", 1))
            self._lists.append(begin_list(self._document, self._style("List Number"), start))
        elif kind in ("bullet_list_close", "ordered_list_close"):
            self._lists.pop()
        elif kind == "list_item_open":
            self._bullet = True

    def _inline(self, token: Any) -> None:
        paragraph = self._paragraph()
        _Inline(paragraph).add(token.children or ())
        set_direction(paragraph)

    def _paragraph(self) -> Any:
        if self._heading is not None:
            level, self._heading = self._heading, None
            style = f"Heading {min(level + self._below, _MAX_HEADING)}"
            return add_paragraph(self._document, style)
        if self._quotes:
            return add_paragraph(self._document, "Quote")
        if not self._lists:
            return add_paragraph(self._document)
        if not self._bullet:
            return add_paragraph(self._document, self._style("List Continue"))
        self._bullet = False
        numbered = self._lists[-1]
        kind = "List Bullet" if numbered is None else "List Number"
        paragraph = add_paragraph(self._document, self._style(kind, len(self._lists)))
        if numbered is not None:
            add_to_list(paragraph, numbered)
        return paragraph

    def _style(self, name: str, depth: int | None = None) -> str:
        """Word has three levels of each list style."""
        level = min(len(self._lists) if depth is None else depth, _MAX_LIST)
        return f"{name} {level}" if level > 1 else name

    def _literal(self, token: Any) -> None:
        paragraph = self._paragraph()
        add_text(paragraph, token.content.rstrip("\n")).font.name = _CODE_FONT

    def _table(self, remaining: Iterator[Any]) -> None:
        rows: list[list[Any]] = []
        for token in remaining:
            if token.type == "table_close":
                break
            if token.type == "tr_open":
                rows.append([])
            elif token.type == "inline":
                rows[-1].append(token)
        table = self._document.add_table(len(rows), max(map(len, rows)), style="Table Grid")
        for index, (row, cells) in enumerate(zip(table.rows, rows, strict=True)):
            for cell, token in zip(row.cells, cells, strict=False):
                _Inline(cell.paragraphs[0]).add(token.children or (), bold=index == 0)


class _Inline:
    """Runs of a paragraph."""

    def __init__(self, paragraph: Any) -> None:
        self._paragraph = paragraph
        self._marks: list[str] = []
        self._link: str | None = None

    def add(self, tokens: Sequence[Any], *, bold: bool = False) -> None:
        if bold:
            self._marks.append("bold")
        for token in tokens:
            kind, _, side = token.type.rpartition("_")
            if kind in _MARKS:
                mark = _MARKS[kind]
                self._marks.append(mark) if side == "open" else self._marks.remove(mark)
            elif kind == "link":
                self._link = str(token.attrs.get("href", "")) if side == "open" else None
            elif token.type == "softbreak":
                self._text(" ")
            elif token.type == "hardbreak":
                self._text("\n")
            else:
                run = self._text(token.content)
                if token.type == "code_inline":
                    run.font.name = _CODE_FONT

    def _text(self, text: str) -> Any:
        if self._link is not None:
            return self._marked(add_link(self._paragraph, text, self._link))
        end = 0
        for match in _ADDRESS.finditer(text):
            self._marked(add_text(self._paragraph, text[end : match.start()]))
            self._marked(add_link(self._paragraph, match[0], match[0]))
            end = match.end()
        return self._marked(add_text(self._paragraph, text[end:]))

    def _marked(self, run: Any) -> Any:
        for mark in self._marks:
            setattr(run.font, mark, True)
        return run
