"""Interface of stored files."""

from collections.abc import Hashable, Iterator
from typing import Protocol


class Blobs(Protocol):
    """Files by name (``ab/ID.json.gz``), each written as a whole: readers, on any machine, see the
    old content or the new one. Any method may raise StorageFailed; reading creates nothing."""

    def place(self, name: str) -> str:
        """Path or URL of a file, for messages."""

    def read(self, name: str) -> bytes | None:
        """None without such a file."""

    def write(self, name: str, content: bytes) -> None:
        """Insert or replace. Durable when it returns."""

    def delete(self, name: str) -> None:
        """An unknown name is ignored."""

    def names(self, suffix: str) -> Iterator[str]:
        """Names that end with ``suffix``, ascending."""

    def stamp(self, name: str) -> Hashable | None:
        """What tells a file from the one that it replaced; None without a file."""
