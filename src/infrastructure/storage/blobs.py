"""Interface of stored files."""

import hashlib
import os
import shutil
from collections.abc import Hashable, Iterator
from pathlib import Path
from typing import BinaryIO, Final, NamedTuple, Protocol

from citeloom.infrastructure.system.files import (
    atomic_path,
    ordinary_file,
    remove_leftovers,
    storage_failed,
    write_atomic,
)
from citeloom.infrastructure.system.workspace import make_folder


class StoredBlob(NamedTuple):
    """A stored file: its size in bytes, and when it was written (seconds since 1970)."""

    name: str
    size: int
    written: float


class Blobs(Protocol):
    """Files by name (``ab/ID.json.gz``), each written as a whole: readers, on any machine, see the
    old content or the new one. Any method may raise StorageFailed; reading creates nothing."""

    def place(self, name: str) -> str:
        """Path or URL of a file, for messages."""

    def read(self, name: str) -> bytes | None:
        """None without such a file."""

    def write(self, name: str, content: bytes) -> None:
        """Insert or replace. Durable when it returns."""

    def keep(self, name: str, source: Path) -> None:
        """Insert a copy of a file of this machine, unless there is one: such names stand for their
        content. Durable when it returns. Raises OSError where ``source`` cannot be read."""

    def take(self, name: str, target: Path) -> bool:
        """Copy a stored file to ``target`` on this machine, which is not synced; False, and no
        ``target``, without such a file. Raises OSError where ``target`` cannot be written."""

    def delete(self, name: str) -> None:
        """An unknown name is ignored."""

    def names(self, suffix: str) -> Iterator[str]:
        """Names that end with ``suffix``, ascending."""

    def stored(self) -> Iterator[StoredBlob]:
        """All files, by name, as they are while they are listed."""

    def stamp(self, name: str) -> Hashable | None:
        """What distinguishes a file from the one that it replaced; None without a file."""


def file_sha256(path: Path) -> str:
    """By which whole files are compared with what they are named for. Raises OSError."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


_AT_ONCE: Final = 2**20  # bytes of a file that is copied


class FolderBlobs:
    """Files in ``root`` (interface ``Blobs``)."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._tidied: set[Path] = set()

    def place(self, name: str) -> str:
        return str(self._root / name)

    def read(self, name: str) -> bytes | None:
        path = self._root / name
        try:
            return path.read_bytes()
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError as error:
            raise storage_failed(path, error, "read") from error

    def write(self, name: str, content: bytes) -> None:
        write_atomic(self._prepared(name), content)

    def keep(self, name: str, source: Path) -> None:
        if (self._root / name).is_file():
            return
        with ordinary_file(source) as original, atomic_path(self._prepared(name)) as scratch:
            _copy(original, scratch)

    def take(self, name: str, target: Path) -> bool:
        path = self._root / name
        try:
            original = path.open("rb")
        except (FileNotFoundError, NotADirectoryError):
            return False
        except OSError as error:
            raise storage_failed(path, error, "read") from error
        with original:
            _copy(original, target)
        return True

    def delete(self, name: str) -> None:
        path = self._root / name
        try:
            path.unlink(missing_ok=True)
        except NotADirectoryError:
            return
        except OSError as error:
            raise storage_failed(path, error, "deleted") from error

    def names(self, suffix: str) -> Iterator[str]:
        found: list[str] = []
        root = str(self._root)
        for folder, _, files in os.walk(root):
            below = folder[len(root) + 1 :].replace(os.sep, "/")
            prefix = f"{below}/" if below else ""
            found += (prefix + name for name in files if name.endswith(suffix))
        yield from sorted(found)

    def stored(self) -> Iterator[StoredBlob]:
        for name in self.names(""):
            try:
                status = (self._root / name).stat()
            except FileNotFoundError:  # removed meanwhile
                continue
            yield StoredBlob(name, status.st_size, status.st_mtime)

    def _prepared(self, name: str) -> Path:
        """The path to write, in a folder without what killed writers left."""
        path = self._root / name
        folder = make_folder(path.parent)
        if folder not in self._tidied:
            remove_leftovers(folder)
            self._tidied.add(folder)
        return path

    def stamp(self, name: str) -> Hashable | None:
        """Inode, times and size: each file is written under a new name, so it has another
        inode."""
        try:
            status = (self._root / name).stat()
        except OSError:
            return None
        return (status.st_ino, status.st_mtime_ns, status.st_ctime_ns, status.st_size)


def _copy(original: BinaryIO, target: Path) -> None:
    with target.open("wb") as file:
        shutil.copyfileobj(original, file, _AT_ONCE)
