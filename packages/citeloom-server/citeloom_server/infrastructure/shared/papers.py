"""Papers that machines share: copies of source files by the digest of their content."""

import hashlib
import os
import shutil
import time
from collections.abc import Set
from contextlib import suppress
from pathlib import Path
from threading import Lock
from typing import Final

from citeloom.domain.errors import SourceChanged, StorageFailed
from citeloom.infrastructure.storage.blobs.blobs import Blobs, file_sha256
from citeloom.infrastructure.system.atomic_files import remove_leftovers, scratch_path
from citeloom.infrastructure.system.failure_messages import storage_failed
from citeloom.infrastructure.system.workspace import make_folder

#: A file that was asked for stays this long at least on this machine.
SPARED_SECONDS: Final = 3600.0
# How old a list of the copies may be: it costs a request a thousand papers.
_LISTED_SECONDS: Final = 60.0

NO_COPY: Final = (
    "no such file on this machine, and no copy of it in the storage; ingest it again, with "
    "storage.papers = true, on the machine that has it"
)


class SharedPapers:
    """Copies in ``shared`` as ``ID[:2]/ID`` (interface ``SourceCopies``).

    What is asked for is taken into ``cache`` as ``ID/NAME``, with its own name, which passwords
    and evidence go by. When all there has more than ``max_bytes``, those go that were not asked
    for the longest; none that was within the last hour. Methods may be called from several threads.
    """

    absence = NO_COPY

    def __init__(self, shared: Blobs, cache: Path, *, max_bytes: int) -> None:
        self._shared = shared
        self._cache = cache
        self._max_bytes = max_bytes
        self._known: set[str] = set()
        self._listed_at = float("-inf")
        self._lock = Lock()

    def keep(self, document_id: str, source: Path) -> None:
        if document_id in self.ids():  # so an unchanged paper costs no request
            return
        remove_leftovers(self._cache)
        with scratch_path(make_folder(self._cache) / document_id) as scratch:
            # A copy first: the file may be replaced by its owner while it is read.
            if _copied(source, scratch) != document_id:
                raise SourceChanged(f"{source}: changed while it was ingested; ingest it again")
            self._shared.keep(_name(document_id), scratch)
        with self._lock:
            self._known.add(document_id)

    def ids(self) -> Set[str]:
        with self._lock:
            if time.monotonic() - self._listed_at >= _LISTED_SECONDS:
                self._known = {name.rpartition("/")[2] for name in self._shared.names("")}
                self._listed_at = time.monotonic()
            return frozenset(self._known)

    def find(self, document_id: str, name: str) -> Path | None:
        path = self._cache / document_id / _file_name(name)
        if path.is_file() and file_sha256(path) == document_id:
            with suppress(OSError):  # in a workspace that can only be read it stays as it is
                os.utime(path)
            return path
        if self._shared.stamp(_name(document_id)) is None:
            return None
        remove_leftovers(make_folder(path.parent))
        # Of a short name: that of the paper may be as long as a name can be.
        with scratch_path(path.with_name(document_id[:16])) as scratch:
            if not self._taken(document_id, scratch, path):
                return None
        with suppress(OSError):  # what was asked for is there; the next one tidies up
            self._remove_oldest()
        return path

    def delete(self, document_id: str) -> None:
        self._shared.delete(_name(document_id))
        with self._lock:
            self._known.discard(document_id)
        shutil.rmtree(self._cache / document_id, ignore_errors=True)

    def _taken(self, document_id: str, scratch: Path, path: Path) -> bool:
        """Whether there was a copy, which is at ``path`` then, whole."""
        name = _name(document_id)
        try:
            if not self._shared.take(name, scratch):
                return False
            if file_sha256(scratch) == document_id:
                scratch.replace(path)
                return True
        except OSError as error:
            raise storage_failed(path, error) from error
        place = self._shared.place(name)
        raise StorageFailed(
            f"{place}: damaged (its digest differs); delete it, and ingest the paper again on "
            "the machine that has it",
            path=place,
        )

    def _remove_oldest(self) -> None:
        found = [(path, path.stat()) for path in self._cache.glob("*/*") if path.is_file()]
        total = sum(status.st_size for _, status in found)
        newest_removable = time.time() - SPARED_SECONDS
        for path, status in sorted(found, key=lambda one: (one[1].st_mtime, one[0])):
            if total <= self._max_bytes or status.st_mtime > newest_removable:
                return
            path.unlink(missing_ok=True)
            total -= status.st_size
            with suppress(OSError):  # the same paper under another name
                path.parent.rmdir()


def _name(document_id: str) -> str:
    return f"{document_id[:2]}/{document_id}"


def _file_name(name: str) -> str:
    """The last part of a path of any system; never empty, never a folder's."""
    last = name.replace("\\", "/").rpartition("/")[2].strip()
    return last if last.strip(".") else "paper"


def _copied(source: Path, target: Path) -> str:
    """Copy a file; the sha256 of what was copied."""
    digest = hashlib.sha256()
    with source.open("rb") as original, target.open("wb") as copy:
        while piece := original.read(2**20):
            digest.update(piece)
            copy.write(piece)
    return digest.hexdigest()
