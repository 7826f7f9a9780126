"""Request and report of a library synchronisation."""

from collections.abc import Mapping

from pydantic import Field

from citeloom.domain.library.snapshot import LibraryScope
from citeloom.domain.projects.project_id import ProjectId
from citeloom.domain.value import Value


class KeyChange(Value):
    """A citation key that is another now; the old one is still understood."""

    old: str
    new: str


class LibraryReport(Value):
    """What was read of a reader's library. The numbers are of the scope, but for
    ``missing_files`` (not on this machine) and ``generated_keys`` (items that have none of
    their own). ``documents_marked`` are those whose annotations changed. ``unchanged`` tells
    that nothing was read, because nothing had changed.
    ``rule`` says how one of several items is chosen to be cited."""

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
    """A reader's library to bring in. ``scope`` is None for the one that the project
    remembers, or all of her own library. ``prune`` removes documents that are no longer in
    the scope (None: if they were in it before; False: none; True: also those of an earlier,
    other scope). The rest is as in ``IngestRequest``."""

    project_id: ProjectId
    scope: LibraryScope | None = None
    model: str | None = None
    sentences: bool | None = None
    force: bool = False
    prune: bool | None = None
    password: str | None = None
    passwords: Mapping[str, str] = Field(default_factory=dict)
