r"""What LaTeX's commands take, and where their arguments end."""

import re
from collections.abc import Sequence

from citeloom.domain.verification.drafts.citation_locators import read_locator
from citeloom.domain.verification.drafts.draft import CitedItem

# Environments whose content LaTeX does not read as such.
_LITERAL = re.compile(
    r"^(?P<before>(?:[^%\\\n]|\\[^\n])*?)\\begin\{"
    r"(?P<name>verbatim|Verbatim|lstlisting|minted|comment|filecontents)(?P<star>\*?)\}.*?(?:\\end\{(?P=name)(?P=star)\}|\Z)",
    re.DOTALL | re.MULTILINE,
)
# Addresses, in which a per cent sign begins no comment.
_ADDRESS = re.compile(r"\\(?:href|url|nolinkurl|path)\s*\{[^{}\n]*\}")
_NOT_BREAK = re.compile(r"[^\r\n]")
# No note of a citation goes on in the next paragraph (TeX: "Paragraph ended before …").
_LONGEST_NOTE = 5000
_PARAGRAPH = re.compile(r"\n[ \t\r]*\n")


def without_literal(text: str) -> str:
    """``text``, as long as before, without what LaTeX does not read as such: code listings are
    blanked, their braces and dollars open nothing; addresses have no per cent signs."""

    def blanked(found: re.Match[str]) -> str:
        kept = len(found["before"])
        return found[0][:kept] + _NOT_BREAK.sub(" ", found[0][kept:])

    plain = _ADDRESS.sub(lambda found: found[0].replace("%", "_"), text)
    return _LITERAL.sub(blanked, plain)


def arguments_of(text: str, at: int, *, round_too: bool = False) -> list[tuple[int, int]]:
    """Between the brackets of each argument of a command that ends at ``at``."""
    found: list[tuple[int, int]] = []
    closing = {"[": "]", "{": "}"} | ({"(": ")"} if round_too else {})
    if text[at : at + 1] == "*":
        at += 1
    while True:
        start = at
        while start < len(text) and text[start] in " \t":
            start += 1
        opening = text[start : start + 1]
        if opening not in closing or not opening:
            return found
        end = _closed(text, start, opening, closing[opening])
        if end is None:
            return found
        found.append((start + 1, end))
        at = end + 1


def _closed(text: str, start: int, opening: str, closing: str) -> int | None:
    """Where the bracket that opens at ``start`` is closed; braces inside protect."""
    depth = braces = 0
    last = len(text)
    if opening != "{":
        last = min(last, start + _LONGEST_NOTE)
        if paragraph := _PARAGRAPH.search(text, start, last):
            last = paragraph.start()
    for at in range(start, last):
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
    """One note stands after the keys, two around them; the locator is that of the last key."""
    prefix, after = ("", notes[0]) if len(notes) == 1 else (*notes, "", "")[:2]
    locator, suffix = read_locator(after)
    items: list[CitedItem] = []
    at = start
    named = [key for key in keys.split(",") if key.strip()]
    for key in keys.split(","):
        if key.strip():
            first = at + len(key) - len(key.lstrip())
            last = len(items) + 1 == len(named)
            items.append(
                CitedItem(
                    key=key.strip(),
                    start=first,
                    end=first + len(key.strip()),
                    locator=locator if last else None,
                    prefix="" if items else prefix.strip(),
                    suffix=suffix if last else "",
                )
            )
        at += len(key) + 1
    return items
