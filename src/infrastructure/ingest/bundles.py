"""Bundle store and journal of ingests, as files.

A bundle is gzip of two parts: a header (one line of JSON: format, version, document, fingerprint,
sha256 of the rest) and the ConversionResult as JSON. The same result gives the same bytes. A map is
plain indented JSON, for people too.
"""

import errno
import gzip
import hashlib
import json
import os
import re
import zlib
from collections.abc import Hashable, Iterator, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any, NoReturn

from pydantic import TypeAdapter, ValidationError

from citeloom.application.ports.ingest import JournalEntry, Refusal
from citeloom.domain.documents.conversion import ConversionResult
from citeloom.domain.errors import InvalidMap, StorageFailed, WorkspaceTooNew
from citeloom.domain.maps.resource_map import ResourceMap, read_map
from citeloom.domain.messages import Action, NextStep
from citeloom.domain.text.phrasing import first_line
from citeloom.infrastructure.storage.blobs import Blobs
from citeloom.infrastructure.storage.small_files import is_safe_id, map_name, safe_id
from citeloom.infrastructure.system.files import storage_failed
from citeloom.infrastructure.system.workspace import make_folder

if TYPE_CHECKING:
    from citeloom.domain.references.entries.reference_list import CitedWork

MAX_BYTES = 10 * 1024 * 1024
_LOCK_SECONDS = 5.0


class FileIngestJournal:
    """Records in the file at ``path``, one a line. At ``max_bytes`` it becomes ``PATH.1``,
    in place of the one before, and a new file begins."""

    def __init__(self, path: Path, max_bytes: int = MAX_BYTES) -> None:
        self._path = path
        self._max_bytes = max_bytes

    def append(self, record: JournalEntry) -> None:
        line = record.model_dump_json(exclude_none=True).encode() + b"\n"
        make_folder(self._path.parent)
        try:
            if self._is_long():
                self._rotate()
            _append(self._path, line)
        except OSError as error:
            raise storage_failed(self._path, error) from error

    def entries(self) -> Iterator[JournalEntry]:
        for path in (self._path.with_name(f"{self._path.name}.1"), self._path):
            try:
                lines = path.read_bytes().splitlines()
            except FileNotFoundError:
                continue
            except OSError as error:
                raise storage_failed(path, error, "read") from error
            for line in lines:
                with suppress(ValidationError):
                    yield JournalEntry.model_validate_json(line)

    def _is_long(self) -> bool:
        return self._path.exists() and self._path.stat().st_size >= self._max_bytes

    def _rotate(self) -> None:
        from filelock import FileLock, Timeout  # seldom needed, slow to import

        try:
            with FileLock(self._path.with_name(".ingests.lock"), timeout=_LOCK_SECONDS):
                if self._is_long():  # else another process has just done it
                    self._path.replace(self._path.with_name(f"{self._path.name}.1"))
        except (Timeout, PermissionError):
            # Windows renames no file that is open elsewhere: the next record tries again.
            pass


def _append(path: Path, line: bytes) -> None:
    """One write at the end of the file, so that lines of several processes do not mix. A line
    cut short by a full disk is ended first."""
    flags = os.O_RDWR | os.O_APPEND | os.O_CREAT | getattr(os, "O_BINARY", 0)
    handle = os.open(path, flags, 0o644)
    try:
        size = os.fstat(handle).st_size
        if size:
            os.lseek(handle, size - 1, os.SEEK_SET)
            if os.read(handle, 1) != b"\n":
                line = b"\n" + line
        if os.write(handle, line) < len(line):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    finally:
        os.close(handle)


FORMAT = "citeloom-bundle"
VERSION = 1
MAP_VERSION = 1
_MAP_VERSION_KEY = "map_version"
# The sha256 of the file with zeros in place of the digest; a map that a person wrote has none.
_MAP_DIGEST_KEY = "content_sha256"
_MAP_DIGEST = re.compile(rb'("content_sha256": ")([0-9a-f]{64})(")')
_NO_DIGEST = "0" * 64
_SUFFIX = ".json.gz"
_REFUSED = ".refused.json"
_WORKS = ".references.json"
_MAP = ".json"
# Measured on 50 pages with 5,400 lines (670 kB): level 6 writes in 26 ms, and 7 % smaller
# than level 1 in 10 ms; reading takes 5 ms at any level, validation 12 ms.
_LEVEL = 6
# Parsed maps cached in memory: an agent reads the same one repeatedly.
_CACHED_MAPS = 256


