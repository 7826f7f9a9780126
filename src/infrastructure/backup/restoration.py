"""Restoration of a workspace, or of its catalogue alone."""

import shutil
import sqlite3
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from citeloom.domain.errors import InvalidSource, StorageFailed
from citeloom.domain.messages import Action, NextStep
from citeloom.domain.value import Value
from citeloom.infrastructure.backup.archive import reading, unpack
from citeloom.infrastructure.storage.database.snapshots import problems_of
from citeloom.infrastructure.system.atomic_files import atomic_path, sync_folder
from citeloom.infrastructure.system.failure_messages import storage_failed
from citeloom.infrastructure.system.workspace import Workspace, make_folder

_STAMP: Final = "%Y%m%dT%H%M%SZ"
_UNPACKED: Final = ".restoring"
_SQLITE: Final = b"SQLite format 3\0"
_RESERVE: Final = 64 * 2**20


class Restored(Value):
    """``kept`` is where that lies which was here before; ``catalogue_only`` tells that files and
    index stayed as they were."""

    source: Path
    workspace: Path
    files: int
    kept: Path | None = None
    catalogue_only: bool = False


def restore(workspace: Workspace, source: Path) -> Restored:
    """Put a backup in place: an archive of a workspace or a snapshot of a catalogue. It is
    verified first; what was there before is kept beside it. Raises InvalidSource, StorageFailed,
    WorkspaceTooNew."""
    try:
        with open(source, "rb") as file:
            is_snapshot = file.read(len(_SQLITE)) == _SQLITE
    except OSError as error:
        reason = (error.strerror or type(error).__name__).lower()
        raise InvalidSource(f"{source}: cannot be read ({reason})") from error
    try:
        if is_snapshot:
            return _restore_catalogue(workspace, source)
        return _restore_workspace(workspace, source)
    except OSError as error:
        raise storage_failed(workspace.home, error) from error


def _restore_workspace(workspace: Workspace, source: Path) -> Restored:
    beside = workspace.home.with_name(workspace.home.name + _UNPACKED)
    with reading(source) as (archive, manifest):
        shutil.rmtree(beside, ignore_errors=True)
        make_folder(workspace.root)
        if shutil.disk_usage(workspace.root).free < manifest.size // 4 + _RESERVE:
            step = NextStep(Action.FREE_SPACE)
            raise StorageFailed(f"{workspace.root}: the disk is full", step)
        try:
            unpack(archive, manifest, source, beside)
            if (catalogue := beside / workspace.catalogue.name).is_file():
                _prepare(catalogue, source)
            (beside / ".gitignore").write_text("*\n", encoding="utf-8")
        except BaseException:
            shutil.rmtree(beside, ignore_errors=True)
            raise
    kept = _put_in_place(workspace, beside)
    return Restored(source=source, workspace=workspace.root, files=len(manifest.files), kept=kept)


def _put_in_place(workspace: Workspace, beside: Path) -> Path | None:
    """Rename what is there, and then what was unpacked; the backups stay with the workspace."""
    home, kept = workspace.home, None
    if home.is_dir():
        kept = _free_name(home, "before")
        home.replace(kept)
    beside.replace(home)
    if kept is not None and (kept / workspace.backups.name).is_dir():
        (kept / workspace.backups.name).replace(workspace.backups)
    sync_folder(workspace.root)
    return kept


def _restore_catalogue(workspace: Workspace, source: Path) -> Restored:
    catalogue = workspace.catalogue
    make_folder(catalogue.parent)
    with atomic_path(catalogue) as temporary:
        shutil.copyfile(source, temporary)
        _prepare(temporary, source)
        kept = _put_aside(catalogue)
    return Restored(
        source=source, workspace=workspace.root, files=1, kept=kept, catalogue_only=True
    )


def _put_aside(catalogue: Path) -> Path | None:
    """Rename a database with its log, which must not be taken for that of another."""
    kept = None
    for suffix in ("-wal", "-shm", ""):
        file = catalogue.with_name(catalogue.name + suffix)
        if file.exists():
            kept = kept or _free_name(catalogue, "before")
            file.replace(kept.with_name(kept.name + suffix))
    return kept


def _prepare(catalogue: Path, source: Path) -> None:
    """Check a restored catalogue, and make it one that several processes can use. Raises
    InvalidSource."""
    try:
        problems = problems_of(catalogue, deep=True)
        if problems:
            raise InvalidSource(f"{source}: the backup is damaged ({problems[0]}); take another")
        with closing(sqlite3.connect(catalogue)) as connection:
            connection.execute("PRAGMA journal_mode = WAL")
    except sqlite3.Error as error:
        raise InvalidSource(f"{source}: the backup is damaged ({error}); take another") from error


def _free_name(path: Path, word: str) -> Path:
    stamp = datetime.now(UTC).strftime(_STAMP)
    name, number = f"{path.name}.{word}-{stamp}", 0
    while (free := path.with_name(f"{name}-{number}" if number else name)).exists():
        number += 1
    return free
