"""Ports of citation: reference files in and out, citation styles, retractions."""

import re
from collections.abc import Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import date
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Protocol

from citeloom.domain.citation.metadata import CitationMeta
from citeloom.domain.citation.own import OwnChange, OwnMetadata
from citeloom.domain.projects.project import ProjectId
from citeloom.domain.references.work_versions import Notice
from citeloom.domain.value import Value

if TYPE_CHECKING:
    from citeloom.domain.references.lookup import FoundWork

#: The styles that come with the product.
STYLE_NAMES = ("apa", "chicago", "ieee", "nature", "vancouver")


class CitationMarkup(StrEnum):
    """Output markup of formatted text (italics, small capitals); ``PLAIN`` drops it."""

    PLAIN = "plain"
    MARKDOWN = "markdown"
    HTML = "html"


class StyledCite(Value):
    """One cited work of a citation. ``pages`` is a locator of printed pages (``127-130, 135``);
    ``place`` is a verbal locator, used where there are no pages."""

    citekey: str
    pages: str | None = None
    place: str | None = None


class StyledEntry(Value):
    """A work's entry in a bibliography."""

    citekey: str
    text: str


class CitationStyle(Protocol):
    """One citation style. Of several ``works`` with one citation key the first counts."""

    def in_text(
        self,
        works: Sequence[CitationMeta],
        citations: Sequence[Sequence[StyledCite]],
        markup: CitationMarkup = CitationMarkup.PLAIN,
    ) -> tuple[str, ...]:
        """The citations, formatted for a text that cites exactly ``works``: ambiguous ones are
        disambiguated, numbers refer to the bibliography. Raises InvalidRequest for a citation
        key that is not among ``works``."""

    def bibliography(
        self, works: Sequence[CitationMeta], markup: CitationMarkup = CitationMarkup.PLAIN
    ) -> tuple[StyledEntry, ...]:
        """The entries of ``works`` in the style's order; empty for a style without a
        bibliography."""


#: A built-in citation style by name, or the ``.csl`` file at a path. Raises InvalidRequest.
CitationStyles = Callable[[str], CitationStyle]


class ReferenceFormat(StrEnum):
    """File formats of reference managers; ``BIBTEX`` and ``BIBLATEX`` differ in their fields."""

    BIBTEX = "bibtex"
    BIBLATEX = "biblatex"
    CSL_JSON = "csl-json"
    RIS = "ris"


#: The text of a reference file: works in their order, each under its citation key, ending in a line
#: break. CSL-JSON repeats the items that the works were read from, except ``id`` (the citation key)
#: and ``keyword`` (the tags, for items without keywords).
ReferenceWriter = Callable[[Sequence[CitationMeta], ReferenceFormat], str]


class Attachment(Value):
    """A file attached to an item (Better BibTeX's JSON export, ``file`` fields)."""

    path: str
    citekey: str


class ReferenceLibrary(Value):
    """The items of a reference file; unreadable items become ``warnings``.

    ``fingerprint`` is the sha256 of the file's content.
    """

    source: str
    fingerprint: str
    items: tuple[CitationMeta, ...]
    attachments: tuple[Attachment, ...] = ()
    warnings: tuple[str, ...] = ()


class ReadItems(NamedTuple):
    """The items of a file: of a parser's own, or CSL-JSON and Zotero items as they stand there.
    ``collections`` are Better BibTeX's."""

    items: list[Any]
    collections: Any = None
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True)
class ReferenceFileFormat:
    """A format of reference files.

    ``names`` are what lists of formats call it, ``suffixes`` what its files end in, in lower case:
    so a file that is sent is taken for references, not for a paper. A file is of the format whose
    ``pattern`` matches first in its text. ``read`` raises ValueError with the reason if the file is
    damaged. What it gets is ``plain``: lines end in a line feed, and NULs are blanks. Files over
    ``max_mib`` MiB are refused.
    """

    names: tuple[str, ...]
    suffixes: tuple[str, ...]
    pattern: re.Pattern[str]
    read: Callable[[str], ReadItems]
    max_mib: int | None = None
    plain: bool = True