@cache
def _works_file() -> "TypeAdapter[tuple[str, tuple[CitedWork, ...]]]":
    """The reader and writer of works, made when they are used: a question needs none."""
    from citeloom.domain.references.entries.reference_list import CitedWork

    return TypeAdapter(tuple[str, tuple[CitedWork, ...]])


class FileBundleStore:
    """Bundles in ``bundles`` as ``ID[:2]/ID.json.gz``, beside them reference lists in
    ``ID.references.json`` and refusals in ``ID.refused.json``; maps in ``maps`` as
    ``ID[:16].json``. An id is the digest of the document's content, so that names never clash,
    whichever machine writes."""

    def __init__(self, bundles: Blobs, maps: Blobs) -> None:
        self._bundles = bundles
        self._maps = maps
        self._read_maps: dict[str, tuple[Hashable, ResourceMap]] = {}

    def save(self, result: ConversionResult, fingerprint: str) -> None:
        body = result.model_dump_json().encode()
        header = {
            "format": FORMAT,
            "version": VERSION,
            "document_id": result.doc_id,
            "fingerprint": fingerprint,
            "sha256": hashlib.sha256(body).hexdigest(),
        }
        content = json.dumps(header, ensure_ascii=False).encode() + b"\n" + body
        packed = gzip.compress(content, _LEVEL, mtime=0)
        self._bundles.write(_name(result.doc_id, _SUFFIX), packed)
        self._bundles.delete(_name(result.doc_id, _REFUSED))
        self._bundles.delete(_name(result.doc_id, _WORKS))

    def load(self, document_id: str, fingerprint: str | None = None) -> ConversionResult | None:
        name = _name(document_id, _SUFFIX)
        if (content := self._bundles.read(name)) is None:
            return None
        place = self._bundles.place(name)
        header, body = _unpacked(place, content, document_id)
        if fingerprint is not None and header.get("fingerprint") != fingerprint:
            return None
        _compare(place, header, body)
        try:
            return ConversionResult.model_validate_json(body)
        except ValidationError as error:
            _damaged(place, error)

    def verify(self, document_id: str) -> bool:
        name = _name(document_id, _SUFFIX)
        if (content := self._bundles.read(name)) is None:
            return False
        place = self._bundles.place(name)
        _compare(place, *_unpacked(place, content, document_id))
        return True

    def save_map(self, document_id: str, resource_map: ResourceMap) -> None:
        versioned = resource_map.model_copy(
            update={
                "metadata": {
                    **(resource_map.metadata or {}),
                    _MAP_VERSION_KEY: MAP_VERSION,
                    _MAP_DIGEST_KEY: _NO_DIGEST,
                }
            }
        )
        text = versioned.model_dump_json(exclude_none=True, indent=2)
        self._maps.write(_map(document_id), _signed(text.encode() + b"\n"))

    def load_map(self, document_id: str) -> ResourceMap | None:
        name = _map(document_id)
        stamp = self._maps.stamp(name)
        if stamp is not None and (cached := self._read_maps.get(name)) and cached[0] == stamp:
            return cached[1]
        if (content := self._maps.read(name)) is None:
            return None
        place = self._maps.place(name)
        try:
            loaded = read_map(content)
        except InvalidMap as error:
            _damaged(place, error)
        metadata = dict(loaded.metadata or {})
        _check_version(place, metadata.pop(_MAP_VERSION_KEY, MAP_VERSION), MAP_VERSION)
        metadata.pop(_MAP_DIGEST_KEY, None)
        if not _is_as_signed(content):
            _damaged(place, "its digest differs")
        loaded = loaded.model_copy(update={"metadata": metadata or None})
        if stamp is not None and stamp == self._maps.stamp(name):
            if len(self._read_maps) >= _CACHED_MAPS:
                self._read_maps.clear()
            self._read_maps[name] = (stamp, loaded)
        return loaded

    def map_ids(self) -> Iterator[str]:
        names = (name.removesuffix(_MAP) for name in self._maps.names(_MAP))
        yield from sorted(name for name in names if is_safe_id(name))

    def ids(self) -> Iterator[str]:
        for name in self._bundles.names(_SUFFIX):
            yield PurePosixPath(name).name.removesuffix(_SUFFIX)

    def save_works(self, document_id: str, fingerprint: str, works: Sequence["CitedWork"]) -> None:
        content = _works_file().dump_json((fingerprint, tuple(works)), exclude_defaults=True)
        self._bundles.write(_name(document_id, _WORKS), content + b"\n")

    def load_works(self, document_id: str, fingerprint: str) -> "Sequence[CitedWork] | None":
        try:
            if (content := self._bundles.read(_name(document_id, _WORKS))) is None:
                return None
            made_by, works = _works_file().validate_json(content)
        except (StorageFailed, ValidationError):
            return None
        return works if made_by == fingerprint else None

    def refuse(self, document_id: str, refusal: Refusal) -> None:
        content = refusal.model_dump_json().encode() + b"\n"
        self._bundles.write(_name(document_id, _REFUSED), content)

    def refusal(self, document_id: str) -> Refusal | None:
        try:
            content = self._bundles.read(_name(document_id, _REFUSED))
            return Refusal.model_validate_json(content) if content is not None else None
        except (StorageFailed, ValidationError):
            return None

    def delete(self, document_id: str) -> None:
        self._bundles.delete(_name(document_id, _SUFFIX))
        self._maps.delete(_map(document_id))
        self._bundles.delete(_name(document_id, _REFUSED))
        self._bundles.delete(_name(document_id, _WORKS))


