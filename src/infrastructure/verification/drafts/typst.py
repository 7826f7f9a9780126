"""Typst drafts: ``@key[p. 12]`` and ``#cite(<key>, supplement: [p. 12])``.

After the Typst reference, "Syntax", "Cite" and "Quote". Of calls with ``#``, content in brackets
behind the arguments is prose (``#emph[…]``, ``#align(center)[…]``, functions of the draft).
Figures, tables and headings are left out, and citations there are named as unread.
"""

import re
from collections.abc import Iterator

from citeloom.domain.citation.locators import Locator, parse_locator
from citeloom.domain.verification.drafts.draft import (
    CitedItem,
    Draft,
    Inclusion,
    InTextCitation,
    is_bibliography,
)

from .mask import Mask

_TOKEN = re.compile(
    r"(?P<comment>(?<!:)//[^\n]*|/\*.*?(?:\*/|\Z))"
    r"|(?P<escape>\\(?:u\{[0-9a-fA-F]+\}|.))"
    r"|(?P<raw>(?P<ticks>`{3,}).*?(?:(?P=ticks)|\Z)|`[^`]*`)"
    r"|(?P<math>\$(?:\\.|[^$\\])*\$)"
    r"|(?P<heading>^[ \t]*(?P<level>=+)[ \t]+[^\n]*$)"
    r"|(?P<cite>#(?:cite[a-z]*|ref)\()"
    r"|(?P<code>\#(?P<name>[A-Za-z_][\w.-]*)|\#[({\[])"
    r"|(?P<reference>(?<![\w\\])@(?P<key>[\w](?:[\w\-]|[.:](?=\w))*))"
    r"|(?P<label><[A-Za-z_][\w\-.:]*>)"
    r"|(?P<url>https?://[^\s\])]+)"
    r"|(?P<item>^[ \t]*(?:[-+]|/(?= )|\d+\.)[ \t]+)"
    r"|(?P<mark>[*_~\]])",
    re.DOTALL | re.MULTILINE,
)
_LABEL = re.compile(r"(?<![\w(])<(?P<name>[A-Za-z_][\w\-.:]*)>")
_CITED = re.compile(r"\s*(?:<(?P<angle>[^<>\s]+)>|label\(\s*\"(?P<quoted>[^\"]+)\"\s*\))")
_SUPPLEMENT = re.compile(
    r"supplement:\s*(?:\[(?P<content>(?:[^\]\\]|\\.)*)\]|\"(?P<string>[^\"]*)\")", re.DOTALL
)
_ESCAPED = re.compile(r"\\([^\w\s])")
_PROSE_FORM = re.compile(r"form:\s*\"(?:prose|author)\"")
_FILE = re.compile(r"\s+\"(?P<name>[^\"\n]+)\"")
_STATEMENTS = frozenset("set show let import include".split())
_CONDITION = re.compile(r"[^\n\[{]*(?=[\[{])")
# Functions whose content is not prose, or not part of the text around it.
_NO_PROSE = frozenset(
    """
    figure table grid image raw math equation heading title outline bibliography footnote place
    metadata counter state context cetz canvas diagram plot algorithm lorem h v pagebreak colbreak
    linebreak ref label
    """.split()
)
# Functions whose content is a block of its own.
_BLOCKS = frozenset(
    "block columns align pad rect page par list enum terms stack scale rotate".split()
)
# Citations wherever they stand, for notes, attributions, and what was not read.
_ANY_CITATION = re.compile(
    r"(?P<comment>(?<!:)//[^\n]*|/\*.*?(?:\*/|\Z))"
    r"|(?P<raw>(?P<ticks>`{3,}).*?(?:(?P=ticks)|\Z)|`[^`]*`)"
    r"|(?P<reference>(?<![\w\\])@(?P<key>[\w](?:[\w\-]|[.:](?=\w))*))"
    r"|(?P<cite>\b(?:cite[a-z]*|ref)\()(?=\s*(?:<|label\())"
    r"|\battribution:\s*(?P<attribution><(?P<angle>[^<>\s]+)>)",
    re.DOTALL,
)
_PAIRS = {"(": ")", "[": "]", "{": "}"}


