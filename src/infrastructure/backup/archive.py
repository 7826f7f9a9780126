"""Archive of a workspace: a ZIP file with a manifest of sizes and checksums."""

import hashlib
import json
import os
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path, PurePosixPath
from typing import Final

from pydantic import ValidationError

from citeloom.domain.errors import InvalidSource, WorkspaceTooNew
from citeloom.domain.value import Value
from citeloom.infrastructure.system.atomic_files import atomic_path
from citeloom.infrastructure.system.failure_messages import storage_failed

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
        raise InvalidSource(f"{path}: this is no backup of a workspace") from error
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
