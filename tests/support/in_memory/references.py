"""In-memory adapters of ``ReferenceReader``, ``WorkLookup`` and ``Downloads``."""

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from citeloom.application.ports.citation import Fetched, OpenPdf, ReferenceLibrary
from citeloom.domain.citation.metadata import CitationMeta
from citeloom.domain.errors import LookupFailed, ReferencesUnreadable
from citeloom.domain.references.identifiers import normalise_arxiv, normalise_title
from citeloom.domain.references.lookup import FoundWork
from citeloom.infrastructure.references.citation_keys import collect
from citeloom.infrastructure.references.formats.csl import meta_from_csl
from citeloom.infrastructure.references.lookup.downloads import HttpDownloads
from citeloom.infrastructure.system.files import scratch_path


class InMemoryReferenceReader:
    """Items registered under a path, read by the rules of a file."""

    suffixes = frozenset({".json"})

    def __init__(self) -> None:
        self._libraries: dict[Path, list[Any]] = {}

    def put(self, path: Path, items: Sequence[Mapping[str, Any]]) -> None:
        """Register ``items`` (CSL-JSON or Zotero) as the content of ``path``."""
        self._libraries[path] = list(items)

    def item(self, item: Mapping[str, Any], citekey: str) -> CitationMeta:
        return meta_from_csl(item, citekey)

    def read(self, path: Path) -> ReferenceLibrary:
        items = self._libraries.get(path)
        if items is None:
            raise ReferencesUnreadable(f"{path.name}: no such file; check the path", path=str(path))
        library = collect(items, None, folder=path.parent)
        return ReferenceLibrary(
            source=str(path),
            fingerprint=hashlib.sha256(json.dumps(items).encode()).hexdigest(),
            items=library.items,
            attachments=library.attachments,
            warnings=library.warnings,
        )


class InMemoryWorkLookup:
    """CSL-JSON items by identifier, open PDFs by DOI. What it is asked is in ``asked``; ``failing``
    identifiers and titles raise."""

    def __init__(self) -> None:
        self.items: dict[str, dict[str, Any]] = {}
        self.failing: set[str] = set()
        self.asked: list[str] = []
        self.pdfs: dict[str, Sequence[OpenPdf]] = {}

    def by_identifier(self, identifier: str) -> FoundWork | None:
        self._ask(identifier)
        item = self.items.get(normalise_arxiv(identifier) or identifier)
        return FoundWork(item=item, service="Memory") if item else None

    catalogues = ("Memory",)

    def by_title(self, catalogue: str, title: str, author: str) -> Sequence[FoundWork]:
        self._ask(title)
        words = set(normalise_title(title).split())
        shared = {
            len(words & set(normalise_title(str(item["title"])).split())): item
            for item in self.items.values()
        }
        ordered = [shared[count] for count in sorted(shared, reverse=True) if count > 1]
        return [FoundWork(item=item, service="Memory") for item in ordered]

    def open_pdfs(self, item: Mapping[str, Any]) -> Sequence[OpenPdf]:
        doi = str(item.get("DOI", ""))
        self._ask(f"pdf of {doi}")
        return self.pdfs.get(doi, ())

    def _ask(self, what: str) -> None:
        self.asked.append(what)
        if what in self.failing:
            raise LookupFailed("memory.example: it answers 503 Service Unavailable")


class InMemoryDownloads:
    """Contents and their suffixes by address; the files are real ones."""

    def __init__(self) -> None:
        self.files: dict[str, tuple[bytes, str]] = {}
        self.asked: list[tuple[str, bool]] = []

    @contextmanager
    def fetch(self, url: str, folder: Path, *, typed: bool, pdf: bool = False) -> Iterator[Fetched]:
        self.asked.append((url, typed))
        if url not in self.files or (pdf and self.files[url][1] == ".html"):
            raise LookupFailed("memory.example: answers 404 Not Found")
        content, suffix = self.files[url]
        folder.mkdir(parents=True, exist_ok=True)
        with scratch_path(folder / "fetched") as path:
            path.write_bytes(content)
            yield Fetched(path, hashlib.sha256(content).hexdigest(), suffix)

    def keep(self, path: Path, name: str) -> Path:
        return HttpDownloads(version="1").keep(path, name)
