"""Files that machines share: evidence, fetched models, copies of papers."""

import hashlib
import json
import os
import secrets
import shutil
import time
from collections.abc import Callable, Iterator, Sequence, Set
from contextlib import suppress
from pathlib import Path, PurePosixPath
from threading import Lock
from typing import Final

from pydantic import Field, ValidationError

from citeloom.application.ports.maps import EvidenceFile, EvidenceStore
from citeloom.domain.errors import SourceChanged, StorageFailed
from citeloom.domain.value import Value
from citeloom.infrastructure.storage.blobs import Blobs, StoredBlob
from citeloom.infrastructure.system.files import (
    file_sha256,
    remove_leftovers,
    scratch_path,
    storage_failed,
    sync_folder,
)
from citeloom.infrastructure.system.workspace import make_folder

_WARNINGS = ".warnings.json"
#: Anyone who was given a name has this long to open it before it may be removed.
EVIDENCE_SPARED_SECONDS = 3600.0
# Seconds between two looks at what all of it takes: a listing costs a request a thousand files.
_LOOK_EVERY = 3600.0


class SharedEvidence:
    """Evidence in ``local``, and in ``shared`` under the same names (interface ``EvidenceStore``).
    A name identifies its content, so evidence of another machine is reused. Each place has its own
    limit: beyond ``max_bytes`` in ``shared``, the oldest files are removed, and cut again on
    request."""

    def __init__(self, local: EvidenceStore, shared: Blobs, max_bytes: int) -> None:
        self._local = local
        self._shared = shared
        self._max_bytes = max_bytes
        self._looked_at = float("-inf")

    def keep(self, name: str, make: Callable[[Path], Sequence[str]]) -> EvidenceFile:
        is_shared = False

        def take_or_make(path: Path) -> Sequence[str]:
            nonlocal is_shared
            if is_shared := self._shared.take(name, path):
                return self._warnings(name)
            return make(path)

        kept = self._local.keep(name, take_or_make)
        if not is_shared and self._shared.stamp(name) is None:
            self._share(name, kept)
        return kept

    def find(self, name: str) -> EvidenceFile | None:
        if (found := self._local.find(name)) is not None:
            return found
        if not _is_plain(name) or self._shared.stamp(name) is None:
            return None

        def take(path: Path) -> Sequence[str]:
            if not self._shared.take(name, path):  # removed just now
                raise _RemovedError
            return self._warnings(name)

        try:
            return self._local.keep(name, take)
        except _RemovedError:
            return None

    def _share(self, name: str, kept: EvidenceFile) -> None:
        if kept.warnings:
            # First: a reader who sees the file finds what is to be said about it.
            warnings = json.dumps(kept.warnings, ensure_ascii=False).encode()
            self._shared.write(f"{name}{_WARNINGS}", warnings)
        self._shared.keep(name, kept.path)
        if time.monotonic() - self._looked_at >= _LOOK_EVERY:
            self._looked_at = time.monotonic()
            self._remove_oldest()

    def _warnings(self, name: str) -> tuple[str, ...]:
        content = self._shared.read(f"{name}{_WARNINGS}")
        return tuple(map(str, json.loads(content))) if content is not None else ()

    def _remove_oldest(self) -> None:
        files = {one.name: one for one in self._shared.stored()}
        total = sum(one.size for one in files.values())
        newest_removable = time.time() - EVIDENCE_SPARED_SECONDS
        for one in sorted(files.values(), key=_age):
            if total <= self._max_bytes or one.written > newest_removable:
                return
            if one.name.removesuffix(_WARNINGS) in files and one.name.endswith(_WARNINGS):
                continue  # it goes with its file
            for name in (one.name, f"{one.name}{_WARNINGS}"):
                if name in files:
                    self._shared.delete(name)
                    total -= files[name].size


class _RemovedError(Exception):
    """The file was removed while it was taken."""


def _is_plain(name: str) -> bool:
    """Whether a name, which came from outside, stays in the folder on any system."""
    return not name.startswith(".") and not set(name) & set("/\\\0:")


def _age(file: StoredBlob) -> tuple[float, str]:
    return file.written, file.name


_LIST: Final = ".json"
# Of a folder of huggingface_hub: snapshots link to what is in blobs, and are copied as files.
_LEFT_OUT: Final = ("blobs", ".locks", ".no_exist")


class ModelFile(Value):
    """A file of a model, by its path in the model's folder and the sha256 of its content."""

    path: str
    sha256: str = Field(pattern="[0-9a-f]{64}")


class ModelFiles(Value):
    """All files of a model."""

    files: tuple[ModelFile, ...]


