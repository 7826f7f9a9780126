"""Port: the structure of a file, found without any language model."""

from datetime import datetime
from pathlib import Path
from typing import Protocol

from citeloom.domain.address import short_id
from citeloom.domain.resource_map import ResourceMap
from citeloom.domain.values import Value


class SourceFile(Value):
    """A file to map: its absolute path, the sha256 of its content (hex), its size in bytes,
    and the password that was given for it."""

    path: Path
    sha256: str
    size: int
    password: str | None = None

    @property
    def resource_id(self) -> str:
        return short_id(self.sha256)


class MapAdapter(Protocol):
    """Turns the output of another tool into a map."""

    def map(self, source: SourceFile, created_at: datetime) -> ResourceMap:
        """``source`` is the file that the tool wrote. Raises InvalidRequest for what cannot be
        a map, OSError."""


class Mapper(Protocol):
    """Makes maps of some kinds of file.

    A map has the file's ``resource_id``, absolute ``source_path``, and in ``metadata``
    ``source_hash``, ``source_size`` and ``mapper``, the fingerprint; a ``note`` says what
    would have made a better map. Ids of nodes are unique.
    """

    def supports(self, path: Path) -> bool:
        """Whether the file's name says that it is of these kinds; nothing is read."""

    def fingerprint(self, path: Path, /) -> str:
        """Name, version and means by which ``path`` would be mapped now: a map that was made
        by others is made anew. Means that are missing change it."""

    def map(self, source: SourceFile, created_at: datetime) -> ResourceMap:
        """Raises ConversionFailed where the content is not what the name says, PasswordNeeded,
        ConversionTimeout, Unavailable where a program or library is missing, OSError."""
