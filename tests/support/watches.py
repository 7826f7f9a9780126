"""A project that is watched: over real files, in a time that only waiting passes."""

import dataclasses
import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from support.builders import A_DAY
from support.in_memory.stores import InMemoryFollowedLibraries
from support.in_memory.watcher import ElapsedTime, InMemoryWatcher
from support.world import HERE, World
from support.zotero.shelves import Reader

from citeloom.application.ports.ingest import Progress
from citeloom.application.ports.library import LibrarySource
from citeloom.application.watch.jobs import Watch
from citeloom.application.watch.request import (
    LibraryServices,
    Outcome,
    WatchEvent,
    WatchPace,
    WatchRequest,
    WatchServices,
)
from citeloom.domain.ingest import IngestRequest, IngestResult
from citeloom.domain.library import SyncRequest
from citeloom.infrastructure.cli.watch import line
from citeloom.infrastructure.ingest.source_files import LocalFiles

SETTLE, INTERVAL = 2.0, 30.0


class PassingClock(ElapsedTime):
    def now(self) -> datetime:
        return A_DAY + timedelta(seconds=self.passed)

    def monotonic(self) -> float:
        return self.passed

    def correlation_id(self) -> str:
        return "watch"


@dataclass
class Watched:
    """``runs`` are the requests of each ingest, and the moment; ``fails`` is called before."""

    world: World
    reader: Reader | None = None
    clock: PassingClock = field(default_factory=PassingClock)
    told: list[WatchEvent] = field(default_factory=list)
    runs: list[tuple[float, IngestRequest | SyncRequest]] = field(default_factory=list)
    fails: Callable[[], None] = lambda: None
    followed: InMemoryFollowedLibraries = field(default_factory=InMemoryFollowedLibraries)
    opens: Callable[[], LibrarySource] | None = None
    library_files: tuple[Path, ...] = ()

    def __post_init__(self) -> None:
        self.watcher = InMemoryWatcher(self.clock)
        if self.reader is not None:
            self.world, self.followed = self.reader.world, self.reader.followed

    def at(self, moment: float, happens: Callable[[], Iterable[Path] | Path | None]) -> None:
        """What happens gives the path that it changed, or several."""

        def happened() -> Iterable[Path]:
            changed = happens()
            return [changed] if isinstance(changed, Path) else changed or ()

        self.watcher.at(moment, happened)

    def watch(self, *sources: Path, until: float = 1000.0, **request: Any) -> list[str]:
        """What was told, but for the places that are watched."""
        self.watcher.until = until
        asked = WatchRequest(project_id=HERE, sources=tuple(map(str, sources)), **request)
        opens = self.opens or ((lambda: self.reader.library) if self.reader else None)
        Watch(self._parts())(asked, opens, self.told.append)
        return [line(one)[9:] for one in self.told if one.outcome is not Outcome.WATCHING]

    def _parts(self) -> WatchServices:
        return WatchServices(
            ingest=self._ingest,
            supports=self.world.converter.supports,
            library=LibraryServices(
                sync=self._sync,
                followed=self.followed,
                database_files=lambda _: self.library_files,
            ),
            catalogue=self.world.catalogue,
            files=LocalFiles(),
            watcher=self.watcher,
            clock=self.clock,
            pace=WatchPace(settle=SETTLE, interval=INTERVAL),
        )

    def _ingest(self, request: IngestRequest, progress: Progress) -> IngestResult:
        self.runs.append((self.clock.passed, request))
        self.fails()
        return self.world.application.ingest.files(request, progress)

    def _sync(
        self, source: LibrarySource, request: SyncRequest, progress: Progress
    ) -> IngestResult:
        self.runs.append((self.clock.passed, request))
        self.fails()
        world = dataclasses.replace(self.world, followed=self.followed)
        return world.application.ingest.library(source, request, progress)


def export(world: World, *items: dict[str, object]) -> Path:
    """A reference file, with a time of its own each time it is written."""
    path = world.write("../library.json", json.dumps(items)).resolve()
    world.references.put(path, items)
    return path
