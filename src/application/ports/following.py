"""Port: which part of a reader's library a project follows, and what of it was brought in."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Protocol

from citeloom.application.ports.catalogue import SourceStamp
from citeloom.domain.library import LibraryScope
from citeloom.domain.project import ProjectId
from citeloom.domain.values import Value


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
class Entry:
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

    def entries(self, project_id: ProjectId) -> Mapping[str, Entry]:
        """By key; none for an unknown project."""

    def put_entries(self, project_id: ProjectId, entries: Iterable[Entry]) -> None:
        """Insert or replace. Raises ProjectNotFound."""

    def remove_entries(self, project_id: ProjectId, keys: Iterable[str]) -> None:
        """Unknown keys are no error."""

    def close(self) -> None:
        """Give up connections; the next call opens them again."""
