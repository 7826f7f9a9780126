"""A library in memory whose files lie in a temporary folder, and a project that follows it."""

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from support.in_memory.library import InMemoryLibrarySource
from support.in_memory.stores import InMemoryBundleStore, InMemoryFollowedLibraries
from support.world import HERE, World
from support.zotero.library import Raw, attachment, key, note, work

from citeloom.application.ports.catalogue import StoredDocument
from citeloom.application.ports.ingest import SilentProgress
from citeloom.domain.documents.conversion import ConversionResult
from citeloom.domain.ingest import IngestResult
from citeloom.domain.library import (
    LibraryAttachment,
    LibraryRef,
    LibraryScope,
    LibrarySnapshot,
    SyncRequest,
)
from citeloom.domain.projects.project import Project
from citeloom.infrastructure.ingest.source_files import LocalFiles
from citeloom.infrastructure.library.raw_items import AttachmentFolders
from citeloom.infrastructure.library.snapshot import RawLibrary


class Told(SilentProgress):
    """Keeps the notices."""

    def __init__(self) -> None:
        self.notices: list[str] = []

    def notice(self, text: str) -> None:
        self.notices.append(text)


class CountingFiles(LocalFiles):
    """``hashed`` are the names of files that were opened."""

    def __init__(self) -> None:
        self.hashed: list[str] = []

    def sha256(self, path: Path) -> str:
        self.hashed.append(path.name)
        return super().sha256(path)


class CountingBundles(InMemoryBundleStore):
    """``loaded`` are ids of documents whose conversion was read."""

    def __init__(self) -> None:
        super().__init__()
        self.loaded: list[str] = []

    def load(self, document_id: str, fingerprint: str | None = None) -> ConversionResult | None:
        self.loaded.append(document_id)
        return super().load(document_id, fingerprint)


class CountingLibrary(InMemoryLibrarySource):
    """``read`` counts snapshots, ``asked`` files; with ``broken`` not all is read: of items
    nothing, or what ``lost`` names."""

    read = asked = 0
    broken = False
    lost: Sequence[str] = ()

    def snapshot(self, scope: LibraryScope) -> LibrarySnapshot:
        self.read += 1
        found = super().snapshot(scope)
        if not self.broken:
            return found
        return found.model_copy(
            update={
                "complete": False,
                "items": tuple(i for i in found.items if i.key not in self.lost),
                "attachments": tuple(a for a in found.attachments if a.key not in self.lost),
                "notes": tuple(n for n in found.notes if n.key not in self.lost),
            }
        )

    def file(self, attachment: LibraryAttachment) -> Path | None:
        self.asked += 1
        return super().file(attachment)


@dataclass
class Reader:
    """Someone with a library and a project. Items are numbered; their files are Markdown."""

    world: World
    data: Path
    raw: dict[str, Raw] = field(default_factory=dict)
    collections: list[Raw] = field(default_factory=list)
    followed: InMemoryFollowedLibraries = field(default_factory=InMemoryFollowedLibraries)
    files: CountingFiles = field(default_factory=CountingFiles)
    bundles: CountingBundles = field(default_factory=CountingBundles)
    library: CountingLibrary = field(default_factory=CountingLibrary)
    told: Told = field(default_factory=Told)
    places: AttachmentFolders | None = None

    def __post_init__(self) -> None:
        self.world = dataclasses.replace(
            self.world, bundles=self.bundles, files=self.files, followed=self.followed
        )

    def add(self, *items: Raw) -> None:
        self.raw.update({item["key"]: item for item in items})

    def paper(self, number: int, text: str | None = None, **fields: Any) -> None:
        """A work with a file."""
        self.add(work(number, **fields))
        self.attach(number, number, text or f"# Ponds {number}\n\nIce lies on pond {number}.\n")

    def attach(self, number: int, parent: int | None, text: str | None, **fields: Any) -> Path:
        """A file of a work, or one that stands alone; without text it is not there."""
        raw = attachment(
            number,
            key(parent, "W") if parent is not None else None,
            **{"filename": f"{number}.md", "contentType": "text/markdown"} | fields,
        )
        self.add(raw)
        path = self.data / "storage" / raw["key"] / (raw["filename"] or "nothing")
        return self.world.write(str(path), text) if text is not None else path

    def note(self, number: int, parent: int | None, text: str) -> None:
        self.add(note(number, key(parent, "W") if parent is not None else None, text))

    def change(self, item: str, **fields: Any) -> None:
        self.raw[item] = {**self.raw[item], **fields, "version": self.raw[item]["version"] + 1}

    def shelve(self) -> None:
        """The library holds what there is by now."""
        places = self.places or AttachmentFolders(data_dir=self.data)
        shelf = RawLibrary(LibraryRef(), list(self.raw.values()), self.collections, places=places)
        self.library.libraries = [shelf]

    def sync(self, scope: LibraryScope | None = None, **request: Any) -> IngestResult:
        self.shelve()
        self.told.notices.clear()
        verb = self.world.application.ingest.library
        asked = SyncRequest(project_id=HERE, scope=scope, **request)
        return verb(self.library, asked, self.told)

    def project(self) -> Project:
        return self.world.catalogue.project(HERE)

    def stored(self) -> list[StoredDocument]:
        return list(self.world.stored())

    def named(self, name: str) -> list[str]:
        """Paths of the documents that a name means."""
        found = self.world.documents.known(name, HERE)
        return [found.sources[0].path] if found else []

    def citekeys(self) -> list[str]:
        return sorted(d.citation.citekey if d.citation else "-" for d in self.stored())
