"""Files in an object store through fsspec: S3 and stores with its protocol.

A store shows an object only when it is complete, so no temporary names are needed. An object is
written on the condition that it does not exist. If one with the same content exists, nothing is
written: two machines that convert the same document do not disturb each other.
"""

from collections.abc import Hashable, Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any, Final

from citeloom.domain.errors import ConfigurationError, StorageFailed
from citeloom.infrastructure.storage.blobs import StoredBlob

# Of botocore: a store that does not answer is told within a minute, after its own repetitions.
_S3_OPTIONS: Final = {
    "config_kwargs": {
        "connect_timeout": 10,
        "read_timeout": 60,
        "retries": {"mode": "standard", "max_attempts": 4},
    },
    "use_listings_cache": False,
}


class ObjectBlobs:
    """Objects below ``url`` (``s3://BUCKET/PREFIX``). Keys, region and endpoint are found as the
    store's own tools find them (AWS_ACCESS_KEY_ID, AWS_ENDPOINT_URL, ~/.aws). Raises
    ConfigurationError where the driver is missing."""

    def __init__(self, url: str) -> None:
        self._url = url.rstrip("/")
        self._files = _file_system(self._url)
        self._root = self._url.partition("://")[2].rstrip("/")

    def place(self, name: str) -> str:
        return f"{self._url}/{name}"

    def read(self, name: str) -> bytes | None:
        with self._failures(name, "read"):
            try:
                return bytes(self._files.cat_file(self._path(name)))
            except FileNotFoundError:
                return None

    def write(self, name: str, content: bytes) -> None:
        with self._failures(name, "written"):
            try:
                self._files.pipe_file(self._path(name), content, mode="create")
            except FileExistsError:
                if self.read(name) != content:
                    self._files.pipe_file(self._path(name), content)

    def keep(self, name: str, source: Path) -> None:
        source.open("rb").close()  # what cannot be read is not a failure of the store
        with self._failures(name, "written"):
            try:
                self._files.put_file(str(source), self._path(name), mode="create")
            except FileExistsError:
                return

    def take(self, name: str, target: Path) -> bool:
        target.open("wb").close()  # nor is what cannot be written
        with self._failures(name, "read"):
            try:
                self._files.get_file(self._path(name), str(target))
            except FileNotFoundError:
                target.unlink()
                return False
        return True

    def delete(self, name: str) -> None:
        with self._failures(name, "deleted"):
            try:
                self._files.rm_file(self._path(name))
            except FileNotFoundError:
                return

    def names(self, suffix: str) -> Iterator[str]:
        yield from (one.name for one in self.stored() if one.name.endswith(suffix))

    def stored(self) -> Iterator[StoredBlob]:
        with self._failures("", "listed"):
            try:
                found = self._files.find(self._root, detail=True)
            except FileNotFoundError:
                return
        start = len(self._root) + 1
        for path, entry in sorted(found.items()):
            name = str(path).lstrip("/")[start:]
            yield StoredBlob(name, int(entry["size"]), _written(entry))

    def stamp(self, name: str) -> Hashable | None:
        with self._failures(name, "read"):
            try:
                found = self._files.info(self._path(name))
            except FileNotFoundError:
                return None
        return str(found.get("ETag") or found.get("created")), found.get("size")

    def _path(self, name: str) -> str:
        return f"{self._root}/{name}"

    @contextmanager
    def _failures(self, name: str, action: str) -> Iterator[None]:
        """Each store has errors of its own; what they have in common is that nothing was done."""
        try:
            yield
        except StorageFailed:
            raise
        except Exception as error:
            reason = " ".join(str(error).split()) or type(error).__name__
            raise StorageFailed(
                f"{self.place(name)}: cannot be {action} ({reason}); check that the store is "
                "reached, that the bucket is there and that its keys allow it",
                url=self._url,
            ) from error


def _written(entry: Mapping[str, Any]) -> float:
    """When an object was put, in seconds since 1970: stores name it in their own ways."""
    written = entry.get("LastModified") or entry["created"]
    return written.timestamp() if isinstance(written, datetime) else float(written)


def _file_system(url: str) -> Any:
    protocol = url.partition("://")[0]
    try:
        import fsspec

        options = _S3_OPTIONS if protocol == "s3" else {}
        return fsspec.filesystem(protocol, **options)
    except ImportError:
        raise ConfigurationError(
            f"storage.url: what opens {protocol}:// is not installed; run "
            '`pip install "citeloom[s3]"`',
            setting="storage.url",
        ) from None
    except ValueError:
        raise ConfigurationError(
            f"storage.url: {protocol}:// is not a known store; write s3://BUCKET/PREFIX "
            "or a folder, or leave it out for the workspace",
            setting="storage.url",
        ) from None
