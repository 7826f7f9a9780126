"""File names of maps, the hits of the last question, and files that are gone."""

import re
from collections.abc import Set
from pathlib import Path
from typing import Final

from pydantic import ValidationError

from citeloom.domain.errors import StorageFailed
from citeloom.domain.maps.address import short_id
from citeloom.domain.search.hits import ShownHits
from citeloom.infrastructure.system.files import storage_failed, write_atomic
from citeloom.infrastructure.system.workspace import make_folder

_SAFE_ID = re.compile(r"[0-9A-Za-z][0-9A-Za-z_-]{0,127}")
_DIGEST = re.compile(r"[0-9a-f]{64}")


def safe_id(document_id: str) -> str:
    """``document_id``, if it is a safe file name; ValueError if not."""
    if not is_safe_id(document_id):
        raise ValueError(f"{document_id!r} is not a document id")
    return document_id


def is_safe_id(name: str) -> bool:
    return _SAFE_ID.fullmatch(name) is not None


def map_name(name: str) -> str:
    """File name of a map: the short form of a document id, any other id unchanged. ValueError if it
    is not a safe file name."""
    return short_id(name) if _DIGEST.fullmatch(name) else safe_id(name)


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


ALONE: Final = "the file is gone; put it back, or ingest it from its new place"
NOT_SHARED: Final = (
    "no such file on this machine; put papers where all machines see them under one path, or set "
    "storage.papers = true on the machine that has it, and ingest it there again"
)


class NoCopies:
    """No copies are kept (interface ``SourceCopies``)."""

    def __init__(self, absence: str) -> None:
        self.absence = absence

    def keep(self, document_id: str, source: Path) -> None: ...

    def find(self, document_id: str, name: str) -> None: ...

    def ids(self) -> Set[str]:
        return frozenset()

    def delete(self, document_id: str) -> None: ...
