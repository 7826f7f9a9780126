"""A draft: its text, which of it is prose, and where it cites what.

All offsets count characters of ``Draft.text`` from 0 and are half-open. Lines and columns
count from 1, columns in characters (code points).
"""

import re
from bisect import bisect_right
from functools import cached_property
from typing import Final, Self

from pydantic import Field, model_validator

from citeloom.domain.value import Value
from citeloom.domain.verification.drafts.citation_locators import Locator

JOINER: Final = "\u2060"
"""Stands in prose for a character of markup that parts no words: left out of plain text."""
PLACEHOLDER: Final = "\ufffc"
"""Stands in prose where a citation is part of the sentence, as its subject often."""

_LEFT_OUT = re.compile(f"[{JOINER}{PLACEHOLDER}]+")
_SPACE_BEFORE_STOP = re.compile(r"\s+(?=[.,;:!?…)\]”’»](?:\s|$|[”’»\"')\]]))")
_EMPTY_BRACKETS = re.compile(r"\(\s*[,;]?\s*\)|\[\s*\]")


class CitedItem(Value):
    """One work that a citation names. ``start`` to ``end`` is what names it in the draft."""

    key: str = Field(min_length=1)
    start: int = Field(ge=0)
    end: int = Field(ge=0)
    locator: Locator | None = None
    prefix: str = ""
    suffix: str = ""
    suppress_author: bool = False


class InTextCitation(Value):
    """Works cited in one place. ``narrative`` where it is part of the sentence ("Smith (2020)
    found") instead of standing in brackets or a note."""

    start: int = Field(ge=0)
    end: int = Field(ge=0)
    items: tuple[CitedItem, ...] = Field(min_length=1)
    narrative: bool = False


class Inclusion(Value):
    """Another file that belongs at ``start`` of the draft: ``name`` as it is written there."""

    name: str
    start: int = Field(ge=0)


class Position(Value):
    """Line and column of a character, both from 1."""

    line: int = Field(ge=1)
    column: int = Field(ge=1)


class Draft(Value):
    """``prose`` is as long as ``text``: what is no prose (markup, code, headings, tables,
    citations) is white space in it, ``JOINER`` or ``PLACEHOLDER``, and an empty line parts
    paragraphs. ``citations`` are in the order of the text. ``inclusions`` are the files that
    it names to be read in their places, ``parts`` those of them that were read, and what
    these include, each once, in order."""

    path: str
    format: str
    text: str
    prose: str
    citations: tuple[InTextCitation, ...] = ()
    inclusions: tuple[Inclusion, ...] = ()
    parts: "tuple[Draft, ...]" = ()
    warnings: tuple[str, ...] = ()

    @model_validator(mode="after")
    def _same_length(self) -> Self:
        if len(self.prose) != len(self.text):
            raise ValueError("the prose of a draft is as long as its text")
        return self

    def plain(self, start: int, end: int) -> str:
        """The prose between two offsets as a reader sees it, citations left out."""
        words = " ".join(_LEFT_OUT.sub("", self.prose[start:end]).split())
        words = _EMPTY_BRACKETS.sub("", words)
        return " ".join(_SPACE_BEFORE_STOP.sub("", words).split())

    def position(self, offset: int) -> Position:
        line = bisect_right(self._line_starts, offset)
        return Position(line=line, column=offset - self._line_starts[line - 1] + 1)

    @cached_property
    def _line_starts(self) -> list[int]:
        return [0, *(match.end() for match in re.finditer(r"\r\n|\n|\r", self.text))]
