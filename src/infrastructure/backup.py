"""Backups of a whole workspace: one verified file, and its restoration."""

import hashlib
import json
import os
import shutil
import sqlite3
import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, closing, contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath
from typing import Final

from pydantic import ValidationError

from citeloom.domain.errors import InvalidRequest, InvalidSource, StorageFailed, WorkspaceTooNew
from citeloom.domain.messages import Action, NextStep
from citeloom.domain.projects.project import Project
from citeloom.domain.value import Value

from .search.edge.copies import copy_tree
from .search.edge.index import EdgeIndex
from .search.edge.shard import damaged_files
from .storage.database.sqlite import SqliteDatabase, copy_database, problems_of
from .storage.database.sqlite_errors import rebuilding, snapshots
from .storage.database.upgrade import upgrade_sqlite
from .system.files import atomic_path, remove_leftovers, scratch_path, storage_failed, sync_folder
from .system.workspace import Workspace, make_folder

FORMAT: Final = "citeloom-workspace"
VERSION: Final = 1
#: What a workspace is made of, below ``.citeloom``; nothing else is read from an archive.
PARTS: Final = ("catalogue.sqlite", "bundles", "maps", "index", "evidence", "logs")
_MANIFEST: Final = "manifest.json"
_BLOCK: Final = 2**20
# Most bytes are zeros of sparse files or compressed already.
_LEVEL: Final = 1


class ArchivedFile(Value):
    """Size in bytes, and SHA-256 of the content."""

    size: int
    sha256: str


class Manifest(Value):
    """What an archive holds, by the paths below ``.citeloom``. ``catalogue`` is False where it is
    on a server."""

    format: str
    version: int
    created_at: datetime
    catalogue: bool
    files: Mapping[str, ArchivedFile]

    @property
    def size(self) -> int:
        return sum(file.size for file in self.files.values())


class ArchiveWriter:
    """Adds files to an archive that is being written."""

    def __init__(self, archive: zipfile.ZipFile) -> None:
        self._archive = archive
        self.files: dict[str, ArchivedFile] = {}

    def add(self, file: Path, name: str) -> None:
        """Raises OSError."""
        digest, size = hashlib.sha256(), 0
        with (
            open(file, "rb") as reader,
            self._archive.open(name, "w", force_zip64=True) as writer,
        ):
            while block := reader.read(_BLOCK):
                digest.update(block)
                size += len(block)
                writer.write(block)
        self.files[name] = ArchivedFile(size=size, sha256=digest.hexdigest())


@contextmanager
def writing(target: Path, created_at: datetime, *, catalogue: bool) -> Iterator[ArchiveWriter]:
    """Write an archive, which is read again and compared before it has its name. Raises
    StorageFailed."""
    try:
        with atomic_path(target) as temporary:
            temporary.touch(mode=0o600)
            with zipfile.ZipFile(
                temporary, "w", zipfile.ZIP_DEFLATED, compresslevel=_LEVEL
            ) as archive:
                writer = ArchiveWriter(archive)
                yield writer
                manifest = Manifest(
                    format=FORMAT,
                    version=VERSION,
                    created_at=created_at,
                    catalogue=catalogue,
                    files=writer.files,
                )
                archive.writestr(_MANIFEST, manifest.model_dump_json(indent=1))
            with reading(temporary) as (archive, written):
                verify(archive, written, temporary)
    except OSError as error:
        raise storage_failed(target, error) from error


@contextmanager
def reading(path: Path) -> Iterator[tuple[zipfile.ZipFile, Manifest]]:
    """An archive and its manifest. Raises InvalidSource, WorkspaceTooNew."""
    try:
        with zipfile.ZipFile(path) as archive:
            yield archive, _manifest(path, archive)
    except FileNotFoundError:
        raise InvalidSource(f"{path}: there is no such file") from None
    except (OSError, zipfile.BadZipFile, EOFError) as error:
        raise InvalidSource(f"{path}: the backup cannot be read ({error}); take another") from error


def _manifest(path: Path, archive: zipfile.ZipFile) -> Manifest:
    try:
        content = json.loads(archive.read(_MANIFEST))
        if content["format"] != FORMAT:
            raise ValueError("another format")
        if content["version"] > VERSION:
            raise WorkspaceTooNew(
                f"{path}: written by a newer CiteLoom (format {content['version']}); upgrade "
                "CiteLoom"
            )
        manifest = Manifest.model_validate(content)
    except (KeyError, ValueError, TypeError, ValidationError, NotImplementedError) as error:
        raise InvalidSource(f"{path}: this is not a backup of a workspace") from error
    for name in manifest.files:
        place = PurePosixPath(name)
        inside = bool(place.parts) and place.parts[0] in PARTS and ".." not in place.parts
        if not inside or "\\" in name:
            raise InvalidSource(f"{path}: {name!r} has no place in a workspace; nothing was read")
    return manifest


