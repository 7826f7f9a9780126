"""Unfinished citations in a draft: their position and their insertion.

The paragraph around an offset of a draft, and whether that is in code. Parsing a whole draft takes
a second or two, so answers while a person types come from the paragraph.
"""

import re
from collections import Counter
from typing import Final, NamedTuple

from pydantic import Field

from citeloom.domain.citation.in_text import (
    CITING,
    IN_TEXT,
    NUMBERS_PAGES,
    InText,
    Mention,
    latex_note,
)
from citeloom.domain.citation.locators import is_one_page, is_plain, page_ranges
from citeloom.domain.citation.metadata import locator
from citeloom.domain.text.sentences import sentence_spans
from citeloom.domain.value import Value
from citeloom.domain.verification.drafts.draft import (
    CitedItem,
    Claim,
    Draft,
    InTextCitation,
    extract_claims,
)


class CitedAt(NamedTuple):
    """A cited work at an offset, its citation, and the claim that it supports (None if it stands
    alone)."""

    item: CitedItem
    citation: InTextCitation
    claim: Claim | None


class SentenceAt(NamedTuple):
    """``text`` is the plain sentence ``start`` to ``end`` of a draft."""

    text: str
    start: int
    end: int


def cited_at(draft: Draft, offset: int) -> CitedAt | None:
    """The cited work at ``offset``: the one whose key and locator it is in, else the last one
    before it in its citation (in LaTeX the notes stand before the keys)."""

    def covers(one: CitedItem | InTextCitation) -> bool:
        return one.start <= offset <= one.end

    citation = next(
        (one for one in draft.citations if covers(one) or any(map(covers, one.items))), None
    )
    if citation is None:
        return None
    inside = [one for one in citation.items if one.start <= offset <= one.end]
    before = [one for one in citation.items if one.start <= offset]
    item = (inside or before[-1:] or [citation.items[-1]])[0]
    claims = (one for one in extract_claims(draft) if item in one.cited)
    return CitedAt(item, citation, next(claims, None))


def sentence_at(draft: Draft, offset: int) -> SentenceAt | None:
    """The sentence around ``offset``, or the one before it if none is; None without any."""
    found = None
    for start, end in sentence_spans(draft.prose):
        if found is not None and start > offset:
            break
        if any(char.isalnum() for char in draft.prose[start:end]):
            found = (start, end)
    if found is None:
        return None
    return SentenceAt(draft.plain(*found), *found)


_BLANK_LINE: Final = re.compile(r"\r?\n[ \t]*\r?\n")
# Where a block of LaTeX begins or ends, or a heading does.
_LATEX_BLOCK: Final = re.compile(
    r"^[ \t]*(?:\\(?:begin|end)[ \t]*\{[^{}\n]*\}|"
    r"(?P<heading>\\(?:part|chapter|section|subsection|subsubsection|paragraph)\*?[ \t]*[\[{]))",
    re.MULTILINE,
)
_INDENT: Final = re.compile(r"[ \t]*")
_FENCE: Final = re.compile(r"^[ >]*(?P<fence>`{3,}|~{3,})(?P<info>[^\n]*)$", re.MULTILINE)
_FRONT_MATTER: Final = re.compile(
    r"\A---[ \t]*\r?\n.*?^(?:---|\.\.\.)[ \t]*\r?$", re.DOTALL | re.MULTILINE
)
_LITERAL: Final = re.compile(
    r"\\(?P<act>begin|end)\{(?P<name>verbatim|Verbatim|lstlisting|minted|comment|filecontents)\*?\}"
)
_RAW: Final = re.compile(r"`{3,}")
#: Characters on either side of the offset that are looked through.
_REACH: Final = 20_000


class DraftParagraph(NamedTuple):
    """``text`` is ``start`` to ``end`` of the draft."""

    text: str
    start: int
    end: int


def paragraph_at(text: str, offset: int, format: str) -> DraftParagraph:
    """The lines around ``offset`` up to the empty ones, without the indentation of the first; in
    LaTeX up to the beginning or end of a block, too."""
    start, end = max(0, offset - _REACH), min(len(text), offset + _REACH)
    for found in _BLANK_LINE.finditer(text, start, offset):
        start = found.end()
    if blank := _BLANK_LINE.search(text, max(start, offset - 1), end):
        end = max(offset, blank.start())
    if format == "latex":
        for found in _LATEX_BLOCK.finditer(text, start, end):
            if found.end() <= offset:
                start = found.start() if found["heading"] else found.end()
            elif found.start() >= offset:
                end = found.start()
                break
    elif indent := _INDENT.match(text, start, offset):
        start = indent.end()  # alone, a paragraph of a list would be code
    return DraftParagraph(text[start:end], start, end)


