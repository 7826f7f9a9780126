"""Port: the researcher's files."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Protocol

from citeloom.application.ports.catalogue import SourceStamp
from citeloom.domain.values import Value


class FoundFile(Value):
    """A file to ingest, or (with ``problem``) one that cannot be read and why."""

    path: Path
    stamp: SourceStamp | None = None
    named: bool = False
    problem: str | None = None


class Found(Value):
    """What lies at the sources; ``skipped`` counts files of other kinds, by suffix."""

    files: tuple[FoundFile, ...]
    folders: tuple[Path, ...] = ()
    skipped: tuple[tuple[str, int], ...] = ()


class SourceFiles(Protocol):
    def find(self, sources: Sequence[str], accepts: Callable[[Path], bool]) -> Found:
        """Files named, and all files that are accepted below folders named; hidden ones
        and links to folders are passed over. Raises InvalidSource if none of the sources
        exists; a missing one among others is a problem of its own."""

    def stamps(self, paths: Iterable[str]) -> Mapping[str, SourceStamp]:
        """How the files among these look now, by path; what is no file, or not there, is left
        out. Quick: for many files that most likely did not change."""

    def sha256(self, path: Path) -> str:
        """Digest of the content, hex. Raises OSError."""

    def exists(self, path: str) -> bool: ...