def verify(archive: zipfile.ZipFile, manifest: Manifest, path: Path) -> None:
    """Compare all files with the manifest. Raises InvalidSource."""
    for name in manifest.files:
        for _ in _blocks(archive, manifest, name, path):
            pass


def unpack(archive: zipfile.ZipFile, manifest: Manifest, path: Path, target: Path) -> None:
    """Write all files below ``target``, holes for zeros. Raises InvalidSource for a damaged
    archive, StorageFailed."""
    for name in manifest.files:
        place = target / name
        try:
            place.parent.mkdir(parents=True, exist_ok=True)
            with open(place, "wb") as writer:
                for block in _blocks(archive, manifest, name, path):
                    if block.count(0) == len(block):
                        writer.seek(len(block), os.SEEK_CUR)
                    else:
                        writer.write(block)
                writer.truncate()
        except OSError as error:
            raise storage_failed(place, error) from error


def _blocks(archive: zipfile.ZipFile, manifest: Manifest, name: str, path: Path) -> Iterator[bytes]:
    """The content of a file, compared with the manifest at its end. Raises InvalidSource."""
    expected, digest, size = manifest.files[name], hashlib.sha256(), 0
    try:
        with archive.open(name) as reader:
            while size <= expected.size and (block := reader.read(_BLOCK)):
                size += len(block)
                digest.update(block)
                yield block
    except (KeyError, EOFError, zipfile.BadZipFile, zlib.error, NotImplementedError) as error:
        raise InvalidSource(f"{path}: the backup is damaged ({name}: {error})") from error
    if (size, digest.hexdigest()) != (expected.size, expected.sha256):
        raise InvalidSource(f"{path}: the backup is damaged ({name} differs)")


_STAMP: Final = "%Y%m%dT%H%M%SZ"
_UNPACKED: Final = ".restoring"
_KEPT: Final = "before"
_SQLITE: Final = b"SQLite format 3\0"
_RESERVE: Final = 64 * 2**20


class Restored(Value):
    """``kept`` is where that lies which was here before; ``catalogue_only`` says that files and
    index stayed as they were."""

    source: Path
    workspace: Path
    files: int
    kept: Path | None = None
    catalogue_only: bool = False