def in_code(text: str, offset: int, format: str) -> bool:
    """Whether ``offset`` is in a block that is not prose: code, or Markdown's front matter."""
    if format == "latex":
        literal = list(_LITERAL.finditer(text, 0, offset))
        return bool(literal) and literal[-1]["act"] == "begin"
    if format == "typst":
        return len(_RAW.findall(text, 0, offset)) % 2 == 1
    if (front := _FRONT_MATTER.match(text)) and offset <= front.end():
        return True
    fence = ""
    for match in _FENCE.finditer(text, 0, offset):
        if not fence:
            fence = match["fence"] if "`" not in match["info"] else ""
        elif match["fence"].startswith(fence) and not match["info"].strip():
            fence = ""
    return bool(fence)


_END_OF_SENTENCE: Final = re.compile(r"[.!?…。।]+\s*\Z")
_IN_BRACKETS: Final = re.compile(r"\\(autocite|parencite|citep|cite)\b")
_DEFAULT: Final = "autocite"


class Insertion(NamedTuple):
    """``text`` goes to ``at``."""

    at: int
    text: str


def citation_insertion(text: str, start: int, end: int, format: str, mention: Mention) -> Insertion:
    """The citation of a sentence or selection, ``start`` to ``end`` of a draft: before its
    closing full stop. In LaTeX with the command that the draft uses most."""
    chosen = text[start:end].rstrip()
    stop = _END_OF_SENTENCE.search(chosen)
    at = start + (stop.start() if stop else len(chosen))
    space = "~" if format == "latex" else " "
    apart = "" if text[at - 1 : at].isspace() else space
    return Insertion(at, apart + _cited(text, format, mention))


def page_text(format: str, command: str | None, mention: Mention, term: str = "") -> str:
    """The locator of a mention as typed after a key, with the present ``term`` if it fits the
    number of pages. Bare in a command that writes "p." itself."""
    labels = mention.labels
    if not labels:
        return latex_note(mention) if format == "latex" else mention.place or ""
    ranges = page_ranges(labels, dash="--") if format == "latex" else page_ranges(labels)
    is_plural = term.lower().startswith(("pp", "pages"))
    if term and is_plural != is_one_page(labels):
        space = "" if term[-1] in " ~\xa0" else "~" if format == "latex" else " "
        return term + space + ranges
    if format != "latex":
        return locator(labels) or ""
    if not term and (command in NUMBERS_PAGES or not is_plain(labels)):
        return latex_note(mention)
    return f"{'p.' if is_one_page(labels) else 'pp.'}~{ranges}"


def _cited(text: str, format: str, mention: Mention) -> str:
    if format == "latex":
        counts = Counter(match[1] for match in _IN_BRACKETS.finditer(text))
        command = counts.most_common(1)[0][0] if counts else _DEFAULT
        note = page_text(format, command, mention)
        return rf"\{command}{f'[{note}]' if note else ''}{{{mention.citekey}}}"
    return IN_TEXT[InText.TYPST if format == "typst" else InText.PANDOC]([mention])


# pandoc manual, "Citation syntax"; Typst reference, "label".
_PANDOC: Final = r"\w(?:\w|[:.#$%&\-+?<>~/](?=\w))*"
_TYPST: Final = r"\w(?:[\w\-]|[.:](?=\w))*"
_TERM: Final = r"(?P<term>(?:pp?\.?|pages?)[\s~\xa0]*)?"
_PAGE: Final = rf"{_TERM}(?P<label>\w{{0,12}})\Z"

_PANDOC_KEY: Final = re.compile(r"(?<![\w@\\.])(?P<mark>@\{?)(?P<key>[\w:.#$%&\-+?<>~/]*)\Z")
_TYPST_KEY: Final = re.compile(
    r"(?:(?<![\w\\])(?P<mark>@)(?P<key>[\w\-.:]*)|#cite\(\s*(?P<open><)(?P<angle>[^<>\s]*))\Z"
)
_LATEX_KEY: Final = re.compile(
    r"\\(?P<command>[A-Za-z]+)\*?(?:\s*(?:\[[^\[\]]*\]|\([^()]*\)|\{[^{}]*\}(?=[\[({])))*\s*"
    r"\{(?:[^{},]*,)*\s*(?P<key>[^{},\s]*)\Z"
)
_PANDOC_REST: Final = re.compile(r"(?:\w|[:.#$%&\-+?<>~/](?=\w))*")
_TYPST_REST: Final = re.compile(r"(?:[\w\-]|[.:](?=\w))*")
_LATEX_REST: Final = re.compile(r"[^{},\s\\]*")
_LABEL_REST: Final = re.compile(r"\w{0,12}")

_PANDOC_PAGE: Final = re.compile(
    rf"@(?:\{{(?P<braced>[^{{}}\s]+)\}}|(?P<bare>{_PANDOC}))(?P<gap>,\s*|\s*\[\s*)" + _PAGE
)
_TYPST_PAGE: Final = re.compile(
    rf"(?:(?<![\w\\])@(?P<bare>{_TYPST})\[\s*"
    r"|#cite\(\s*<(?P<angle>[^<>\s]+)>\s*,(?:[^()]*,)?\s*supplement:\s*\[\s*)" + _PAGE
)
_LATEX_PAGE: Final = re.compile(
    r"\\(?P<command>[A-Za-z]+)\*?(?:\s*(?:\[[^\[\]]*\]|\([^()]*\)|\{[^{}]*\}(?=[\[({])))*\s*\[\s*"
    + _PAGE
)
# What follows a note: its end and the keys. Another note would make it the prefix.
_LATEX_KEYS: Final = re.compile(r"[^\[\]{}\n]*\]\s*\{(?P<keys>[^{}]*)\}")


