"""Stores of documents, and their source files: unchanged, changed or missing."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from citeloom.application.ports.catalogue import Catalogue, StoredDocument
from citeloom.application.ports.citation import OwnRecords
from citeloom.application.ports.ingest import BundleStore, SourceCopies, SourceFiles
from citeloom.application.ports.maps import PageTexts
from citeloom.domain.documents.fidelity import PDF, stands_on
from citeloom.domain.errors import (
    ConversionFailed,
    InvalidRequest,
    InvalidSource,
    PasswordNeeded,
    SourceChanged,
)
from citeloom.domain.maps.address import short_id
from citeloom.domain.maps.resource_map import ResourceMap
from citeloom.domain.messages import Action, NextStep

from .conversions import require_text

# Addresses of notes and items without files in a library, and of works without text.
_NO_FILES = ("zotero://", "work:")


@dataclass(frozen=True, slots=True)
class DocumentStores:
    """The stores of documents: records, conversions, files and their copies, persons' own data."""

    catalogue: Catalogue
    bundles: BundleStore
    files: SourceFiles
    copies: SourceCopies
    own: OwnRecords


def password_for(name: str, passwords: Mapping[str, str], general: str | None) -> str | None:
    """The password of this file name, else of the first matching pattern, else ``general``."""
    if name in passwords:
        return passwords[name]
    fitting = (word for pattern, word in passwords.items() if fnmatchcase(name, pattern))
    return next(fitting, general)


class EvidenceSource(NamedTuple):
    """A file to cut from, and the sha256 of its content now (hex)."""

    path: Path
    digest: str
    warnings: tuple[str, ...] = ()


class SourceState:
    """Compares source files with the documents and maps made of them. Where no file has the
    content, ``copies`` may have it."""

    def __init__(self, files: SourceFiles, copies: SourceCopies) -> None:
        self._files = files
        self._copies = copies

    def unchanged(self, stored: StoredDocument) -> Path:
        """A file of the document with the content that was converted. Raises InvalidSource for a
        file that is gone, changed or unreadable, StorageFailed."""
        require_text(stored)
        changed: list[Path] = []
        for path in self._existing(stamp.path for stamp in stored.sources):
            if self._sha256(path) == stored.document_id:
                return path
            changed.append(path)
        if changed:
            raise InvalidSource(f"{changed[0]}: changed since it was ingested; ingest it again")
        name = stored.path or short_id(stored.document_id)
        if (copy := self._copies.find(stored.document_id, name)) is not None:
            return copy
        raise self._gone(name)

    def source(
        self, resource: ResourceMap, stored: StoredDocument | None, *, allow_stale: bool
    ) -> EvidenceSource:
        """A file with the mapped content, by its digest; a copy if its paths have none. Raises
        InvalidSource if there is none or it cannot be read; SourceChanged if the content differs,
        unless ``allow_stale`` makes that a warning; StorageFailed."""
        if stored is not None:
            require_text(stored)
        changed: list[EvidenceSource] = []
        for path in self._existing(_paths(resource, stored)):
            source = EvidenceSource(path, self._sha256(path))
            if resource.source_hash is None:
                warning = f"{path}: its map does not say which content it was made of"
                return source._replace(warnings=(warning,))
            if source.digest == resource.source_hash:
                return source
            changed.append(source)
        if not changed:
            if (copy := self._copy(resource)) is not None:
                return copy
            raise self._gone(resource.source_path)
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
        size = (resource.metadata or {}).get("source_size")
        changed: Path | None = None
        for path in self._existing(_paths(resource, stored)):
            now = self._files.find((str(path),), lambda _: True).files[0].stamp
            if now is None or resource.source_hash is None:
                return
            stamp = stamps.get(str(path))
            if now == stamp or (stamp is None and now.size == size):
                return
            if self._sha256(path) == resource.source_hash:
                return
            changed = changed or path
        if changed:
            yield f"{changed}: changed since it was mapped; ingest it again"
        elif self._copy(resource) is None:
            yield self._gone(resource.source_path).message

    def is_still(self, source: EvidenceSource) -> bool:
        """Whether the file has the same content still. Raises InvalidSource."""
        return self._sha256(source.path) == source.digest

    def _existing(self, paths: Iterable[str]) -> Iterator[Path]:
        return (path for path in map(Path, paths) if self._files.exists(str(path)))

    def _copy(self, resource: ResourceMap) -> EvidenceSource | None:
        digest = resource.source_hash
        path = self._copies.find(digest, resource.source_path) if digest else None
        return EvidenceSource(path, digest) if path and digest else None

    def _gone(self, path: str) -> InvalidSource:
        """The error of a file that is neither at its path nor kept as a copy."""
        return InvalidSource(f"{path}: {self._copies.absence}", source=path)

    def _sha256(self, path: Path) -> str:
        try:
            return self._files.sha256(path)
        except OSError as error:
            raise InvalidSource(
                f"{path}: cannot be read ({error.strerror or error}); check its permissions",
                source=str(path),
            ) from error


def _paths(resource: ResourceMap, stored: StoredDocument | None) -> Iterable[str]:
    """Possible paths of the content: as last ingested, then as mapped."""
    stamps = stored.sources if stored else ()
    return dict.fromkeys([*(stamp.path for stamp in stamps), resource.source_path])


class SecondReading:
    """Compares quotations with the pages of the files that were converted. ``passwords`` are by
    file name or pattern. Readings are cached."""

    def __init__(
        self, *, sources: SourceState, texts: PageTexts, passwords: Mapping[str, str]
    ) -> None:
        self._sources = sources
        self._texts = texts
        self._passwords = passwords
        self._read = lru_cache(maxsize=256)(self._page)
        self._found: dict[str, Path | None] = {}

    def has(self, stored: StoredDocument, quote: str, pages: Sequence[int]) -> bool | None:
        """Whether ``quote`` is on ``pages``; None if they cannot be compared: not a PDF, a page
        without text, a file that is gone, changed or unreadable."""
        if stored.mime_type != PDF or not pages:
            return None
        if stored.document_id not in self._found:
            self._found[stored.document_id] = self._source(stored)
        source = self._found[stored.document_id]
        if source is None:
            return None
        readings = [self._read(source, page) for page in pages]
        known = [one for one in readings if one is not None]
        return stands_on(quote, known) if len(known) == len(readings) else None

    def _source(self, stored: StoredDocument) -> Path | None:
        try:
            return self._sources.unchanged(stored)
        except InvalidSource:  # the report says what was not compared
            return None

    def _page(self, source: Path, page: int) -> str | None:
        password = password_for(source.name, self._passwords, None)
        try:
            return self._texts(source, page, password)
        except (ConversionFailed, InvalidRequest, PasswordNeeded):
            return None
