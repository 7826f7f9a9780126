"""Models that machines share: fetched by one, taken by others, which need no network for it."""

import secrets
import shutil
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path, PurePosixPath
from typing import Final

from pydantic import Field, ValidationError

from citeloom.domain.errors import StorageFailed
from citeloom.domain.value import Value
from citeloom.infrastructure.storage.blobs.blobs import Blobs, file_sha256
from citeloom.infrastructure.system.atomic_files import sync_folder
from citeloom.infrastructure.system.failure_messages import storage_failed

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
