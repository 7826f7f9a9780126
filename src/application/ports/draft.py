"""Port: drafts as they lie on disk, or are handed over as text."""

from enum import StrEnum
from pathlib import Path
from typing import Protocol

from citeloom.domain.drafts.draft import Draft
from citeloom.domain.values import Value


class Markup(StrEnum):
    """What drafts that are text are written in; ``PLAIN`` has citations in pandoc's form."""

    MARKDOWN = "markdown"
    LATEX = "latex"
    TYPST = "typst"
    PLAIN = "plain"


class DraftText(Value):
    """A draft that is in no file. ``name`` is what it is called in place of a path."""

    text: str
    markup: Markup = Markup.MARKDOWN
    name: str = "text"


class DraftReader(Protocol):
    """Reads drafts of the formats that authors write in."""

    def read(self, path: Path) -> Draft:
        """Raises InvalidSource for a file that is missing, unreadable, damaged, or not text
        where text is expected, and UnsupportedFormat, naming the formats there are."""

    def parse(self, draft: DraftText) -> Draft: ...
