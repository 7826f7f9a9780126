"""Ports of maps: mappers, page pictures, words in pictures, evidence files."""

from collections.abc import Callable, Sequence
from datetime import datetime
from pathlib import Path
from typing import Protocol

from pydantic import Field

from citeloom.domain.documents.spans import BBox, Region
from citeloom.domain.maps.address import short_id
from citeloom.domain.maps.resource_map import Location, ResourceMap
from citeloom.domain.value import Value


class Bookmark(Value):
    """An entry of an outline: a title and the page of the source (from 1) that it leads to."""

    title: str
    page: int = Field(ge=1)
    children: tuple["Bookmark", ...] = ()


class PageText(Value):
    """What was read on a page, slide or sheet (from 1)."""

    page: int = Field(ge=1)
    text: str


class CutRequest(Value):
    """What to cut out of which content: together they settle every byte of the result.

    ``source_hash`` is the sha256 of the file's content (hex). ``exact`` asks for frames
    instead of packets. ``highlights`` are boxes in points from the top left of the page as
    displayed. ``texts`` are given for documents whose pages cannot be copied, ``text`` for a
    section of one that has no pages.
    """

    source_hash: str = Field(min_length=1)
    location: Location
    title: str
    exact: bool = False
    bookmarks: tuple[Bookmark, ...] = ()
    highlights: tuple[Region, ...] = ()
    texts: tuple[PageText, ...] = ()
    text: str | None = None


class Cutter(Protocol):
    """Cuts places of one modality out of files; the same request gives the same bytes."""

    @property
    def version(self) -> str:
        """Names the recipe: what another one made is not used."""

    def suffix(self, source: Path, cut: CutRequest, /) -> str:
        """Of the file that it writes, with the dot. Opens nothing."""

    def write(
        self, source: Path, cut: CutRequest, password: str | None, target: Path, /
    ) -> Sequence[str]:
        """Write what was cut to ``target``, which does not exist; returns warnings, such as
        pages that the file has not.

        Raises InvalidRequest if the location says no place or one outside the file,
        PasswordNeeded, UnsupportedFormat, ConversionFailed for a damaged file,
        ProgramUnavailable, OperationTimeout, OSError.
        """


class Kept(Value):
    """A file of the workspace, and what its making had to say."""

    path: Path
    warnings: tuple[str, ...] = ()


class EvidenceStore(Protocol):
    """Files that were cut out, each made once, whole or not at all."""

    def keep(self, name: str, make: Callable[[Path], Sequence[str]]) -> Kept:
        """The file ``name``; if it is not there, ``make`` writes it to the path that it is
        given and returns warnings, which are kept with it. Several processes may ask for
        one name at once: all get the same file.

        Raises StorageFailed and what ``make`` raises; ValueError for a name with folders.
        """


class SourceFile(Value):
    """A file to map: its absolute path, the sha256 of its content (hex), its size in bytes,
    and the password that was given for it."""

    path: Path
    sha256: str
    size: int
    password: str | None = None

    @property
    def resource_id(self) -> str:
        return short_id(self.sha256)


class MapAdapter(Protocol):
    """Turns the output of another tool into a map."""

    def map(self, source: SourceFile, created_at: datetime) -> ResourceMap:
        """``source`` is the file that the tool wrote. Raises InvalidRequest for what cannot be
        a map, OSError."""


class Mapper(Protocol):
    """Makes maps of some kinds of file.

    A map has the file's ``resource_id``, absolute ``source_path``, and in ``metadata``
    ``source_hash``, ``source_size`` and ``mapper``, the fingerprint; a ``note`` says what
    would have made a better map. Ids of nodes are unique.
    """

    def supports(self, path: Path) -> bool:
        """Whether the file's name says that it is of these kinds; nothing is read."""

    def fingerprint(self, path: Path, /) -> str:
        """Name, version and means by which ``path`` would be mapped now: a map that was made
        by others is made anew. Means that are missing change it."""

    def map(self, source: SourceFile, created_at: datetime) -> ResourceMap:
        """Raises ConversionFailed where the content is not what the name says, PasswordNeeded,
        ConversionTimeout, Unavailable where a program or library is missing, OSError."""


class PageMark(Value):
    """A box to draw over a page, in points from the top left.

    ``kind`` chooses the colour: a block label, ``figure`` or ``furniture``. Marks with an
    ``order`` are joined by arrows in the order in which they are given.
    """

    kind: str
    caption: str
    bbox: BBox
    order: int | None = None


class PageRenderer(Protocol):
    """Draws pages (from 1) of a file as PNG.

    Both methods raise PasswordNeeded, ConversionFailed if the file cannot be opened or
    drawn, and InvalidRequest for a page that it does not have.
    """

    def page(
        self, source: Path, page: int, marks: Sequence[PageMark], password: str | None
    ) -> bytes:
        """The page as displayed, with ``marks`` over it."""

    def region(self, source: Path, region: Region, password: str | None) -> bytes:
        """What stands in the box."""


class ReadLine(Value):
    """A line of text in a picture: its box (x1, y1, x2, y2) in 0..1 from the top left of the
    picture as displayed; lines of one paragraph share its number."""

    text: str
    bbox: tuple[float, float, float, float]
    paragraph: int


class TextReader(Protocol):
    """An OCR engine for whole pictures."""

    @property
    def fingerprint(self) -> str:
        """Engine, version, languages."""

    def lines(self, path: Path) -> Sequence[ReadLine]:
        """Lines in reading order, none where there is no text. Raises ConversionFailed."""