def _name(document_id: str, suffix: str) -> str:
    return f"{safe_id(document_id)[:2]}/{document_id}{suffix}"


def _map(document_id: str) -> str:
    return f"{map_name(document_id)}{_MAP}"


def _unpacked(place: str, content: bytes, document_id: str) -> tuple[dict[str, Any], bytes]:
    """Header and body of a bundle. Raises StorageFailed, WorkspaceTooNew."""
    try:
        head, _, body = gzip.decompress(content).partition(b"\n")
        header: dict[str, Any] = json.loads(head)
        is_bundle = header["format"] == FORMAT and isinstance(header["version"], int)
    except (OSError, EOFError, zlib.error, ValueError, TypeError, KeyError) as error:
        _damaged(place, error)
    if not is_bundle:
        _damaged(place, "not a bundle")
    _check_version(place, header["version"], VERSION)
    if header.get("document_id") != document_id:
        _damaged(place, "it belongs to another document")
    return header, body


def _compare(place: str, header: dict[str, Any], body: bytes) -> None:
    if header.get("sha256") != hashlib.sha256(body).hexdigest():
        _damaged(place, "its digest differs")


def _signed(content: bytes) -> bytes:
    """A map's file with its digest."""
    digest = hashlib.sha256(content).hexdigest().encode()
    return _MAP_DIGEST.sub(rb"\g<1>" + digest + rb"\g<3>", content, count=1)


def _is_as_signed(content: bytes) -> bool:
    """Whether the digest in a map's file is right, if there is one."""
    found = _MAP_DIGEST.search(content)
    if found is None:
        return True
    unsigned = content[: found.start(2)] + _NO_DIGEST.encode() + content[found.end(2) :]
    return hashlib.sha256(unsigned).hexdigest().encode() == found.group(2)


def _check_version(place: str, version: object, supported: int) -> None:
    if not isinstance(version, int) or version > supported:
        raise WorkspaceTooNew(
            f"{place}: written by a newer CiteLoom (format {version}); upgrade CiteLoom",
            path=place,
            version=version,
            known=supported,
        )


def _damaged(place: str, reason: object) -> NoReturn:
    raise StorageFailed(
        f"{place}: damaged ({first_line(reason)})", NextStep(Action.REPAIR), path=place
    ) from (reason if isinstance(reason, BaseException) else None)