def parse_typst(path: str, text: str) -> Draft:
    mask, brackets = Mask(text), _Brackets(text)
    labels = {match["name"] for match in _LABEL.finditer(text)} - _cited_labels(text)
    reader = _Citations(mask, labels, brackets)
    offset = 0
    bibliography: tuple[int, int] | None = None
    while token := _TOKEN.search(text, offset):
        kind, start, offset = token.lastgroup, token.start(), token.end()
        if token["heading"] is not None:
            level = len(token["level"])
            if bibliography and level <= bibliography[1]:
                mask.blank(bibliography[0], start)
                bibliography = None
            if not bibliography and is_bibliography(token["heading"].strip().lstrip("= ")):
                bibliography = (start, level)
            mask.blank(start, offset)
        elif token["cite"]:
            offset = reader.call(start, offset)
        elif token["reference"] is not None:
            offset = reader.reference(token)
        elif token["code"]:
            offset = _code(reader, token)
        elif token["math"] is not None:
            _math(mask, token)
        elif token["escape"]:
            escaped = token["escape"][1:]
            mask.replace(start, offset, escaped) if not escaped[0].isspace() else mask.spaces(
                start, offset
            )
        elif token["item"]:
            mask.paragraph(start + len(token["item"]) - len(token["item"].lstrip()), offset)
        elif token["raw"]:
            mask.spaces(start, offset) if "\n" not in token["raw"] else mask.blank(start, offset)
        elif kind and mask.prose_at(start) != "”":  # the end of a quotation stays
            mask.inline(start, offset)
    if bibliography:
        mask.blank(bibliography[0], len(text))
        mask.bibliography = re.sub(r"\\(?=\S)", "", text[bibliography[0] :].partition("\n")[2])
    reader.name_unread(bibliography[0] if bibliography else len(text))
    return mask.draft(path, "typst", inclusions=_inclusions(text))


def _inclusions(text: str) -> Iterator[Inclusion]:
    """Included files outside of comments and code."""
    for token in _TOKEN.finditer(text):
        if token["name"] == "include" and (file := _FILE.match(text, token.end())):
            yield Inclusion(name=file["name"], start=token.start())


def _cited_labels(text: str) -> set[str]:
    return {match[1] for match in re.finditer(r"(?:cite\(|attribution:)\s*<([^<>\s]+)>", text)}


def _place(supplement: str) -> tuple[Locator | None, str]:
    return parse_locator(_ESCAPED.sub(r"\1", supplement))


class _Citations:
    """Reads the citations of a draft into its mask."""

    def __init__(self, mask: Mask, labels: set[str], brackets: "_Brackets") -> None:
        self.mask = mask
        self.brackets = brackets
        self._labels = labels

    def reference(self, token: "re.Match[str]", at: int | None = None) -> int:
        """``@key[supplement]``; a reference to a label of the draft is not a citation. ``at`` is
        its position for the reader, by default the written one."""
        start, end, key = token.start(), token.end(), token["key"]
        supplement = ""
        if self.mask.text[end : end + 1] == "[":
            closing = self.brackets.closing(end)
            supplement, end = self.mask.text[end + 1 : closing], closing + 1
        self.mask.read.add(start)
        if key in self._labels:
            self.mask.inline(start, end)
            return end
        locator, suffix = _place(supplement)
        item = CitedItem(key=key, start=start, end=end, locator=locator, suffix=suffix)
        self._cite(item, at)
        return end

    def call(self, start: int, inner_start: int, at: int | None = None) -> int:
        """``#cite(<key>, supplement: [p. 12])``."""
        end = self.brackets.closing(inner_start - 1) + 1
        inner = self.mask.text[inner_start : end - 1]
        self.mask.read.add(inner_start)
        match = _CITED.match(inner)
        if match is None:
            self.mask.unread.append((start, "#cite"))
            self.mask.inline(start, end)
            return end
        supplement = _SUPPLEMENT.search(inner)
        locator, suffix = _place(
            (supplement["content"] or supplement["string"] or "") if supplement else ""
        )
        key = match["angle"] or match["quoted"]
        if key in self._labels:  # #ref of a figure
            self.mask.inline(start, end)
            return end
        item = CitedItem(key=key, start=start, end=end, locator=locator, suffix=suffix)
        self._cite(item, at, narrative=bool(_PROSE_FORM.search(inner)))
        return end

    def within(self, start: int, end: int, at: int | None = None) -> None:
        """Add the citations within a note or an attribution."""
        offset = start
        while found := _ANY_CITATION.search(self.mask.text, offset, end):
            offset = found.end()
            if found["reference"]:
                offset = self.reference(found, at)
            elif found["cite"]:
                offset = self.call(found.start(), found.end(), at)
            elif found["attribution"]:
                span = found.span("attribution")
                self.mask.read.add(span[0])
                self._cite(CitedItem(key=found["angle"], start=span[0], end=span[1]), at)

    def name_unread(self, end: int) -> None:
        """Names the citations that were not read: in headings, figures, tables and definitions."""
        for found in _ANY_CITATION.finditer(self.mask.text, 0, end):
            if found["reference"] and found["key"] not in self._labels:
                at, written = found.start(), f"@{found['key']}"
            elif found["cite"]:
                at, written = found.end(), "cite(…)"
            elif found["attribution"]:
                at, written = found.start("attribution"), found["attribution"]
            else:
                continue
            if at not in self.mask.read and self.mask.text[at - 1 : at] != '"':  # of a package
                self.mask.unread.append((at, written))

    def _cite(self, item: CitedItem, at: int | None, *, narrative: bool = False) -> None:
        start, end = (item.start, item.end) if at is None else (at, at)
        self.mask.cite(
            InTextCitation(start=start, end=end, items=(item,), narrative=narrative and at is None)
        )