class TypedKey(Value):
    """A partly typed key, ``start`` to ``end`` of the text. ``mark`` is the position of its ``@``
    or ``<`` (else ``start``), ``typed`` the text up to the offset, ``command`` the LaTeX command.
    """

    mark: int = Field(ge=0)
    start: int = Field(ge=0)
    end: int = Field(ge=0)
    typed: str
    command: str | None = None


class TypedPage(Value):
    """An unfinished page after the key of a work: ``start`` to ``end`` of the text has ``term``
    (*p.*, or nothing) and the beginning of its label. ``cut`` to ``cut_end`` is the unfinished
    citation, which is not a part of the sentence."""

    key: str
    start: int = Field(ge=0)
    end: int = Field(ge=0)
    term: str
    label: str
    cut: int = Field(ge=0)
    cut_end: int = Field(ge=0)
    command: str | None = None


def unfinished_citation(text: str, offset: int, format: str) -> TypedKey | TypedPage | None:
    """What is being typed at ``offset`` of a paragraph; ``format`` is as in a draft."""
    before = text[:offset]
    if format == "latex":
        return _latex_page(text, before) or _latex_key(text, before)
    if format == "typst":
        return _typst_page(text, before) or _typst_key(text, before)
    return _pandoc_page(text, before) or _pandoc_key(text, before)


def _pandoc_key(text: str, before: str) -> TypedKey | None:
    found = _PANDOC_KEY.search(before)
    return found and _key(text, found, "key", found.start("mark"), _PANDOC_REST)


def _typst_key(text: str, before: str) -> TypedKey | None:
    found = _TYPST_KEY.search(before)
    if found is None:
        return None
    if found["mark"]:
        return _key(text, found, "key", found.start("mark"), _TYPST_REST)
    return _key(text, found, "angle", found.start("angle"), _TYPST_REST)


def _latex_key(text: str, before: str) -> TypedKey | None:
    found = _LATEX_KEY.search(before)
    if found is None or found["command"] not in CITING | {"nocite"}:
        return None
    typed = _key(text, found, "key", found.start("key"), _LATEX_REST)
    return typed.model_copy(update={"command": found["command"]})


def _key(
    text: str, found: "re.Match[str]", group: str, mark: int, following: "re.Pattern[str]"
) -> TypedKey:
    rest = following.match(text, found.end())
    return TypedKey(
        mark=mark,
        start=found.start(group),
        end=rest.end() if rest else found.end(),
        typed=found[group],
    )


def _pandoc_page(text: str, before: str) -> TypedPage | None:
    found = _PANDOC_PAGE.search(before)
    if found is None:
        return None
    narrative = "[" in found["gap"]
    opened = before.rfind("[", 0, found.start())
    within = opened >= 0 and "]" not in before[opened:]
    if not narrative and not within:
        return None  # a comma of the sentence
    closed = re.compile(r"[^\[\]\n]*\]").match(text, found.end())
    return _page(
        text,
        found,
        key=found["braced"] or found["bare"],
        cut=(found.start() if narrative else opened),
        cut_end=closed.end() if closed else _after_label(text, found),
    )


def _typst_page(text: str, before: str) -> TypedPage | None:
    found = _TYPST_PAGE.search(before)
    if found is None:
        return None
    closed = re.compile(r"[^\[\]\n]*\]\)?").match(text, found.end())
    end = closed.end() if closed else _after_label(text, found)
    return _page(text, found, key=found["bare"] or found["angle"], cut=found.start(), cut_end=end)


def _latex_page(text: str, before: str) -> TypedPage | None:
    found = _LATEX_PAGE.search(before)
    if found is None or found["command"] not in CITING:
        return None
    cited = _LATEX_KEYS.match(text, found.end())
    keys = [key.strip() for key in cited["keys"].split(",")] if cited else []
    if cited is None or not keys or not keys[-1]:
        return None
    page = _page(text, found, key=keys[-1], cut=found.start(), cut_end=cited.end())
    return page.model_copy(update={"command": found["command"]})


def _page(text: str, found: "re.Match[str]", *, key: str, cut: int, cut_end: int) -> TypedPage:
    return TypedPage(
        key=key,
        start=found.start("term") if found["term"] else found.start("label"),
        end=_after_label(text, found),
        term=found["term"] or "",
        label=found["label"],
        cut=cut,
        cut_end=cut_end,
    )


def _after_label(text: str, found: "re.Match[str]") -> int:
    rest = _LABEL_REST.match(text, found.end())
    return rest.end() if rest else found.end()
