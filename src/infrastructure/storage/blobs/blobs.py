"""Interface of stored files."""

import hashlib
from collections.abc import Hashable, Iterator
from pathlib import Path
from typing import NamedTuple, Protocol


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
        """What tells a file from the one that it replaced; None without a file."""


def file_sha256(path: Path) -> str:
    """By which whole files are compared with what they are named for. Raises OSError."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
