"""Request and collaborators of a watch, and its events: one for each change of a project."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from pathlib import Path
from typing import Annotated

from pydantic import BeforeValidator, ConfigDict, Field

from citeloom.application.ports.catalogue import Catalogue, StoredDocument
from citeloom.application.ports.ingest import Progress, SilentProgress, SourceFiles
from citeloom.application.ports.library import FollowedLibraries, LibrarySource
from citeloom.application.ports.system import Clock, Watcher
from citeloom.domain.ingest import (
    DocumentReport,
    DocumentStatus,
    IngestRequest,
    IngestResult,
    one_or_several,
)
from citeloom.domain.library import LibraryScope, SyncRequest
from citeloom.domain.messages import MessageText
from citeloom.domain.projects.project import ProjectId
from citeloom.domain.value import Value


class Outcome(StrEnum):
    WATCHING = "watching"
    ADDED = "added"
    UPDATED = "updated"
    MOVED = "moved"
    REMOVED = "removed"
    KEY_CHANGED = "key changed"
    CITED = "cited again"
    FAILED = "failed"
    NOTICE = "notice"


class WatchEvent(Value):
    """``what`` is a path, an address or an attempt; ``before`` the former path or citation key.
    ``passages`` are those of the document. ``retry_seconds`` is the time until the next attempt;
    None: when it changes. Times are in UTC."""

    model_config = ConfigDict(title="Happening")

    time: datetime
    outcome: Outcome
    what: str
    citekey: str | None = None
    before: str | None = None
    passages: int | None = None
    detail: MessageText | None = Field(default=None, title="Detail")
    retry_seconds: float | None = None


EventListener = Callable[[WatchEvent], None]


class EventReporter(SilentProgress):
    """Reports added documents at once, and other changes after each run.

    A failure or warning is reported again only if it changed.
    """

    def __init__(self, tell: EventListener, clock: Clock) -> None:
        self._tell = tell
        self._clock = clock
        self._added: set[str] = set()
        self._failures: dict[str, str] = {}
        self._warnings: set[str] = set()

    def report(self, outcome: Outcome, what: str, **more: object) -> None:
        self._tell(WatchEvent(time=self._clock.now(), outcome=outcome, what=what, **more))

    def done(self, report: DocumentReport) -> None:
        if report.status is DocumentStatus.FAILED:
            self.failed(report.source, report.error or "it cannot be read", None)
            return
        self._failures.pop(report.source, None)
        if report.status is DocumentStatus.ADDED and report.document_id not in self._added:
            self._added.add(str(report.document_id))
            self.report(
                Outcome.ADDED, report.source, citekey=report.citekey, passages=report.chunks
            )

    def failed(self, what: str, reason: str, retry_seconds: float | None) -> None:
        if self._failures.get(what) != reason:
            self._failures[what] = reason
            self.report(Outcome.FAILED, what, detail=reason, retry_seconds=retry_seconds)

    def recovered(self, what: str) -> None:
        self._failures.pop(what, None)

    def warn(self, what: str, warnings: Sequence[str]) -> None:
        for warning in warnings:
            if warning not in self._warnings:
                self._warnings.add(warning)
                self.report(Outcome.NOTICE, what, detail=warning)

    def differences(
        self, before: Sequence[StoredDocument], after: Sequence[StoredDocument]
    ) -> None:
        """Report the differences of two states that were not reported at once."""
        for document_id, happening in differences(before, after, self._clock.now()):
            if document_id not in self._added:
                self._tell(happening)
        self._added.clear()


def differences(
    before: Sequence[StoredDocument], after: Sequence[StoredDocument], now: datetime
) -> Iterator[tuple[str, WatchEvent]]:
    """The events between two states of a project, with the id of the document. Works without a
    file are not watched."""
    old, new = ({d.document_id: d for d in state if d.has_file} for state in (before, after))
    former_paths = {source.path for one in before for source in one.sources}
    current_paths = {source.path for one in after for source in one.sources}
    for document_id, current in new.items():
        former = old.get(document_id)
        if former is None:
            path = _path(current)
            outcome = Outcome.UPDATED if path in former_paths else Outcome.ADDED
            yield document_id, _happened(outcome, current, now, passages=current.chunks)
        elif former != current:
            for happening in _changes(former, current, now):
                yield document_id, happening
    for document_id, former in old.items():
        replaced = any(source.path in current_paths for source in former.sources)
        if document_id not in new and not replaced:
            yield document_id, _happened(Outcome.REMOVED, former, now)


def _changes(
    former: StoredDocument, current: StoredDocument, now: datetime
) -> Iterator[WatchEvent]:
    paths, before = ([one.path for one in each.sources] for each in (current, former))
    left = [path for path in before if path not in paths]
    new = [path for path in paths if path not in before]
    for path in new:
        if left:
            yield _happened(Outcome.MOVED, current, now, what=path, before=left.pop(0))
        else:
            detail = f"the same content as {before[0]}" if before else None
            yield _happened(Outcome.ADDED, current, now, what=path, detail=detail)
    for path in left:
        yield _happened(Outcome.REMOVED, current, now, what=path, detail=f"still at {paths[0]}")
    old_key, key = _key(former), _key(current)
    if old_key and key and old_key != key:
        yield _happened(Outcome.KEY_CHANGED, current, now, before=old_key)
    elif former.stored_at != current.stored_at:
        yield _happened(Outcome.UPDATED, current, now, passages=current.chunks)
    elif former.citation != current.citation:
        yield _happened(Outcome.CITED, current, now)


def _happened(
    outcome: Outcome, document: StoredDocument, now: datetime, **more: object
) -> WatchEvent:
    fields = {"what": _path(document), "citekey": _key(document), **more}
    return WatchEvent.model_validate({"time": now, "outcome": outcome, **fields})


def _path(document: StoredDocument) -> str:
    return document.path or document.document_id


def _key(document: StoredDocument) -> str | None:
    return document.citation.citekey if document.citation else None


class WatchRequest(Value):
    """A project to keep up to date with files and folders (``sources``), reference files
    (none: the project's own) and a ``scope`` of a library (None: that of the last sync). The
    other fields are as in ``IngestRequest``."""

    project_id: ProjectId
    sources: tuple[str, ...] = ()
    references: Annotated[tuple[str, ...], BeforeValidator(one_or_several)] = ()
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
            references=(references,) if references else (),
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
    """Collaborators of a watch. ``ingest`` is the verb; ``supports`` says which files it can
    read."""

    ingest: Callable[[IngestRequest, Progress], IngestResult]
    supports: Callable[[Path], bool]
    library: LibraryServices
    catalogue: Catalogue
    files: SourceFiles
    watcher: Watcher
    clock: Clock
    pace: WatchPace
