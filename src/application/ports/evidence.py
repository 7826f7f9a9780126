"""Port: what is cut out of the researcher's files, and where it is kept."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Protocol

from pydantic import Field

from citeloom.domain.resource_map import Location
from citeloom.domain.spans import Region
from citeloom.domain.values import Value


class Bookmark(Value):
    """An entry of an outline: a title and the page of the source (from 1) that it leads to."""

    title: str
    page: int = Field(ge=1)
    children: tuple["Bookmark", ...] = ()


class PageText(Value):
    """What was read on a page, slide or sheet (from 1)."""

    page: int = Field(ge=1)
    text: str


class Cut(Value):
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

    def suffix(self, source: Path, cut: Cut, /) -> str:
        """Of the file that it writes, with the dot. Opens nothing."""

    def write(self, source: Path, cut: Cut, password: str | None, target: Path, /) -> Sequence[str]:
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
