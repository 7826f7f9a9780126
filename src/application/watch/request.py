"""What watching is made of, and what is asked of it."""

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
from citeloom.domain.library.snapshot import LibraryScope
from citeloom.domain.library.sync import SyncRequest
from citeloom.domain.projects.project_id import ProjectId
from citeloom.domain.value import Value


class WatchRequest(Value):
    """A project to keep in step with files and folders (``sources``), a reference file (None:
    the one that the project remembers) and a library, of which ``scope`` is meant (None: as
    remembered). The rest is as in ``IngestRequest``."""

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
        """To ingest these."""
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
        """To bring the library in."""
        return SyncRequest(
            project_id=self.project_id,
            scope=self.scope,
            model=self.model,
            password=self.password,
            passwords=self.passwords,
        )


@dataclass(frozen=True, slots=True)
class WatchPace:
    """In seconds: how long a file rests before it is read, and between two looks at a library
    that does not tell of its changes."""

    settle: float
    interval: float


@dataclass(frozen=True, slots=True)
class WatchParts:
    """Ports and verbs, wired once. ``ingest`` and ``sync`` are the verbs; ``supports`` says
    which files can be read; ``library_files`` are all the files of a library's database."""

    ingest: Callable[[IngestRequest, Progress], IngestResult]
    sync: Callable[[LibrarySource, SyncRequest, Progress], IngestResult]
    supports: Callable[[Path], bool]
    library_files: Callable[[Path], Iterable[Path]]
    catalogue: Catalogue
    followed: FollowedLibraries
    files: SourceFiles
    watcher: Watcher
    clock: Clock
    pace: WatchPace
