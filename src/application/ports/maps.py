"""Ports of resource maps: mappers, page rendering, OCR of pictures, evidence files."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Protocol

from pydantic import Field

from citeloom.domain.documents.spans import BBox, Region
from citeloom.domain.maps.address import short_id
from citeloom.domain.maps.evidence import PageCharacter
from citeloom.domain.maps.resource_map import Location, ResourceMap
from citeloom.domain.projects.project import ProjectId
from citeloom.domain.resources.metadata import ResourceLabel
from citeloom.domain.search.hits import ShownHits
from citeloom.domain.value import Value


class Bookmark(Value):
    """An entry of an outline: a title and the page of the source (from 1) that it leads to."""

    title: str
    page: int = Field(ge=1)
    children: tuple["Bookmark", ...] = ()


class PageText(Value):
    """The text of a page, slide or sheet (from 1)."""

    page: int = Field(ge=1)
    text: str


class CutRequest(Value):
    """A request to cut evidence out of a file; it determines the result to the byte.

    ``source_hash`` is the sha256 of the file's content (hex). ``exact`` cuts recordings at
    frames instead of packets. ``highlights`` are boxes in points from the top left of the page
    as displayed. ``texts`` are the pages of documents whose pages cannot be copied, ``labels``
    those of the pages of a PDF, in their order (empty: as the file declares), ``text`` is a
    section of a document without pages. ``open_at`` asks for all of a PDF, as it is, which opens at
    this page.
    """

    source_hash: str = Field(min_length=1)
    location: Location
    title: str
    exact: bool = False
    bookmarks: tuple[Bookmark, ...] = ()
    highlights: tuple[Region, ...] = ()
    texts: tuple[PageText, ...] = ()
    labels: tuple[str, ...] = ()
    text: str | None = None
    open_at: int | None = Field(default=None, ge=1)


@dataclass(frozen=True, slots=True)
class Cutter:
    """Cuts evidence of one modality out of files; equal requests give equal bytes. ``version`` is
    that of the output: files of other versions are not reused. ``suffix`` gives the suffix of the
    output file, with the dot, and opens nothing.

    ``write`` writes the evidence of a source, with its password, to a path that does not exist
    yet; it returns warnings, such as pages beyond the end of the file. It raises InvalidRequest for
    a location that is empty or outside the file, PasswordNeeded, UnsupportedFormat,
    ConversionFailed for a damaged file, ProgramUnavailable, OperationTimeout, OSError.
    """

    version: str
    suffix: Callable[[Path, CutRequest], str]
    write: Callable[[Path, CutRequest, str | None, Path], Sequence[str]]


class EvidenceFile(Value):
    """A stored evidence file, with the warnings of its making."""

    path: Path
    warnings: tuple[str, ...] = ()


class EvidenceStore(Protocol):
    """Evidence files by name, each made once and atomically."""

    def keep(self, name: str, make: Callable[[Path], Sequence[str]]) -> EvidenceFile:
        """The file ``name``. If it is missing, ``make`` writes it to the given path and returns
        warnings, which are stored with it. Concurrent requests for one name get the same file.
        Raises StorageFailed and the errors of ``make``; ValueError for a name with folders."""

    def find(self, name: str) -> EvidenceFile | None:
        """The file ``name``; None if there is none, also for a name with folders. Raises
        StorageFailed."""


class ShownHitStore(Protocol):
    """The hits that were shown last, for one workspace."""

    def save(self, shown: ShownHits) -> None:
        """Replaces those before, whole or not at all. Raises StorageFailed."""

    def load(self) -> ShownHits | None:
        """None if there are none. Raises StorageFailed if they cannot be read."""


class SourceFile(Value):
    """A file to map: absolute path, sha256 of its content (hex), size in bytes, password."""

    path: Path
    sha256: str
    size: int
    password: str | None = None

    @property
    def resource_id(self) -> str:
        return short_id(self.sha256)


#: Converts the output of another tool, a file, to a map made at this time. Raises InvalidRequest
#: for a file that is not a map, OSError.
MapAdapter = Callable[[SourceFile, datetime], ResourceMap]


class Mapper(Protocol):
    """Maps files of some kinds.

    A map has the file's ``resource_id``, absolute ``source_path``, and in ``metadata``
    ``source_hash``, ``source_size`` and ``mapper``, the fingerprint; a ``note`` there names
    what is missing for a better map. Node ids are unique.
    """

    def supports(self, path: Path) -> bool:
        """Whether the file name has a supported suffix; nothing is read."""

    def fingerprint(self, path: Path, /) -> str:
        """Name, version and available programs by which ``path`` would be mapped now; a map
        with another fingerprint is out of date."""

    def map(self, source: SourceFile, created_at: datetime) -> ResourceMap:
        """Raises ConversionFailed if content and suffix disagree, PasswordNeeded,
        ConversionTimeout, Unavailable if a program or library is missing, OSError."""


class PageMark(Value):
    """A box to draw over a page, in points from the top left.

    ``kind`` chooses the colour: a block label, ``figure``, ``furniture`` or ``passage``, which is
    marked as with a pen, without ``caption``. Marks with an ``order`` are joined by arrows, in the
    order of the sequence.
    """

    kind: str
    caption: str
    bbox: BBox
    order: int | None = None


class PictureLimit(Value):
    """The most that a picture may have: pixels of its longer side, bytes of its file. ``dpi``: how
    many pixels an inch of the page has; without it 144."""

    longest_side: int = Field(ge=1)
    bytes: int = Field(ge=1)
    dpi: int | None = Field(default=None, ge=1)


class PageRenderer(Protocol):
    """Renders pages (from 1) of a file as PNG.

    Both methods may be called from several threads. They raise PasswordNeeded, ConversionFailed if
    the file cannot be opened or rendered, and InvalidRequest for a page beyond its end. A picture
    over ``limit`` is made with fewer colours, then smaller.
    """

    def page(
        self,
        source: Path,
        page: int,
        marks: Sequence[PageMark],
        password: str | None,
        limit: PictureLimit | None = None,
    ) -> bytes:
        """The page as displayed, with ``marks`` over it."""

    def region(
        self,
        source: Path,
        region: Region,
        password: str | None,
        limit: PictureLimit | None = None,
    ) -> bytes:
        """The content of the box."""


#: The plain text of a file's page (from 1), without the conversion's layout; empty for a page
#: without text. The last argument is the password. Raises PasswordNeeded, ConversionFailed if the
#: file cannot be opened or read, and InvalidRequest for a page beyond its end.
PageTexts = Callable[[Path, int, str | None], str]

#: The characters of a PDF's page (from 1) with their boxes, in the file's order; empty for a page
#: without text. Raises as ``PageTexts`` does.
CharacterBoxes = Callable[[Path, int, str | None], Sequence[PageCharacter]]


class ReadLine(Value):
    """A recognised line of text: its box (x1, y1, x2, y2) in 0..1 from the top left of the
    picture as displayed, and the number of its paragraph."""

    text: str
    bbox: tuple[float, float, float, float]
    paragraph: int


class TextReader(Protocol):
    """An OCR engine for whole pictures."""

    @property
    def fingerprint(self) -> str:
        """Engine, version, languages."""

    def lines(self, path: Path) -> Sequence[ReadLine]:
        """Lines in reading order; empty for a picture without text. Raises
        ConversionFailed."""


class Refined(Value):
    """The stored map, with the number of nodes asked about and of titles and summaries
    accepted."""

    map: ResourceMap
    asked: int = 0
    titles: int = 0
    summaries: int = 0
    warnings: tuple[str, ...] = ()


class Refiner(Protocol):
    """Proposes titles and summaries for the nodes of a map."""

    def __call__(
        self,
        resource: ResourceMap,
        password: str | None = None,
        notify: Callable[[str], None] = ...,
    ) -> Refined:
        """``notify`` is called with a notice of what is sent where, before anything is sent.
        Raises ConfigurationError, InvalidRequest, LanguageModelUnavailable."""


class LabelStore(Protocol):
    """Labels of a project's resources; deleted with the project, and those of a document
    with the document. Each method is one transaction, durable when it returns. Any may raise
    StorageFailed and WorkspaceTooNew. Reading creates nothing."""

    def put(self, project_id: ProjectId, document_id: str | None, label: ResourceLabel) -> None:
        """Insert or replace a label; ``document_id`` is None for labels of collections. Raises
        ProjectNotFound."""

    def remove(self, project_id: ProjectId, target: str, name: str) -> bool:
        """Returns whether there was one."""

    def labels(
        self, project_id: ProjectId, document_id: str | None = None
    ) -> Sequence[ResourceLabel]:
        """The labels of a document, or of the whole project, ordered by target and name."""
