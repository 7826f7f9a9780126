"""Arguments of LaTeX's citation commands: notes, keys, volumes, and the unread rest."""

import re
from collections.abc import Iterator, Sequence

from citeloom.domain.citation.in_text import NOT_CITING, SEVERAL, VOLUMES
from citeloom.domain.citation.locators import parse_locator
from citeloom.domain.verification.drafts.draft import CitedItem

from .mask import Mask

# Notes of citations end with the paragraph (TeX: "Paragraph ended before …").
_LONGEST_NOTE = 2000
_PARAGRAPH = re.compile(r"\n[ \t\r]*\n")
_COMMENT = re.compile(r"(?<!\\)%[^\n]*")
_BRACKET = re.compile(r"\\.|[\[\](){}]", re.DOTALL)
# TeX skips spaces, comments and one line break before an argument.
_GAP = re.compile(r"[ \t]*")
_GAP_OF_LINES = re.compile(r"(?:[ \t\r]|%[^\n]*\n|\n(?![ \t\r]*\n))*")
# The prenote of apacite: \cite<see>{key}.
_ANGLE = re.compile(r"<(?P<note>[^<>{}\n]{0,300})>(?=[ \t]*[\[{])")
# Numbers alone that biblatex prints as pages.
_ROMAN = re.compile(
    r"[ivxl][ivxlcdm]*(?:\s*(?:-{1,3}|\u2013|,)\s*[ivxl][ivxlcdm]*)*", re.IGNORECASE
)
_KEY = re.compile(r"[^\s\\{}\[\]#$%&~^\"<>|]+")
_COMMAND = re.compile(
    r"(?P<comment>(?<!\\)%[^\n]*)|\\verb\*?(?P<mark>[^\w\s])[^\n]*?(?P=mark)"
    r"|\\(?P<name>[A-Za-z]*(?:cite|cquote|bibentry)[A-Za-z]*)\*?"
    r"(?:[ \t]*(?:\[[^\[\]\n]{0,300}\]|<[^<>\n]{0,300}>|\([^()\n]{0,300}\)))*"
    r"[ \t]*\{(?P<keys>[^{}#\\]{1,300})\}",
    re.IGNORECASE,
)


# A command of the draft's own that cites.
_OWN = re.compile(
    r"\\(?:(?:re)?newcommand|providecommand|DeclareRobustCommand)\*?\s*\{?\\([A-Za-z]+)\}?\s*"
    r"(?:\[\d\])?(?:\[[^\]\n]*\])?\s*\{[^\n]{0,300}?\\[A-Za-z]*cite"
)


def arguments_of(
    text: str, at: int, *, round_too: bool = False, lines: bool = False
) -> list[tuple[int, int]]:
    """Spans between the brackets of each argument of a command that ends at ``at``. ``lines``:
    a line may end between them."""
    spans: list[tuple[int, int]] = []
    closing = {"[": "]", "{": "}"} | ({"(": ")"} if round_too else {})
    gap = _GAP_OF_LINES if lines else _GAP
    if text[at : at + 1] == "*":
        at += 1
    while True:
        skipped = gap.match(text, at)
        start = skipped.end() if skipped else at
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
    if text.find(closing, start, limit) < 0:
        return None
    for found in _BRACKET.finditer(text, start, limit):
        char = found[0]
        if opening != "{":
            braces += (char == "{") - (char == "}")
        if char == opening and (opening == "{" or not braces):
            depth += 1
        elif char == closing and (opening == "{" or not braces):
            depth -= 1
            if not depth:
                return found.start()
    return None


def cited_items(text: str, name: str, after: int) -> tuple[list[CitedItem], int]:
    """The items of the command ``name`` that ends at ``after``, and the end of its arguments; the
    commands for several keys take notes for each of them."""
    items: list[CitedItem] = []
    notes: list[str] = []
    volume: str | None = None
    angle = _ANGLE.match(text, after + (text[after : after + 1] == "*"))
    prefix, end = (angle["note"], angle.end()) if angle else ("", after)
    languages = name.startswith(("foreign", "hyphen", "hybrid"))
    arguments = arguments_of(text, end, round_too=name in SEVERAL, lines=True)
    for first, last in arguments:
        if text[first - 1] == "[":
            notes.append(text[first:last])
        elif text[first - 1] == "{" and languages:
            languages = False
        elif text[first - 1] == "{" and name in VOLUMES and volume is None:
            volume = text[first:last].strip()
            notes = [*notes, ""] if notes else notes
        elif text[first - 1] == "{":
            if volume is not None and len(notes) > 1:  # the note before the volume, the pages
                notes = [notes[0], notes[-1]]
            found = _items(text[first:last], first, notes, prefix)
            if not found:
                break
            items += found
            notes, end, prefix, volume = [], last + 1, "", None
            if name not in SEVERAL:
                break
    return items, end


def _items(keys: str, start: int, notes: Sequence[str], angle: str) -> list[CitedItem]:
    """One note follows the keys, two surround them; the locator belongs to the last key. None if a
    key is invalid."""
    prefix, after = (angle, notes[0]) if len(notes) == 1 else (*notes, "", "")[:2]
    after = _COMMENT.sub("", after).replace("~", " ").strip()
    if after.startswith("{") and after.endswith("}"):
        after = after[1:-1]
    locator, suffix = parse_locator(f"p. {after}" if _ROMAN.fullmatch(after) else after)
    if locator and suffix == "" and _ROMAN.fullmatch(after):
        locator = locator.model_copy(update={"text": after})
    items: list[CitedItem] = []
    written = _COMMENT.sub(lambda comment: " " * len(comment[0]), keys)
    at = start
    pieces = written.split(",")
    nonempty = [key.strip() for key in pieces if key.strip()]
    if not all(map(_KEY.fullmatch, nonempty)):
        return []
    for key in pieces:
        if key.strip():
            key_start = at + len(key) - len(key.lstrip())
            is_last = len(items) + 1 == len(nonempty)
            items.append(
                CitedItem(
                    key=key.strip(),
                    start=key_start,
                    end=key_start + len(key.strip()),
                    locator=locator if is_last else None,
                    prefix="" if items else (prefix or angle).strip(),
                    suffix=suffix if is_last else "",
                )
            )
        at += len(key) + 1
    return items


def is_named_like_citing(name: str) -> bool:
    """Whether a command may cite, by its name: ``\\mycite``, ``\\bookcquote``."""
    lowered = name.lower()
    return "cite" in lowered or "cquote" in lowered or lowered == "bibentry"


def unread_commands(text: str, mask: Mask) -> Iterator[tuple[int, str]]:
    """Offset and name of the commands that may cite and were not read: in captions, tables,
    headings, definitions and notes of other citations, and the draft's own commands for them.
    ``text`` is without verbatim environments and reference list."""
    end = text.find("\\end{document}")
    end = end if end >= 0 else len(text)
    names = {own[1] for own in _OWN.finditer(text) if not is_named_like_citing(own[1])}
    for own in re.finditer(rf"\\({'|'.join(names) or '(?!)'})(?=\s*[\[{{])", text):
        yield own.start(), own[0]
    at = 0
    while (found := _COMMAND.search(text, at, end)) is not None:
        name = found["name"]
        at = found.end() if name is None else found.end("name")
        if name is None or name in NOT_CITING or found.start() in mask.read:
            continue
        if all(_KEY.fullmatch(key.strip()) for key in found["keys"].split(",") if key.strip()):
            yield found.start(), f"\\{name}"