class SharedModels:
    """Models in ``shared``, by the name of their folder: files by the digest of their content, and
    a list of them, which is written last."""

    def __init__(self, shared: Blobs) -> None:
        self._shared = shared

    def keep(self, folder: Path) -> None:
        """Keep the files of a model that is in ``folder``. Raises StorageFailed, OSError."""
        files = []
        for path in sorted(_files(folder)):
            digest = file_sha256(path)
            self._shared.keep(_blob(digest), path)
            files.append(ModelFile(path=path.relative_to(folder).as_posix(), sha256=digest))
        kept = ModelFiles(files=tuple(files))
        self._shared.write(f"{folder.name}{_LIST}", kept.model_dump_json(indent=2).encode())

    def take(self, folder: Path) -> bool:
        """Make ``folder``, whole or not at all, of the files of the model that is called so, each
        compared with its digest; False where it is not shared. Raises StorageFailed."""
        name = f"{folder.name}{_LIST}"
        if (content := self._shared.read(name)) is None:
            return False
        try:
            model = ModelFiles.model_validate_json(content)
            paths = [_checked(file.path) for file in model.files]
        except (ValidationError, ValueError) as error:
            raise self._damaged(name, "no list of a model's files") from error
        scratch = folder.with_name(f".{folder.name}.{secrets.token_hex(4)}.tmp")
        try:
            for path, file in zip(paths, model.files, strict=True):
                self._take_file(file, scratch / path)
            shutil.rmtree(folder, ignore_errors=True)  # of a fetch that did not end
            scratch.replace(folder)
            sync_folder(folder.parent)
        except OSError as error:
            raise storage_failed(folder, error) from error
        finally:
            with suppress(OSError):
                shutil.rmtree(scratch, ignore_errors=True)
        return True

    def _take_file(self, file: ModelFile, target: Path) -> None:
        target.parent.mkdir(parents=True, exist_ok=True)
        name = _blob(file.sha256)
        if not self._shared.take(name, target):
            raise self._damaged(name, f"{file.path} of the model is missing")
        if file_sha256(target) != file.sha256:
            raise self._damaged(name, "its digest differs")

    def _damaged(self, name: str, reason: str) -> StorageFailed:
        place = self._shared.place(name)
        return StorageFailed(
            f"{place}: damaged ({reason}); delete it, and fetch the model again on a machine that "
            "reaches the network",
            path=place,
        )


def _files(folder: Path) -> Iterator[Path]:
    for path in folder.rglob("*"):
        inside = path.relative_to(folder).parts
        if path.is_file() and inside[0] not in _LEFT_OUT:
            yield path


def _blob(digest: str) -> str:
    return f"{digest[:2]}/{digest}"


def _checked(path: str) -> PurePosixPath:
    """Raises ValueError for a path out of the folder: the list comes from another machine."""
    found = PurePosixPath(path)
    if found.is_absolute() or not found.parts or ".." in found.parts or "\\" in path or ":" in path:
        raise ValueError(path)
    return found


#: A file that was asked for stays this long at least on this machine.
SPARED_SECONDS: Final = 3600.0
# How old a list of the copies may be: it costs a request a thousand papers.
_LISTED_SECONDS: Final = 60.0

NO_COPY: Final = (
    "no such file on this machine, and no copy of it in the storage; ingest it again, with "
    "storage.papers = true, on the machine that has it"
)


class SharedPapers:
    """Copies in ``shared`` as ``ID[:2]/ID`` (interface ``SourceCopies``). Requested ones are taken
    into ``cache`` as ``ID/NAME``, with their own name, which passwords and evidence use. Beyond
    ``max_bytes`` in total, the least recently requested ones are removed, but none from the last
    hour. Methods may be called from several threads."""

    absence = NO_COPY

    def __init__(self, shared: Blobs, cache: Path, max_bytes: int) -> None:
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
            self._shared.keep(_blob(document_id), scratch)
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
        if self._shared.stamp(_blob(document_id)) is None:
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
        self._shared.delete(_blob(document_id))
        with self._lock:
            self._known.discard(document_id)
        shutil.rmtree(self._cache / document_id, ignore_errors=True)

    def _taken(self, document_id: str, scratch: Path, path: Path) -> bool:
        """Whether there was a copy, which is at ``path`` then, whole."""
        name = _blob(document_id)
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


def _file_name(name: str) -> str:
    """The last part of a path of any system; never empty, never a folder's."""
    last = name.replace("\\", "/").rpartition("/")[2].strip()
    return last if last.strip(".") else "paper"


def _copied(source: Path, target: Path) -> str:
    """Copy a file; returns the sha256 of the copy."""
    digest = hashlib.sha256()
    with source.open("rb") as original, target.open("wb") as copy:
        while piece := original.read(2**20):
            digest.update(piece)
            copy.write(piece)
    return digest.hexdigest()
