"""Mappers of text: Markdown, reStructuredText, AsciiDoc, plain text."""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path

from markdown_it import MarkdownIt
from markdown_it.token import Token

from citeloom.domain.maps.resource_map import first_sentence

from .node_building import Head, MappedText, TextFileMapper, block_nodes, section_nodes

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


RST = frozenset({".rst"})
ASCIIDOC = frozenset({".adoc", ".asciidoc", ".asc"})
PLAIN = frozenset({".txt", ".text", ".log", ".csv", ".tsv"})
#: Languages that no grammar is kept for.
CODE = frozenset(
    """
    .bash .bat .bib .cfg .clj .css .dart .ex .f .f90 .hs .ini .kt .lua .m .ml .php .pl .ps1 .r
    .scala .sh .sql .swift .toml .vb .xsl .zsh
    """.split()
)
# https://docutils.sourceforge.io/docs/ref/rst/restructuredtext.html#sections: any of these.
_RULE = re.compile(r"([!-/:-@\[-`{-~])\1*\s*")
_SHORTEST_RULE = 4
# https://docs.asciidoctor.org/asciidoc/latest/sections/titles-and-levels/
_ASCIIDOC_HEAD = re.compile(r"(={1,6})[ \t]+(\S.*?)(?:[ \t]+\1)?[ \t]*")
_ASCIIDOC_FENCE = re.compile(r"(-{4,}|\.{4,}|\+{4,}|/{4,}|```)\s*")


class TextMapper(TextFileMapper):
    """``.rst`` and ``.adoc`` as nested sections; plain text, tables, programs in languages
    without a grammar, and what has no headings, in blocks of paragraphs."""

    suffixes = RST | ASCIIDOC | PLAIN | CODE
    name = "text 1"

    def _read(self, lines: Sequence[str], path: Path) -> MappedText:
        suffix = path.suffix.lower()
        heads: list[Head] = []
        if suffix in RST:
            heads = _with_summaries(_rst_heads(lines), lines)
        elif suffix in ASCIIDOC:
            heads = _with_summaries(_asciidoc_heads(lines), lines)
        top = [head for head in heads if head.level == 1]
        title = top[0].title if len(top) == 1 and heads[0] is top[0] else None
        note = "blocks: no grammar of this language is known" if suffix in CODE else None
        return MappedText(section_nodes(heads, lines) if heads else (), title, note)


def _rst_heads(lines: Sequence[str]) -> Iterator[tuple[Head, int]]:
    """Titles with their last lines. Levels follow the order in which rules first appear."""
    styles: list[tuple[str, bool]] = []
    at = 0
    while at < len(lines) - 1:
        title_found = _rst_title(lines, at)
        if title_found is None:
            at += 1
            continue
        title, style, last = title_found
        if style not in styles:
            styles.append(style)
        yield Head(title, styles.index(style) + 1, at + 1), last + 1
        at = last + 1


def _rst_title(lines: Sequence[str], at: int) -> tuple[str, tuple[str, bool], int] | None:
    """A title that begins at the index ``at``, its rule, and the index of its last line."""
    rule = _rule(lines[at])
    if rule and at + 2 < len(lines) and _rule(lines[at + 2]) == rule:
        title = lines[at + 1].strip()
        if title and len(lines[at].rstrip()) >= len(title):
            return title, (rule, True), at + 2
    title = lines[at].rstrip()
    below = _rule(lines[at + 1])
    alone = at == 0 or not lines[at - 1].strip()
    if below and alone and not rule and title and not title[0].isspace():
        width = len(lines[at + 1].rstrip())
        if width >= len(title) or width >= _SHORTEST_RULE:
            return title, (below, False), at + 1
    return None


def _rule(line: str) -> str | None:
    """The character of a rule; None for other lines."""
    rule = _RULE.fullmatch(line)
    return rule[1] if rule and len(line.rstrip()) >= 2 else None


def _asciidoc_heads(lines: Sequence[str]) -> Iterator[tuple[Head, int]]:
    fence: str | None = None
    for number, line in enumerate(lines, start=1):
        if marked := _ASCIIDOC_FENCE.fullmatch(line):
            fence = None if fence == marked[1] else fence or marked[1]
        elif fence is None and (head := _ASCIIDOC_HEAD.fullmatch(line)):
            yield Head(head[2], len(head[1]), number), number


def _with_summaries(heads: Iterator[tuple[Head, int]], lines: Sequence[str]) -> list[Head]:
    """The headings, with the first sentence below each as summary."""
    titles = list(heads)
    ends = [*(head.line - 1 for head, _ in titles), len(lines)][1:]
    return [
        head._replace(summary=_first_sentence_of(lines[last:end]))
        for (head, last), end in zip(titles, ends, strict=True)
    ]


def _first_sentence_of(lines: Sequence[str]) -> str | None:
    paragraph: list[str] = []
    for line in lines:
        # Directives, fields and attributes (``.. note::``, ``:date:``, ``[source]``) are not prose.
        if line.strip() and not line.startswith((" ", "..", ":", "[")):
            paragraph.append(line)
        elif paragraph:
            break
    return first_sentence("\n".join(paragraph))
