"""State of source files: unchanged, changed or missing since they were mapped."""

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from citeloom.application.documents.source_paths import gone
from citeloom.application.ports.catalogue import StoredDocument
from citeloom.application.ports.ingest import SourceCopies, SourceFiles
from citeloom.domain.errors import InvalidSource, SourceChanged
from citeloom.domain.maps.resource_map import ResourceMap
from citeloom.domain.messages import Action, NextStep

# Addresses of notes, and of items without files, in a library.
_NO_FILES = "zotero://"


class EvidenceSource(NamedTuple):
    """A file to cut from, and the sha256 of its content now (hex)."""

    path: Path
    digest: str
    warnings: tuple[str, ...] = ()


class SourceState:
    """Compares source files with the maps made of them."""

    def __init__(self, files: SourceFiles, copies: SourceCopies) -> None:
        self._files = files
        self._copies = copies

    def source(
        self, resource: ResourceMap, stored: StoredDocument | None, *, allow_stale: bool
    ) -> EvidenceSource:
        """A file with the mapped content, by its digest: where none is at its paths, a copy.

        Raises InvalidSource if there is none or it cannot be read; SourceChanged if the content
        differs, unless ``allow_stale`` makes that a warning; StorageFailed.
        """
        mapped_digest = _digest(resource)
        changed: list[EvidenceSource] = []
        for path in _paths(resource, stored):
            if not self._files.exists(str(path)):
                continue
            source = EvidenceSource(path, self._sha256(path))
            if mapped_digest is None:
                warning = f"{path}: its map does not say which content it was made of"
                return source._replace(warnings=(warning,))
            if source.digest == mapped_digest:
                return source
            changed.append(source)
        if not changed:
            if (copy := self._copy(resource)) is not None:
                return copy
            raise gone(resource.source_path, self._copies)
        message = f"{changed[0].path}: changed since it was mapped"
        if not allow_stale:
            raise SourceChanged(
                f"{message}; ingest it again",
                NextStep(Action.ALLOW_STALE),
                source=str(changed[0].path),
            )
        warning = f"{message}: what was cut may be something else"
        return changed[0]._replace(warnings=(warning,))

    def doubts(self, resource: ResourceMap, stored: StoredDocument | None) -> Iterator[str]:
        """Warnings about a missing or changed source. Only a file whose stamp differs from the
        stored one is opened."""
        if resource.source_path.startswith(_NO_FILES):
            return
        stamps = {one.path: one for one in stored.sources} if stored else {}
        mapped_digest = _digest(resource)
        size = (resource.metadata or {}).get("source_size")
        changed: Path | None = None
        for path in _paths(resource, stored):
            if not self._files.exists(str(path)):
                continue
            now = self._files.find((str(path),), lambda _: True).files[0].stamp
            if now is None or mapped_digest is None:
                return
            stamp = stamps.get(str(path))
            if now == stamp or (stamp is None and now.size == size):
                return
            if self._sha256(path) == mapped_digest:
                return
            changed = changed or path
        if changed:
            yield f"{changed}: changed since it was mapped; ingest it again"
        elif self._copy(resource) is None:
            yield gone(resource.source_path, self._copies).message

    def unchanged(self, source: EvidenceSource) -> bool:
        """Whether the file has the same content still. Raises InvalidSource."""
        return self._sha256(source.path) == source.digest

    def _copy(self, resource: ResourceMap) -> EvidenceSource | None:
        digest = _digest(resource)
        path = self._copies.find(digest, resource.source_path) if digest else None
        return EvidenceSource(path, digest) if path and digest else None

    def _sha256(self, path: Path) -> str:
        try:
            return self._files.sha256(path)
        except OSError as error:
            raise InvalidSource(
                f"{path}: cannot be read ({error.strerror or error}); check its permissions",
                source=str(path),
            ) from error


def _paths(resource: ResourceMap, stored: StoredDocument | None) -> list[Path]:
    """Possible paths of the content: as last ingested, then as mapped."""
    stamps = stored.sources if stored else ()
    return [Path(one) for one in dict.fromkeys([*(s.path for s in stamps), resource.source_path])]


def _digest(resource: ResourceMap) -> str | None:
    digest = (resource.metadata or {}).get("source_hash")
    return digest if isinstance(digest, str) else None
