"""Ports of the library: its source, what of it a project follows, annotations of readers."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from pathlib import Path
from typing import Protocol

from citeloom.application.ports.catalogue import SourceStamp
from citeloom.domain.library.snapshot import (
    LibraryAnnotation,
    LibraryAttachment,
    LibraryRef,
    LibraryScope,
    LibrarySnapshot,
)
from citeloom.domain.projects.project_id import ProjectId
from citeloom.domain.value import Value


class AnnotationStore(Protocol):
    """Annotations of a project's documents; deleted with the document and with the project.
    Each method is one transaction, durable when it returns. Any may raise StorageFailed and
    WorkspaceTooNew. Reading creates nothing."""

    def put(
        self, project_id: ProjectId, document_id: str, annotations: Sequence[LibraryAnnotation]
    ) -> None:
        """Replace all that the document had; its ``digest`` is empty then. Raises
        ProjectNotFound."""

    def settle(self, project_id: ProjectId, document_id: str, digest: str) -> None:
        """Note that the index shows what is stored, by a digest of it. One that has none
        stored is left as it is."""

    def annotations(self, project_id: ProjectId, document_id: str) -> Sequence[LibraryAnnotation]:
        """In the order that they were put."""

    def digest(self, project_id: ProjectId, document_id: str) -> str | None:
        """None where nothing was ever put; empty where the index does not show it yet."""

    def counts(self, project_id: ProjectId) -> Mapping[str, int]:
        """How many each document has, by its id; those without any are left out."""

    def close(self) -> None:
        """Give up connections; the next call opens them again."""


class Following(Value):
    """The library that a project follows, as it was when it was last brought in wholly.

    ``source`` and ``place`` are those of the library's source, ``state`` that of its snapshot
    (empty: begun and not finished). ``settings`` names the converter, chunker and models of
    that run. The counts are of the scope.
    """

    source: str
    place: str
    scope: LibraryScope
    state: str = ""
    settings: str = ""
    items: int = 0
    files: int = 0
    notes: int = 0
    annotations: int = 0
    synced_at: datetime


class EntryKind(StrEnum):
    ITEM = "item"
    ATTACHMENT = "attachment"
    NOTE = "note"


@dataclass(frozen=True, slots=True)
class LibraryEntry:
    """Something of a library that a project knows.

    ``key`` is the library's path and Zotero's key (``library/ABCD2345``), ``item`` that of
    the item that it belongs to (an item's is its own). ``digest`` changes when what the
    library says of it does; it is empty as long as it is being brought in. ``scope`` names
    the scope in which it was last seen. ``document_id`` is the document that it became;
    ``stamp`` its file as it was then, or where it should be (``size`` -1: it was not there).
    """

    key: str
    kind: EntryKind
    scope: str
    item: str | None = None
    digest: str = ""
    document_id: str | None = None
    stamp: SourceStamp | None = None
    annotations: str = ""


class FollowedLibraries(Protocol):
    """Deleted with the project. Each method is one transaction, durable when it returns. Any
    may raise StorageFailed and WorkspaceTooNew; reading creates nothing."""

    def following(self, project_id: ProjectId) -> Following | None: ...

    def follow(self, project_id: ProjectId, following: Following) -> None:
        """Insert or replace. Raises ProjectNotFound."""

    def entries(self, project_id: ProjectId) -> Mapping[str, LibraryEntry]:
        """By key; none for an unknown project."""

    def put_entries(self, project_id: ProjectId, entries: Iterable[LibraryEntry]) -> None:
        """Insert or replace. Raises ProjectNotFound."""

    def remove_entries(self, project_id: ProjectId, keys: Iterable[str]) -> None:
        """Unknown keys are no error."""

    def close(self) -> None:
        """Give up connections; the next call opens them again."""


class LibraryStatus(Value):
    """What a source is and whether it answers, without reading its items.

    ``name`` tells it from others (``zotero.sqlite``, ``local API``, ``web API``); ``place`` is
    a path or an address; ``state`` is that of a snapshot taken now.
    """

    name: str
    place: str
    state: str
    libraries: Sequence[LibraryRef] = ()
    items: int = 0
    attachments: int = 0
    notes: int = 0
    annotations: int = 0
    notices: tuple[str, ...] = ()


class LibrarySource(Protocol):
    """One way to a library. Any method may raise LibraryUnavailable, naming the source, the
    reason and the next step; ``asks_network`` says whether calls leave this machine."""

    @property
    def name(self) -> str: ...

    @property
    def asks_network(self) -> bool: ...

    def status(self) -> LibraryStatus: ...

    def snapshot(self, scope: LibraryScope) -> LibrarySnapshot:
        """Raises InvalidRequest for a collection or group that is not there, naming those
        that are."""

    def file(self, attachment: LibraryAttachment) -> Path | None:
        """The attachment's file on this machine, fetched if need be; None if it has none (a
        link), or if it is not there. Raises LibraryUnavailable where fetching failed."""

    def close(self) -> None: ...
