"""Typst drafts: ``@key[p. 12]`` and ``#cite(<key>, supplement: [p. 12])``.

After the Typst reference, "Syntax" and "Cite". What is called with ``#`` is no prose, except
for content in brackets that is set in the line (``#emph[…]``, ``#quote[…]``).
"""

import re
from collections.abc import Iterator

from citeloom.domain.verification.drafts.bibliography_headings import is_bibliography
from citeloom.domain.verification.drafts.citation_locators import read_locator
from citeloom.domain.verification.drafts.draft import CitedItem, Draft, Inclusion, InTextCitation
from citeloom.infrastructure.verification.drafts.mask import Mask

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
    mask = Mask(text)
    own = {found["name"] for found in _LABEL.finditer(text)} - _cited_labels(text)
    at = 0
    listed: tuple[int, int] | None = None
    while token := _TOKEN.search(text, at):
        kind, start, at = token.lastgroup, token.start(), token.end()
        if token["heading"] is not None:
            level = len(token["level"])
            if listed and level <= listed[1]:
                mask.blank(listed[0], start)
                listed = None
            if not listed and is_bibliography(token["heading"].strip().lstrip("= ")):
                listed = (start, level)
            mask.blank(start, at)
        elif token["cite"]:
            at = _cite(mask, start, at)
        elif token["reference"] is not None:
            at = _reference(mask, token, own)
        elif token["code"]:
            at = _code(mask, token)
        elif token["math"] is not None:
            _math(mask, token)
        elif token["escape"]:
            escaped = token["escape"][1:]
            mask.replace(start, at, escaped) if not escaped[0].isspace() else mask.spaces(start, at)
        elif token["item"]:
            mask.paragraph(start + len(token["item"]) - len(token["item"].lstrip()), at)
        elif token["raw"]:
            mask.spaces(start, at) if "\n" not in token["raw"] else mask.blank(start, at)
        elif kind and mask.prose_at(start) != "”":  # the end of a quotation stays
            mask.inline(start, at)
    if listed:
        mask.blank(listed[0], len(text))
    return Draft(
        path=path,
        format="typst",
        text=text,
        prose=mask.prose,
        citations=mask.in_order(),
        inclusions=tuple(_inclusions(text)),
    )


def _inclusions(text: str) -> Iterator[Inclusion]:
    """Comments and code left out, as far as tokens tell."""
    for token in _TOKEN.finditer(text):
        if token["name"] == "include" and (named := _FILE.match(text, token.end())):
            yield Inclusion(name=named["name"], start=token.start())


def _cited_labels(text: str) -> set[str]:
    return {found[1] for found in re.finditer(r"#cite\(\s*<([^<>\s]+)>", text)}


def _reference(mask: Mask, token: "re.Match[str]", own: set[str]) -> int:
    """``@key[supplement]``; a reference to a label of the draft itself is no citation."""
    start, end, key = token.start(), token.end(), token["key"]
    supplement = ""
    if mask.text[end : end + 1] == "[":
        closing = _closing(mask.text, end)
        supplement, end = mask.text[end + 1 : closing], closing + 1
    if key in own:
        mask.inline(start, end)
        return end
    locator, suffix = read_locator(supplement)
    item = CitedItem(key=key, start=start, end=end, locator=locator, suffix=suffix)
    mask.cite(InTextCitation(start=start, end=end, items=(item,)))
    return end


def _cite(mask: Mask, start: int, after: int) -> int:
    end = _closing(mask.text, after - 1) + 1
    inner = mask.text[after : end - 1]
    found = _CITED.match(inner)
    if found is None:
        mask.inline(start, end)
        return end
    given = _SUPPLEMENT.search(inner)
    locator, suffix = read_locator((given["content"] or given["string"] or "") if given else "")
    key = found["angle"] or found["quoted"]
    item = CitedItem(key=key, start=start, end=end, locator=locator, suffix=suffix)
    narrative = bool(_PROSE_FORM.search(inner))
    mask.cite(InTextCitation(start=start, end=end, items=(item,), narrative=narrative))
    return end


def _code(mask: Mask, token: "re.Match[str]") -> int:
    """A call or a statement: left out. Content that is set in the line is read on."""
    text, start, end, name = mask.text, token.start(), token.end(), token["name"]
    if name in _STATEMENTS:
        end = _statement_end(text, end)
        mask.blank(start, end)
        return end
    if name is None:
        end = _closing(text, end - 1) + 1
        mask.blank(start, end)
        return end
    if text[end : end + 1] == "(":
        end = _closing(text, end) + 1
    if text[end : end + 1] == "[" and name in _IN_LINE:
        if name == "quote":
            closing = _closing(text, end)
            mask.replace(start, end + 1, "“")
            mask.replace(closing, closing + 1, "”")
        else:
            mask.inline(start, end + 1)
        return end + 1
    noted = []
    while text[end : end + 1] == "[":
        closing = _closing(text, end)
        noted.append((end, closing))
        end = closing + 1
    block = "\n" in text[start:end]
    mask.blank(start, end) if block else mask.spaces(start, end)
    if name == "footnote":
        for first, last in noted:
            for one in re.finditer(r"(?<!\w)@(?P<key>\w(?:[\w\-]|[.:](?=\w))*)", text[first:last]):
                at = first + one.start()
                item = CitedItem(key=one["key"], start=at, end=first + one.end())
                mask.cite(InTextCitation(start=at, end=item.end, items=(item,)))
    return end


def _math(mask: Mask, token: "re.Match[str]") -> None:
    start, end = token.span()
    inner = token["math"][1:-1]
    if inner[:1].isspace() and inner[-1:].isspace():
        mask.spaces(start, end)
    else:
        mask.inline(start, start + 1)
        mask.inline(end - 1, end)


def _statement_end(text: str, at: int) -> int:
    """The end of its line, or of the brackets that it opens."""
    while at < len(text) and text[at] != "\n":
        at = _closing(text, at) + 1 if text[at] in _PAIRS else at + 1
    return at


def _closing(text: str, start: int) -> int:
    """The bracket that closes the one at ``start``; the last character if none does."""
    stack, at, quoted = [_PAIRS[text[start]]], start + 1, False
    while at < len(text):
        char = text[at]
        if char == "\\":
            at += 1
        elif char == '"' and stack[-1] != "]":
            quoted = not quoted
        elif not quoted and char == stack[-1]:
            stack.pop()
            if not stack:
                return at
        elif not quoted and char in _PAIRS and (stack[-1] != "]" or char == "["):
            stack.append(_PAIRS[char])
        at += 1
    return len(text) - 1
