"""Typst drafts: ``@key[p. 12]`` and ``#cite(<key>, supplement: [p. 12])``.

After the Typst reference, "Syntax" and "Cite". Calls with ``#`` are not prose, except for content
in brackets that is set inline (``#emph[…]``, ``#quote[…]``).
"""

import re
from collections.abc import Iterator

from citeloom.domain.citation.locators import parse_locator
from citeloom.domain.verification.drafts.draft import (
    CitedItem,
    Draft,
    Inclusion,
    InTextCitation,
    is_bibliography,
)

from .mask import Mask, cite_typed

_TOKEN = re.compile(
    r"(?P<comment>(?<!:)//[^\n]*|/\*.*?(?:\*/|\Z))"
    r"|(?P<escape>\\(?:u\{[0-9a-fA-F]+\}|.))"
    r"|(?P<raw>(?P<ticks>`{3,}).*?(?:(?P=ticks)|\Z)|`[^`]*`)"
    r"|(?P<math>\$(?:\\.|[^$\\])*\$)"
    r"|(?P<heading>^[ \t]*(?P<level>=+)[ \t]+[^\n]*$)"
    r"|(?P<cite>#cite\()"
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
_SUPPLEMENT = re.compile(r"supplement:\s*(?:\[(?P<content>[^\]]*)\]|\"(?P<string>[^\"]*)\")")
_PROSE_FORM = re.compile(r"form:\s*\"(?:prose|author)\"")
_FILE = re.compile(r"\s+\"(?P<name>[^\"\n]+)\"")
_STATEMENTS = frozenset("set show let import include".split())
_IN_LINE = frozenset("emph strong quote text smallcaps highlight underline link sub super".split())
_PAIRS = {"(": ")", "[": "]", "{": "}"}


def parse_typst(path: str, text: str) -> Draft:
    mask, brackets = Mask(text), _Brackets(text)
    labels = {match["name"] for match in _LABEL.finditer(text)} - _cited_labels(text)
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
            offset = _cite(mask, start, offset, brackets)
        elif token["reference"] is not None:
            offset = _reference(mask, token, labels, brackets)
        elif token["code"]:
            offset = _code(mask, token, brackets)
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
    cite_typed(mask)
    return Draft(
        path=path,
        format="typst",
        text=text,
        prose=mask.prose,
        citations=mask.in_order(),
        works=mask.works,
        inclusions=tuple(_inclusions(text)),
    )


def _inclusions(text: str) -> Iterator[Inclusion]:
    """Included files outside of comments and code."""
    for token in _TOKEN.finditer(text):
        if token["name"] == "include" and (file := _FILE.match(text, token.end())):
            yield Inclusion(name=file["name"], start=token.start())


def _cited_labels(text: str) -> set[str]:
    return {match[1] for match in re.finditer(r"#cite\(\s*<([^<>\s]+)>", text)}


def _reference(mask: Mask, token: "re.Match[str]", labels: set[str], brackets: "_Brackets") -> int:
    """``@key[supplement]``; a reference to a label of the draft is not a citation."""
    start, end, key = token.start(), token.end(), token["key"]
    supplement = ""
    if mask.text[end : end + 1] == "[":
        closing = brackets.closing(end)
        supplement, end = mask.text[end + 1 : closing], closing + 1
    if key in labels:
        mask.inline(start, end)
        return end
    locator, suffix = parse_locator(supplement)
    item = CitedItem(key=key, start=start, end=end, locator=locator, suffix=suffix)
    mask.cite(InTextCitation(start=start, end=end, items=(item,)))
    return end


def _cite(mask: Mask, start: int, inner_start: int, brackets: "_Brackets") -> int:
    end = brackets.closing(inner_start - 1) + 1
    inner = mask.text[inner_start : end - 1]
    match = _CITED.match(inner)
    if match is None:
        mask.inline(start, end)
        return end
    supplement = _SUPPLEMENT.search(inner)
    locator, suffix = parse_locator(
        (supplement["content"] or supplement["string"] or "") if supplement else ""
    )
    key = match["angle"] or match["quoted"]
    item = CitedItem(key=key, start=start, end=end, locator=locator, suffix=suffix)
    narrative = bool(_PROSE_FORM.search(inner))
    mask.cite(InTextCitation(start=start, end=end, items=(item,), narrative=narrative))
    return end


def _code(mask: Mask, token: "re.Match[str]", brackets: "_Brackets") -> int:
    """A call or a statement, which is blanked; inline content is read."""
    text, start, end, name = mask.text, token.start(), token.end(), token["name"]
    if name in _STATEMENTS:
        end = _statement_end(text, end, brackets)
        mask.blank(start, end)
        return end
    if name is None:
        end = brackets.closing(end - 1) + 1
        mask.blank(start, end)
        return end
    if text[end : end + 1] == "(":
        end = brackets.closing(end) + 1
    if text[end : end + 1] == "[" and name in _IN_LINE:
        if name == "quote":
            closing = brackets.closing(end)
            mask.replace(start, end + 1, "“")
            mask.replace(closing, closing + 1, "”")
        else:
            mask.inline(start, end + 1)
        return end + 1
    contents = []
    while text[end : end + 1] == "[":
        closing = brackets.closing(end)
        contents.append((end, closing))
        end = closing + 1
    block = "\n" in text[start:end]
    mask.blank(start, end) if block else mask.spaces(start, end)
    if name == "footnote":
        for first, last in contents:
            for match in re.finditer(
                r"(?<!\w)@(?P<key>\w(?:[\w\-]|[.:](?=\w))*)", text[first:last]
            ):
                at = first + match.start()
                item = CitedItem(key=match["key"], start=at, end=first + match.end())
                mask.cite(InTextCitation(start=at, end=item.end, items=(item,)))
    return end


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
