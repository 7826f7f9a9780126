"""Port: files that a review is handed over in."""

from collections.abc import Mapping
from enum import StrEnum
from typing import Protocol
from uuid import UUID

from pydantic import Field

from citeloom.application.ports.citation_style import StyledEntry
from citeloom.application.ports.record import Recorded
from citeloom.domain.citation import CitationMeta
from citeloom.domain.research.events import ResearchEvent
from citeloom.domain.research.searches import SearchRecord
from citeloom.domain.values import Value


class ReviewFormat(StrEnum):
    """The report for people (``MARKDOWN``, ``DOCX``), its evidence as a table (``CSV``), and how
    it was searched (``PRISMA``, Markdown)."""

    MARKDOWN = "markdown"
    DOCX = "docx"
    CSV = "csv"
    PRISMA = "prisma"


class Review(Value):
    """A review as it is handed over: its record, and what the project knows of what it cites.

    ``report`` is Markdown. ``works`` are by document id, ``links`` (what a browser, a word
    processor or Zotero opens) by the id of the evidence. ``written_out`` has the citations of the
    evidence as a citation style writes them, where one is wanted. ``bibliography`` lists what the
    report cites, where the report does not do so itself.
    """

    recorded: Recorded
    events: tuple[ResearchEvent, ...] = ()
    search: SearchRecord
    report: str
    works: Mapping[str, CitationMeta] = Field(default_factory=dict)
    links: Mapping[UUID, str] = Field(default_factory=dict)
    written_out: Mapping[str, str] = Field(default_factory=dict)
    bibliography: tuple[StyledEntry, ...] = ()
    warnings: tuple[str, ...] = ()


class ReviewWriter(Protocol):
    def write(self, review: Review, format: ReviewFormat) -> bytes:
        """The content of a file: the same review gives the same bytes. Characters that no
        program can show (control characters) become U+FFFD."""
