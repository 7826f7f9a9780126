"""The hits of the last question in a file of the workspace (port ``ShownHitStore``)."""

from pathlib import Path

from pydantic import ValidationError

from citeloom.domain.errors import StorageFailed
from citeloom.domain.search.shown_hits import ShownHits
from citeloom.infrastructure.system.atomic_files import write_atomic
from citeloom.infrastructure.system.failure_messages import storage_failed
from citeloom.infrastructure.system.workspace import make_folder


class FileShownHitStore:
    def __init__(self, path: Path) -> None:
        self._path = path

    def save(self, shown: ShownHits) -> None:
        make_folder(self._path.parent)
        write_atomic(self._path, shown.model_dump_json().encode() + b"\n")

    def load(self) -> ShownHits | None:
        try:
            return ShownHits.model_validate_json(self._path.read_bytes())
        except FileNotFoundError:
            return None
        except OSError as error:
            raise storage_failed(self._path, error, "read") from error
        except ValidationError as error:
            raise StorageFailed(
                f"{self._path}: damaged; ask the question again", path=str(self._path)
            ) from error
