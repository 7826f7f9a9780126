"""Ports of the reference library: its source, sync state of projects, stored annotations."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from pathlib import Path
from typing import Protocol

from citeloom.domain.library import (
    LibraryAnnotation,
    LibraryAttachment,
    LibraryRef,
    LibraryScope,
    LibrarySnapshot,
)
from citeloom.domain.projects.project import ProjectId
from citeloom.domain.value import Value

from .catalogue import SourceStamp


class AnnotationStore(Protocol):
    """Annotations of a project's documents; deleted with the document and with the project.
    Each method is one transaction, durable when it returns. Any may raise StorageFailed and
    WorkspaceTooNew. Reading creates nothing."""

    def put(
        self, project_id: ProjectId, document_id: str, annotations: Sequence[LibraryAnnotation]
    ) -> None:
        """Replace the document's annotations and empty its ``digest``. Raises
        ProjectNotFound."""

    def record_digest(self, project_id: ProjectId, document_id: str, digest: str) -> None:
        """Record that the index shows the stored annotations, by their digest. Ignored for a
        document for which none were ever put."""

    def annotations(self, project_id: ProjectId, document_id: str) -> Sequence[LibraryAnnotation]:
        """In the order in which they were put; empty for an unknown document."""

    def digests(self, project_id: ProjectId) -> Mapping[str, str]:
        """By id, of the documents for which any were ever put; empty while the index does not
        show them yet."""

    def counts(self, project_id: ProjectId) -> Mapping[str, int]:
        """Annotations by document id; documents without any are left out."""


class Following(Value):
    """The library that a project follows, as of its last sync.

    ``source`` and ``place`` are those of the library's source, ``state`` that of its snapshot
    (empty: the sync was not finished). ``settings`` are the fingerprints of converter, chunker
    and models of that sync. The counts are of the scope. ``begun`` are paths that no entry has
    yet and that an unfinished sync may have recorded in documents.
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
    begun: tuple[str, ...] = ()


class EntryKind(StrEnum):
    ITEM = "item"
    ATTACHMENT = "attachment"
    NOTE = "note"


@dataclass(frozen=True, slots=True)
class LibraryEntry:
    """The sync state of one item, attachment or note of a library.

    ``key`` is the library's path and Zotero's key (``library/ABCD2345``), ``item`` the key of
    the item that it belongs to (of an item its own). ``digest`` is of its content in the
    library; it is empty until the sync of the entry is finished. ``scope`` is the scope in
    which it was last seen. ``document_id`` is the document made of it; ``stamp`` its file at
    that time, or the expected path (``size`` -1: the file was missing). ``annotations`` is the
    digest of its annotations.
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
    """Sync state of projects with libraries; deleted with the project. Each method is one
    transaction, durable when it returns. Any may raise StorageFailed and WorkspaceTooNew;
    reading creates nothing."""

    def following(self, project_id: ProjectId) -> Following | None:
        """None if the project follows no library."""

    def follow(self, project_id: ProjectId, following: Following) -> None:
        """Insert or replace. Raises ProjectNotFound."""

    def entries(self, project_id: ProjectId) -> Mapping[str, LibraryEntry]:
        """By key; empty for an unknown project."""

    def put_entries(self, project_id: ProjectId, entries: Iterable[LibraryEntry]) -> None:
        """Insert or replace. Raises ProjectNotFound."""

    def remove_entries(self, project_id: ProjectId, keys: Iterable[str]) -> None:
        """Unknown keys are ignored."""


class LibraryStatus(Value):
    """Identity and counts of a library source, without its items.

    ``name`` is the kind of source (``zotero.sqlite``, ``local API``, ``web API``); ``place`` is
    a path or an address; ``state`` equals that of a snapshot taken now.
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
    """Read access to a library. Any method may raise LibraryUnavailable, with the source, the
    reason and the next step."""

    @property
    def name(self) -> str:
        """The kind of source, as in ``LibraryStatus``."""

    @property
    def asks_network(self) -> bool:
        """Whether calls leave this machine."""

    def status(self) -> LibraryStatus: ...

    def snapshot(self, scope: LibraryScope) -> LibrarySnapshot:
        """Raises InvalidRequest for an unknown collection or group, naming the known ones."""

    def file(self, attachment: LibraryAttachment) -> Path | None:
        """The attachment's file on this machine, fetched if necessary; None for a link or a
        missing file. Raises LibraryUnavailable if fetching failed."""

    def close(self) -> None: ...