def restore(workspace: Workspace, source: Path) -> Restored:
    """Put a backup in place: an archive of a workspace or a snapshot of a catalogue. It is verified
    first; the previous content is kept beside it. Raises InvalidSource, StorageFailed,
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
    """Move the present files away, then the unpacked ones in; the backups stay."""
    home, kept = workspace.home, None
    if home.is_dir():
        kept = _free_name(home, _KEPT)
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
    rebuilding(catalogue).unlink(missing_ok=True)
    return Restored(
        source=source, workspace=workspace.root, files=1, kept=kept, catalogue_only=True
    )


class Recovered(Value):
    """``copied_from`` was put in place of a damaged catalogue; None: no copy was whole, and the
    catalogue is to be filled. ``kept`` is the damaged one, if there was one."""

    copied_from: Path | None
    kept: Path | None


def recover_catalogue(workspace: Workspace) -> Recovered | None:
    """Put the newest whole copy in place of a catalogue that is damaged or gone; an empty one
    where no copy is whole, which is incomplete until it is filled. None if the catalogue is whole,
    or nothing was stored yet. Raises StorageFailed."""
    unfinished = rebuilding(workspace.catalogue)
    if unfinished.exists():
        with suppress(sqlite3.Error):
            if not problems_of(workspace.catalogue, deep=True):
                return Recovered(copied_from=None, kept=None)
    catalogue = SqliteDatabase(workspace.catalogue)
    try:
        catalogue.verify(deep=True)
        return None
    except StorageFailed as error:
        if not error.details.get("damaged"):
            raise
    finally:
        catalogue.close()
    for copy in () if unfinished.exists() else snapshots(workspace.catalogue):
        with suppress(InvalidSource):
            restored = restore(workspace, copy.path)
            return Recovered(copied_from=copy.path, kept=restored.kept)
    kept = _put_aside(workspace.catalogue)
    unfinished.touch()
    upgrade_sqlite(workspace.catalogue)
    return Recovered(copied_from=None, kept=kept)


def _put_aside(catalogue: Path) -> Path | None:
    """Rename a database with its log, so no other database picks the log up."""
    kept = None
    for suffix in ("-wal", "-shm", ""):
        file = catalogue.with_name(catalogue.name + suffix)
        if file.exists():
            kept = kept or _free_name(catalogue, _KEPT)
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


class BackedUp(Value):
    """``size`` is that of the archive, in bytes; ``notes`` name what it lacks."""

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
    catalogue_is_here: bool,
    shared_files: str = "",
) -> BackedUp:
    """Write one verified file. ``held`` freezes a collection's files while they are copied, not
    while they are compressed, so questions continue. A collection with changed files is left out.
    ``shared_files`` is the place of conversions and maps outside the workspace. The catalogue is
    copied first, so the files that it names exist. Raises StorageFailed (also for a damaged
    catalogue), ShardBusy."""
    notes: list[str] = []
    remove_leftovers(make_folder(target.parent))
    created = datetime.now(UTC)
    with writing(target, created, catalogue=catalogue_is_here) as writer:
        if not catalogue_is_here:
            notes.append("the catalogue is on a server: use that server's own backups")
        elif workspace.catalogue.is_file():
            _add_catalogue(workspace, writer)
        if shared_files:
            notes.append(f"conversions and maps are in {shared_files}: use its own backups")
        for folder in (workspace.bundles, workspace.maps, workspace.evidence, workspace.logs):
            _add_folder(folder, workspace.home, writer)
        for collection in collections(workspace):
            with scratch_path(make_folder(workspace.backups) / collection) as copies:
                copy = copies / workspace.index.name / collection
                with held(collection) as folder:
                    damaged = damaged_files(folder)
                    if not damaged:
                        _copy_collection(folder, copy)
                if damaged:
                    notes.append(
                        f"{collection}: its index is damaged and was left out; it is rebuilt from "
                        "the stored conversions"
                    )
                for path in _files(copy):
                    writer.add(path, path.relative_to(copies).as_posix())
    try:
        size = target.stat().st_size
    except OSError as error:
        raise storage_failed(target, error, "read") from error
    return BackedUp(path=target, files=len(writer.files), size=size, notes=tuple(notes))


def _copy_collection(folder: Path, copy: Path) -> None:
    """Raises StorageFailed."""
    try:
        copy.mkdir(parents=True)
        copy_tree(folder / "shard", copy / "shard")
        for name in ("format.json", "sums.json"):  # the rest are locks, and what is being built
            if (folder / name).is_file():
                shutil.copyfile(folder / name, copy / name)
    except OSError as error:
        raise storage_failed(copy, error) from error


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


class KnownBackup(Value):
    """A backup in the workspace; ``reason`` is why it was made."""

    path: Path
    reason: str
    size: int


@dataclass(frozen=True, slots=True)
class WorkspaceBackups:
    """The verbs *backup* and *restore* of one workspace."""

    workspace: Workspace
    index: EdgeIndex
    catalogue_is_here: bool
    projects: Callable[[], Sequence[Project]]
    shared_files: str = ""

    def save(self, path: Path | None, *, replace: bool = False) -> BackedUp:
        """Back up the workspace into a new file: ``path``, or one in this folder, or without it
        one among the workspace's backups. Raises InvalidRequest for a file that is there already,
        StorageFailed, ShardBusy."""
        default = default_path(self.workspace)
        target = default if path is None else path / default.name if path.is_dir() else path
        if target.exists() and not replace:
            raise InvalidRequest(f"{target}: exists; --force replaces it", parameter="path")

        done = back_up(
            self.workspace,
            target,
            held=self.index.held,
            catalogue_is_here=self.catalogue_is_here,
            shared_files=self.shared_files,
        )
        more = (*_on_servers(self.projects()), *_of_restorations(self.workspace.home))
        return done.model_copy(update={"notes": (*done.notes, *more)})

    def restore(self, path: Path) -> Restored:
        """Put a backup in place, when no process uses the index. Raises InvalidSource,
        StorageFailed, ShardBusy, WorkspaceTooNew."""
        with self._all_held():
            return restore(self.workspace, path)

    def recover(self) -> Recovered | None:
        """Put the newest whole copy of the catalogue in place of a damaged one, when no process
        uses the index. Raises StorageFailed, ShardBusy."""
        if not self.catalogue_is_here:
            return None
        with self._all_held():
            return recover_catalogue(self.workspace)

    @contextmanager
    def _all_held(self) -> Iterator[None]:
        with ExitStack() as stack:
            for collection in collections(self.workspace):
                stack.enter_context(self.index.held(collection))
            yield

    def known(self) -> Sequence[KnownBackup]:
        """Backups among those of the workspace, the newest first of each kind."""
        workspace = self.workspace
        files = [(one.path, one.reason) for one in snapshots(workspace.catalogue)]
        whole = sorted(workspace.backups.glob("workspace-*.zip"), reverse=True)
        files += [(path, "workspace") for path in whole]
        return [
            KnownBackup(path=path, reason=reason, size=path.stat().st_size)
            for path, reason in files
        ]


def _of_restorations(home: Path) -> Iterator[str]:
    """What a backup reports about each folder that restorations left beside the workspace's."""
    stopped = home.with_name(home.name + _UNPACKED)
    if stopped.is_dir():
        yield f"{stopped} is of a restoration that was stopped; delete it, or restore again"
    for kept in sorted(home.parent.glob(f"{home.name}.{_KEPT}-*")):
        yield f"{kept} is what a restoration replaced; delete it when nothing of it is missed"


def _on_servers(projects: Sequence[Project]) -> Iterator[str]:
    """What a backup reports about each project whose index is on a server."""
    for project in projects:
        if place := project.retrieval.place:
            yield (
                f"{project.id}: its index is on {place.url} as {project.collection}: a snapshot of "
                "it there restores it; without one it is rebuilt from the stored conversions"
            )
