"""The citation that is being typed at an offset: its key, or its page."""

import re
from typing import Final

from pydantic import Field

from citeloom.domain.citation.latex_commands import CITING
from citeloom.domain.value import Value

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
    """A key being typed, ``start`` to ``end`` of the text; ``mark`` is where its ``@`` or ``<``
    begins (``start`` where there is none), ``typed`` what is there up to the offset. ``command``
    is that of LaTeX."""

    mark: int = Field(ge=0)
    start: int = Field(ge=0)
    end: int = Field(ge=0)
    typed: str
    command: str | None = None


class TypedPage(Value):
    """A page being typed after the key of a work: ``start`` to ``end`` of the text has ``term``
    (*p.*, or nothing) and what there is of its label. ``cut`` to ``cut_end`` is the citation as
    far as it is typed, which is no part of the sentence."""

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