class ReferenceReader(Protocol):
    """Reads reference files."""

    @property
    def suffixes(self) -> frozenset[str]:
        """The suffixes of such files, in lower case (``.bib``)."""

    def read(self, path: Path) -> ReferenceLibrary:
        """Read a reference file. A bad item becomes a warning; raises ReferencesUnreadable
        (with line and reason) if the file as a whole cannot be read."""

    def item(self, item: Mapping[str, Any], citekey: str) -> CitationMeta:
        """A CSL-JSON item as metadata under ``citekey``."""


class OwnRecords(Protocol):
    """A person's own data about documents of projects, kept when documents leave a project."""

    def own(self, project_id: ProjectId, document_id: str) -> OwnMetadata | None:
        """None if the document has no such record."""

    def owned(self, project_id: ProjectId) -> Mapping[str, OwnMetadata]:
        """All of a project, by document id."""

    def put(self, project_id: ProjectId, change: OwnChange) -> None:
        """Record a change. Raises ProjectNotFound, StorageFailed."""

    def last(self, project_id: ProjectId) -> OwnChange | None:
        """The last change of the project that was not undone."""

    def undo(self, project_id: ProjectId) -> OwnChange | None:
        """Take back the last change: the undone edit, with the document's previous metadata. None
        if there is no change."""


#: OpenAlex's and Unpaywall's name of the version whose pages are those of the publication.
PUBLISHED: Final = "publishedVersion"


class OpenPdf(NamedTuple):
    """Address of a PDF; ``version`` is ``PUBLISHED``, another one, or empty where it is not
    known."""

    url: str
    version: str


class WorkLookup(Protocol):
    """Asks public services for bibliographic records. Methods raise LookupFailed, and StorageFailed
    where an answer cannot be kept."""

    def by_identifier(self, identifier: str) -> "FoundWork | None":
        """The record of a DOI, an arXiv id, ``pmid:`` or ``isbn:``; None for an unknown one."""

    @property
    def catalogues(self) -> Sequence[str]:
        """Names of the services that are searched by title, the one to ask first in front."""

    def by_title(self, catalogue: str, title: str, author: str) -> "Sequence[FoundWork]":
        """The records of one of ``catalogues`` most like a title and its first author's name, which
        may be empty; the likest first."""

    def open_pdfs(self, item: Mapping[str, Any]) -> Sequence[OpenPdf]:
        """Where open access has PDFs of a work, the best first."""


class Fetched(NamedTuple):
    """A file that was fetched, for as long as the block lasts: ``digest`` is the sha256 of its
    content (hex), ``suffix`` says what the content is."""

    path: Path
    digest: str
    suffix: str


class Downloads(Protocol):
    """Fetches PDFs and web pages, with bounds of size and time."""

    def fetch(
        self, url: str, folder: Path, *, typed: bool, pdf: bool = False
    ) -> AbstractContextManager[Fetched]:
        """A file in ``folder`` under a name that goes with the block. With ``pdf`` nothing else is
        taken. An address of this machine or its network is asked only if the user ``typed`` it.
        Raises LookupFailed, StorageFailed."""

    def keep(self, path: Path, name: str) -> Path:
        """Move a file to ``name`` in its folder, or to the first free ``name 2``, …; nothing is
        overwritten. Raises StorageFailed."""


class RetractionList(Value):
    """The notices of a retraction list for a set of works. ``records`` counts all records of
    the list, ``newest`` is the date of its latest notice, ``dated`` that of the file.
    ``warnings`` name the lines that could not be read."""

    source: str
    dated: date
    records: int
    newest: date | None = None
    notices: tuple[Notice, ...] = ()
    warnings: tuple[str, ...] = ()


#: Streams the list at a path for these DOIs (bare, lower case). Raises InvalidSource, with the
#: line, for a file that cannot be read or is not a retraction list.
RetractionReader = Callable[[Path, AbstractSet[str]], RetractionList]
