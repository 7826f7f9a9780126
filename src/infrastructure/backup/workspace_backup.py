"""Backup of a workspace while it is in use."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from citeloom.domain.value import Value
from citeloom.infrastructure.backup.archive import ArchiveWriter, writing
from citeloom.infrastructure.storage.database.snapshots import copy_database
from citeloom.infrastructure.system.atomic_files import remove_leftovers, scratch_path
from citeloom.infrastructure.system.failure_messages import storage_failed
from citeloom.infrastructure.system.workspace import Workspace, make_folder

_STAMP: Final = "%Y%m%dT%H%M%SZ"
# Of a collection: the rest are locks, tickets and what is being built.
_OF_COLLECTION: Final = ("format.json", "sums.json", "shard")


class BackedUp(Value):
    """``size`` is that of the archive, in bytes; ``notes`` are what it does not hold."""

    path: Path
    files: int
    size: int
    notes: tuple[str, ...] = ()


def default_path(workspace: Workspace) -> Path:
    stamp = datetime.now(UTC).strftime(_STAMP)
    return workspace.backups / f"workspace-{stamp}.zip"


def back_up(
    workspace: Workspace,
    target: Path,
    *,
    held: Callable[[str], AbstractContextManager[Path]],
    damaged: Callable[[str], Sequence[str]],
    catalogue_is_here: bool,
    shared_files: str = "",
) -> BackedUp:
    """Write one verified file. ``held`` keeps a collection's files as they are, ``damaged`` names
    those that are not as they were stored: such a collection is left out. ``shared_files`` is where
    conversions and maps are, if not in the workspace.

    The catalogue is copied first: what it names is there when the other files are read. Raises
    StorageFailed (also for a damaged catalogue), ShardBusy.
    """
    notes: list[str] = []
    remove_leftovers(make_folder(target.parent))
    created = datetime.now(UTC)
    with writing(target, created, catalogue=catalogue_is_here) as writer:
        if not catalogue_is_here:
            notes.append("the catalogue is on a server: that server's own backups are for it")
        elif workspace.catalogue.is_file():
            _add_catalogue(workspace, writer)
        if shared_files:
            notes.append(
                f"conversions and maps are in {shared_files}: its own backups are for them"
            )
        for folder in (workspace.bundles, workspace.maps, workspace.evidence, workspace.logs):
            _add_folder(folder, workspace.home, writer)
        for collection in collections(workspace):
            if damaged(collection):
                notes.append(
                    f"{collection}: its index is damaged and left out; it is built anew from the "
                    "stored conversions"
                )
                continue
            with held(collection) as folder:
                for name in _OF_COLLECTION:
                    _add_folder(folder / name, workspace.home, writer)
    try:
        size = target.stat().st_size
    except OSError as error:
        raise storage_failed(target, error, "read") from error
    return BackedUp(path=target, files=len(writer.files), size=size, notes=tuple(notes))


def _add_catalogue(workspace: Workspace, writer: ArchiveWriter) -> None:
    remove_leftovers(make_folder(workspace.backups))
    with scratch_path(workspace.backups / workspace.catalogue.name) as copy:
        copy_database(workspace.catalogue, copy)
        writer.add(copy, workspace.catalogue.name)


def _add_folder(place: Path, home: Path, writer: ArchiveWriter) -> None:
    """A file, or all files below a folder; those removed meanwhile are passed over."""
    for path in _files(place):
        try:
            writer.add(path, path.relative_to(home).as_posix())
        except FileNotFoundError:
            continue


def _files(place: Path) -> Iterator[Path]:
    if place.is_file():
        yield place
    elif place.is_dir():
        names = (path for path in sorted(place.rglob("*")) if path.is_file())
        yield from (path for path in names if not path.name.endswith(".tmp"))


def collections(workspace: Workspace) -> list[str]:
    """Names of the collections in the workspace."""
    if not workspace.index.is_dir():
        return []
    return sorted(one.name for one in workspace.index.iterdir() if (one / "shard").is_dir())
