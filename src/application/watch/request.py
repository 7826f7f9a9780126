"""Request and collaborators of a watch."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from pydantic import Field

from citeloom.application.ports.catalogue import Catalogue
from citeloom.application.ports.ingest import Progress, SourceFiles
from citeloom.application.ports.library import FollowedLibraries, LibrarySource
from citeloom.application.ports.system import Clock, Watcher
from citeloom.domain.ingest.report import IngestResult
from citeloom.domain.ingest.request import IngestRequest
from citeloom.domain.library.snapshot import LibraryScope, SyncRequest
from citeloom.domain.projects.project_id import ProjectId
from citeloom.domain.value import Value


class WatchRequest(Value):
    """A project to keep up to date with files and folders (``sources``), a reference file
    (None: the project's own) and a ``scope`` of a library (None: that of the last sync). The
    other fields are as in ``IngestRequest``."""

    project_id: ProjectId
    sources: tuple[str, ...] = ()
    references: str | None = None
    scope: LibraryScope | None = None
    model: str | None = None
    password: str | None = None
    passwords: Mapping[str, str] = Field(default_factory=dict)

    def files(
        self, sources: Iterable[str], gone: Iterable[str] = (), references: str | None = None
    ) -> IngestRequest:
        """The request to ingest these sources."""
        return IngestRequest(
            project_id=self.project_id,
            sources=tuple(sources),
            gone=tuple(gone),
            references=references,
            model=self.model,
            password=self.password,
            passwords=self.passwords,
        )

    def library(self) -> SyncRequest:
        """The request to synchronise the library."""
        return SyncRequest(
            project_id=self.project_id,
            scope=self.scope,
            model=self.model,
            password=self.password,
            passwords=self.passwords,
        )


@dataclass(frozen=True, slots=True)
class WatchPace:
    """Seconds without change before a file is read (``settle``), and between two polls of a
    library (``interval``)."""

    settle: float
    interval: float


@dataclass(frozen=True, slots=True)
class LibraryServices:
    """The verb *sync* and the sync state of projects; ``database_files`` are all files of a
    library's database."""

    sync: Callable[[LibrarySource, SyncRequest, Progress], IngestResult]
    followed: FollowedLibraries
    database_files: Callable[[Path], Iterable[Path]]


@dataclass(frozen=True, slots=True)
class WatchServices:
    """Collaborators of a watch. ``ingest`` is the verb; ``supports`` tells which files it can
    read."""

    ingest: Callable[[IngestRequest, Progress], IngestResult]
    supports: Callable[[Path], bool]
    library: LibraryServices
    catalogue: Catalogue
    files: SourceFiles
    watcher: Watcher
    clock: Clock
    pace: WatchPace
