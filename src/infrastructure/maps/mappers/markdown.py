"""Markdown mapper: headings by CommonMark's rules."""

import re
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

from markdown_it import MarkdownIt
from markdown_it.token import Token

from citeloom.domain.maps.node_names import first_sentence
from citeloom.infrastructure.maps.mappers.node_building import (
    Head,
    MappedText,
    TextFileMapper,
    block_nodes,
    section_nodes,
)

_TITLE = re.compile(r"title:\s*(?P<quote>[\"']?)(?P<text>.+?)(?P=quote)\s*", re.I)
_NO_TEXT = frozenset({"html_inline"})


class MarkdownMapper(TextFileMapper):
    """ATX and setext headings as nested sections; not those in fenced code, quotes or lists.
    A file without headings has blocks."""

    suffixes = frozenset({".md", ".markdown", ".mdown", ".qmd", ".rmd"})
    name = "markdown 1"

    def _read(self, lines: Sequence[str], _path: Path) -> MappedText:
        front_lines = _front_matter(lines)
        # Blanked, not cut, so that line numbers stay.
        body = [""] * front_lines + list(lines[front_lines:])
        heads = _heads(MarkdownIt("commonmark").parse("\n".join(body)))
        title_matches = [_TITLE.fullmatch(line) for line in lines[:front_lines]]
        title = next((match["text"] for match in title_matches if match), None)
        top = [head.title for head in heads if head.level == 1]
        if title is None and len(top) == 1 and heads[0].title == top[0]:
            title = top[0]
        return MappedText(section_nodes(heads, body) if heads else tuple(block_nodes(body)), title)


def _front_matter(lines: Sequence[str]) -> int:
    """How many lines of YAML metadata the file begins with."""
    if not lines or lines[0].rstrip() != "---":
        return 0
    ends = (n for n, line in enumerate(lines[1:], start=2) if line.rstrip() in ("---", "..."))
    return next(ends, 0)


def _heads(tokens: Sequence[Token]) -> list[Head]:
    heads: list[Head] = []
    for token, inline in pairwise(tokens):
        if token.level > 0:
            continue
        if token.type == "heading_open" and token.map:
            title = _plain(inline)
            if title:
                heads.append(Head(title, int(token.tag[1:]), token.map[0] + 1))
        elif token.type == "paragraph_open" and heads and heads[-1].summary is None:
            heads[-1] = heads[-1]._replace(summary=first_sentence(_plain(inline)))
    return heads


def _plain(inline: Token) -> str:
    """The text of inline content without markup; of an image, its alternative text."""
    parts = [
        " " if child.type in ("softbreak", "hardbreak") else child.content
        for child in inline.children or ()
        if child.type not in _NO_TEXT
    ]
    return " ".join("".join(parts).split())
