r"""Arguments of LaTeX commands."""

import re
from collections.abc import Sequence

from citeloom.domain.citation.citation_locators import parse_locator
from citeloom.domain.verification.drafts.draft import CitedItem

# Environments with verbatim content.
_LITERAL = re.compile(
    r"^(?P<before>(?:[^%\\\n]|\\[^\n])*?)\\begin\{"
    r"(?P<name>verbatim|Verbatim|lstlisting|minted|comment|filecontents)(?P<star>\*?)\}.*?(?:\\end\{(?P=name)(?P=star)\}|\Z)",
    re.DOTALL | re.MULTILINE,
)
# URLs, in which a per cent sign begins no comment.
_ADDRESS = re.compile(r"\\(?:href|url|nolinkurl|path)\s*\{[^{}\n]*\}")
_NOT_BREAK = re.compile(r"[^\r\n]")
# Notes of citations end with the paragraph (TeX: "Paragraph ended before …").
_LONGEST_NOTE = 5000
_PARAGRAPH = re.compile(r"\n[ \t\r]*\n")


def without_literal(text: str) -> str:
    """``text`` at the same length, with verbatim environments blanked, so that their braces and
    dollars open nothing, and per cent signs in URLs replaced."""

    def blanked(match: re.Match[str]) -> str:
        prefix_length = len(match["before"])
        return match[0][:prefix_length] + _NOT_BREAK.sub(" ", match[0][prefix_length:])

    without_percent = _ADDRESS.sub(lambda match: match[0].replace("%", "_"), text)
    return _LITERAL.sub(blanked, without_percent)


def arguments_of(text: str, at: int, *, round_too: bool = False) -> list[tuple[int, int]]:
    """Spans between the brackets of each argument of a command that ends at ``at``."""
    spans: list[tuple[int, int]] = []
    closing = {"[": "]", "{": "}"} | ({"(": ")"} if round_too else {})
    if text[at : at + 1] == "*":
        at += 1
    while True:
        start = at
        while start < len(text) and text[start] in " \t":
            start += 1
        opening = text[start : start + 1]
        if opening not in closing or not opening:
            return spans
        end = _closing_bracket(text, start, opening, closing[opening])
        if end is None:
            return spans
        spans.append((start + 1, end))
        at = end + 1


def _closing_bracket(text: str, start: int, opening: str, closing: str) -> int | None:
    """Position of the bracket that closes the one at ``start``; braces inside protect."""
    depth = braces = 0
    limit = len(text)
    if opening != "{":
        limit = min(limit, start + _LONGEST_NOTE)
        if paragraph := _PARAGRAPH.search(text, start, limit):
            limit = paragraph.start()
    for at in range(start, limit):
        char = text[at]
        if text[at - 1 : at] == "\\" and at > start:
            continue
        if opening != "{":
            braces += (char == "{") - (char == "}")
        if char == opening and (opening == "{" or not braces):
            depth += 1
        elif char == closing and (opening == "{" or not braces):
            depth -= 1
            if not depth:
                return at
    return None


def cited_items(keys: str, start: int, notes: Sequence[str]) -> list[CitedItem]:
    """One note follows the keys, two surround them; the locator belongs to the last key."""
    prefix, after = ("", notes[0]) if len(notes) == 1 else (*notes, "", "")[:2]
    locator, suffix = parse_locator(after)
    items: list[CitedItem] = []
    at = start
    nonempty_keys = [key for key in keys.split(",") if key.strip()]
    for key in keys.split(","):
        if key.strip():
            key_start = at + len(key) - len(key.lstrip())
            is_last = len(items) + 1 == len(nonempty_keys)
            items.append(
                CitedItem(
                    key=key.strip(),
                    start=key_start,
                    end=key_start + len(key.strip()),
                    locator=locator if is_last else None,
                    prefix="" if items else prefix.strip(),
                    suffix=suffix if is_last else "",
                )
            )
        at += len(key) + 1
    return items
