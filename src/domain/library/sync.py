"""Request and report of a library synchronisation."""

from collections.abc import Mapping

from pydantic import Field

from citeloom.domain.library.snapshot import LibraryScope
from citeloom.domain.projects.project_id import ProjectId
from citeloom.domain.value import Value


class KeyChange(Value):
    """A changed citation key; the old one still resolves."""

    old: str
    new: str


class LibraryReport(Value):
    """Counts of a library synchronisation within its scope. ``missing_files`` are not on this
    machine; ``generated_keys`` counts items without a citation key of their own;
    ``documents_marked`` those whose annotations changed. ``unchanged``: nothing was read, since
    nothing had changed. ``rule`` describes the choice among duplicate items."""

    source: str
    place: str
    scope: LibraryScope
    complete: bool = True
    unchanged: bool = False
    items: int = 0
    files: int = 0
    notes: int = 0
    annotations: int = 0
    documents_marked: int = 0
    missing_files: int = 0
    generated_keys: int = 0
    key_changes: tuple[KeyChange, ...] = ()
    rule: str | None = None


class SyncRequest(Value):
    """A library to synchronise. ``scope`` None is the project's last scope, or all of the user's
    library. ``prune`` removes documents outside the scope (None: those that were in it before;
    False: none; True: also those of an earlier scope). Other fields are as in
    ``IngestRequest``."""

    project_id: ProjectId
    scope: LibraryScope | None = None
    model: str | None = None
    sentences: bool | None = None
    force: bool = False
    prune: bool | None = None
    password: str | None = None
    passwords: Mapping[str, str] = Field(default_factory=dict)
