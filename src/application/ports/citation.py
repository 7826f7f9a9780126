"""Ports of citation: reference files in and out, citation styles, retractions."""

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from datetime import date
from enum import StrEnum
from pathlib import Path
from typing import Protocol

from citeloom.domain.citation.metadata import CitationMeta
from citeloom.domain.references.retractions import Notice
from citeloom.domain.value import Value


class CitationMarkup(StrEnum):
    """How italics and the like are written; ``PLAIN`` leaves them out."""

    PLAIN = "plain"
    MARKDOWN = "markdown"
    HTML = "html"


class StyledCite(Value):
    """A work in a citation. ``pages`` are printed ones (``127-130, 135``, any way of writing
    a range); ``place`` are words that say where, if there are none."""

    citekey: str
    pages: str | None = None
    place: str | None = None


class StyledEntry(Value):
    """A work's entry in a bibliography."""

    citekey: str
    text: str


class CitationStyle(Protocol):
    """One style. Citation keys of ``works`` differ; of two with the same the first counts."""

    @property
    def title(self) -> str: ...

    def in_text(
        self,
        works: Sequence[CitationMeta],
        citations: Sequence[Sequence[StyledCite]],
        markup: CitationMarkup = CitationMarkup.PLAIN,
    ) -> tuple[str, ...]:
        """Each citation as the style writes it where ``works`` are all that is cited: what
        would look the same is told apart, numbers are those of the bibliography. Raises
        InvalidRequest for a key that none of ``works`` has."""

    def bibliography(
        self, works: Sequence[CitationMeta], markup: CitationMarkup = CitationMarkup.PLAIN
    ) -> tuple[StyledEntry, ...]:
        """The entries of ``works`` in the style's order; none in a style without any."""


class CitationStyles(Protocol):
    def names(self) -> Sequence[str]:
        """Those that need no file."""

    def style(self, name: str) -> CitationStyle:
        """A style by name, or from the ``.csl`` file at a path. Raises InvalidRequest."""


class ReferenceFormat(StrEnum):
    """``BIBTEX`` is for BibTeX's own styles, ``BIBLATEX`` has the fields of biblatex."""

    BIBTEX = "bibtex"
    BIBLATEX = "biblatex"
    CSL_JSON = "csl-json"
    RIS = "ris"


class ReferenceWriter(Protocol):
    def write(self, works: Sequence[CitationMeta], format: ReferenceFormat) -> str:
        """A file of ``works`` in their order, each under its citation key, with a line break
        at its end. CSL-JSON has the items that the works were read from, unchanged but for
        ``id``, which is the citation key, and ``keyword``, the tags of items without any."""


class Attachment(Value):
    """A file that an item names as its own (Better BibTeX's JSON export, ``file`` fields)."""

    path: str
    citekey: str


class ReferenceLibrary(Value):
    """The items of a reference file, and what could not be read of it.

    ``fingerprint`` is the sha256 of the file's content.
    """

    source: str
    fingerprint: str
    items: tuple[CitationMeta, ...]
    attachments: tuple[Attachment, ...] = ()
    warnings: tuple[str, ...] = ()


class ReferenceReader(Protocol):
    def read(self, path: Path) -> ReferenceLibrary:
        """Read a reference file. A bad item becomes a warning; raises ReferencesUnreadable
        (naming line and reason) if the file as a whole cannot be read."""


class RetractionList(Value):
    """What a list says of the works that were asked for. ``records`` are all that it has,
    ``newest`` is the date of the last notice among them, ``dated`` that of the file.
    ``warnings`` name the line of what could not be read."""

    source: str
    dated: date
    records: int
    newest: date | None = None
    notices: tuple[Notice, ...] = ()
    warnings: tuple[str, ...] = ()


class RetractionReader(Protocol):
    def find(self, path: Path, dois: AbstractSet[str]) -> RetractionList:
        """Look for these DOIs (bare, lower case) without holding the list in memory. Raises
        InvalidSource, with the line, for a file that cannot be read or is no such list."""
