"""A draft: text, prose mask and in-text citations.

All offsets count characters of ``Draft.text`` from 0 and are half-open. Lines and columns
count from 1, columns in characters (code points).
"""

import re
from bisect import bisect_right
from collections.abc import Mapping
from functools import cached_property
from typing import Final, Self

from pydantic import Field, model_validator

from citeloom.domain.citation.citation_locators import Locator
from citeloom.domain.references.named_work import NamedWork
from citeloom.domain.value import Value

JOINER: Final = "\u2060"
"""In prose, a character of markup within a word; not in plain text."""
PLACEHOLDER: Final = "\ufffc"
"""In prose, a citation that is part of the sentence, often its subject."""

_PLACEHOLDERS = re.compile(f"[{JOINER}{PLACEHOLDER}]+")
_SPACE_BEFORE_STOP = re.compile(r"\s+(?=[.,;:!?…)\]”’»](?:\s|$|[”’»\"')\]]))")
_EMPTY_BRACKETS = re.compile(r"\(\s*[,;]?\s*\)|\[\s*\]")


class CitedItem(Value):
    """One work of a citation; ``start`` to ``end`` are the offsets of its key in the draft.

    ``written`` is what the draft has where that is no citation key (``Boeing, 2018``, ``[12]``);
    ``key`` is then the citation key, or the same text if no work or several fit: ``unresolved``
    says so, ``candidates`` are the keys of works that fit or come close.
    """

    key: str = Field(min_length=1)
    written: str | None = None
    unresolved: str | None = None
    candidates: tuple[str, ...] = ()
    start: int = Field(ge=0)
    end: int = Field(ge=0)
    locator: Locator | None = None
    prefix: str = ""
    suffix: str = ""
    suppress_author: bool = False


class InTextCitation(Value):
    """Works cited in one place. ``narrative``: part of the sentence ("Smith (2020) found"), not in
    brackets or a note."""

    start: int = Field(ge=0)
    end: int = Field(ge=0)
    items: tuple[CitedItem, ...] = Field(min_length=1)
    narrative: bool = False


class Inclusion(Value):
    """A file included at offset ``start``; ``name`` as written in the draft."""

    name: str
    start: int = Field(ge=0)


class Position(Value):
    """Line and column of a character, both from 1."""

    line: int = Field(ge=1)
    column: int = Field(ge=1)


class Draft(Value):
    """``prose`` is as long as ``text``: markup, code, headings, tables and citations are white
    space in it, ``JOINER`` or ``PLACEHOLDER``; empty lines separate paragraphs. ``citations``
    are in text order; ``works`` are those that they name without a citation key, by the keys of
    the items. ``inclusions`` are the files named in the draft, ``parts`` those that were read,
    recursively, each once, in order."""

    path: str
    format: str
    text: str
    prose: str
    citations: tuple[InTextCitation, ...] = ()
    works: Mapping[str, NamedWork] = Field(default_factory=dict)
    inclusions: tuple[Inclusion, ...] = ()
    parts: "tuple[Draft, ...]" = ()
    warnings: tuple[str, ...] = ()

    @model_validator(mode="after")
    def _same_length(self) -> Self:
        if len(self.prose) != len(self.text):
            raise ValueError("the prose of a draft is as long as its text")
        return self

    def plain(self, start: int, end: int) -> str:
        """The prose between two offsets without citations, white space normalised."""
        words = " ".join(_PLACEHOLDERS.sub("", self.prose[start:end]).split())
        words = _EMPTY_BRACKETS.sub("", words)
        return " ".join(_SPACE_BEFORE_STOP.sub("", words).split())

    def position(self, offset: int) -> Position:
        line = bisect_right(self._line_starts, offset)
        return Position(line=line, column=offset - self._line_starts[line - 1] + 1)

    @cached_property
    def _line_starts(self) -> list[int]:
        return [0, *(match.end() for match in re.finditer(r"\r\n|\n|\r", self.text))]