def _code(reader: _Citations, token: "re.Match[str]") -> int:
    """A call or a statement, which is blanked; content behind its arguments is read."""
    mask, brackets = reader.mask, reader.brackets
    text, start, end, name = mask.text, token.start(), token.end(), token["name"]
    if name in _STATEMENTS:
        end = _statement_end(text, end, brackets)
        mask.blank(start, end)
        return end
    if name in ("if", "for", "while") and (condition := _CONDITION.match(text, end)):
        end = condition.end() + 1
        name = None
    if name is None:
        if text[end - 1] == "[":
            mask.inline(start, end)
            return end
        end = brackets.closing(end - 1) + 1
        mask.blank(start, end)
        return end
    arguments = end
    if text[end : end + 1] == "(":
        end = brackets.closing(end) + 1
    if text[end : end + 1] == "[" and name.rpartition(".")[2] not in _NO_PROSE:
        return _content(reader, token, arguments, end)
    contents = []
    while text[end : end + 1] == "[":
        closing = brackets.closing(end)
        contents.append((end, closing))
        end = closing + 1
    block = "\n" in text[start:end]
    mask.blank(start, end) if block else mask.spaces(start, end)
    if name == "footnote":
        for first, last in contents:
            reader.within(first, last)
    return end


def _content(reader: _Citations, token: "re.Match[str]", arguments: int, opening: int) -> int:
    """The content of a call, which is prose; a quotation has its source in the arguments."""
    mask, start = reader.mask, token.start()
    if token["name"] == "quote":
        closing = reader.brackets.closing(opening)
        mask.replace(start, opening + 1, "“")
        mask.replace(closing, closing + 1, "”")
        attribution = re.compile(r"\battribution:").search(mask.text, arguments, opening)
        if attribution:
            reader.within(attribution.start(), opening, at=closing + 1)
    elif token["name"] in _BLOCKS:
        mask.paragraph(start, opening + 1)
    else:
        mask.inline(start, opening + 1)
    return opening + 1


def _math(mask: Mask, token: "re.Match[str]") -> None:
    start, end = token.span()
    mask.literals.append((start, end))
    inner = token["math"][1:-1]
    if inner[:1].isspace() and inner[-1:].isspace():
        mask.spaces(start, end)
    else:
        mask.inline(start, start + 1)
        mask.inline(end - 1, end)


def _statement_end(text: str, at: int, brackets: "_Brackets") -> int:
    """The end of its line, or of the brackets that it opens."""
    while at < len(text) and text[at] != "\n":
        at = brackets.closing(at) + 1 if text[at] in _PAIRS else at + 1
    return at


class _Brackets:
    """Pairs of brackets in a text; each stretch of it is read once."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._closing: dict[int, int] = {}

    def closing(self, start: int) -> int:
        """The bracket that closes the one at ``start``; the last character if none does."""
        if start not in self._closing:
            self._read(start)
        return self._closing[start]

    def _read(self, start: int) -> None:
        text, at, quoted = self._text, start + 1, False
        stack = [(_PAIRS[text[start]], start)]
        while stack and at < len(text):
            char, closing = text[at], stack[-1][0]
            if char == "\\":
                at += 1
            elif char == '"' and closing != "]":
                quoted = not quoted
            elif not quoted and char == closing:
                self._closing[stack.pop()[1]] = at
            elif not quoted and char in _PAIRS and (closing != "]" or char == "["):
                stack.append((_PAIRS[char], at))
            at += 1
        for _, opened in stack:
            self._closing[opened] = len(text) - 1
