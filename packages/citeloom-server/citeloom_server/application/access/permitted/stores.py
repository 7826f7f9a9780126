"""Stores and the index as a principal sees them: converted documents, labels, annotations, own
metadata, tables, followed libraries, the reference library of the server's machine, and collections
of projects.

An engine searches one collection, or in a shared one the part of one tenant, whose name is that
collection's: what is refused here is never a candidate, and nothing is left out afterwards.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final, Generic, TypeVar

from citeloom.application.ports.catalogue import Catalogue
from citeloom.application.ports.citation import OwnRecords
from citeloom.application.ports.index import Collection, Index
from citeloom.application.ports.ingest import BundleStore, Refusal
from citeloom.application.ports.library import (
    AnnotationStore,
    FollowedLibraries,
    Following,
    LibraryEntry,
    LibrarySource,
    LibraryStatus,
)
from citeloom.application.ports.maps import LabelStore
from citeloom.application.ports.research import KeptCell, TableStore
from citeloom.domain.citation.own import OwnChange, OwnMetadata
from citeloom.domain.documents.conversion import ConversionResult
from citeloom.domain.errors import IndexUnavailable, ProjectNotFound
from citeloom.domain.library import (
    LibraryAnnotation,
    LibraryAttachment,
    LibraryScope,
    LibrarySnapshot,
)
from citeloom.domain.maps.address import ID_LENGTH, short_id
from citeloom.domain.maps.resource_map import ResourceMap
from citeloom.domain.projects.project import Project, ProjectId, ServerCondition
from citeloom.domain.references.entries.reference_list import CitedWork
from citeloom.domain.resources.metadata import ResourceLabel
from citeloom_server.application.access.current_rights import CurrentRights
from citeloom_server.domain.access import only_administrators, only_owners

_REMEMBERED: Final = 10_000


class PermittedBundles:
    """``bundles`` of the documents in ``catalogue``, which is that of the principal. A document
    that others have too is converted once more when it is added, so that neither the answer nor its
    timing reveals that it was there. What is written is the same for all."""

    def __init__(self, bundles: BundleStore, catalogue: Catalogue, rights: CurrentRights) -> None:
        self._bundles = bundles
        self._catalogue = catalogue
        self._rights = rights
        # Where a document was seen last: it is looked for there first.
        self._seen_in: dict[str, ProjectId] = {}

    def save(self, result: ConversionResult, fingerprint: str) -> None:
        self._bundles.save(result, fingerprint)

    def load(self, document_id: str, fingerprint: str | None = None) -> ConversionResult | None:
        if not self._sees(document_id):
            return None
        return self._bundles.load(document_id, fingerprint)

    def verify(self, document_id: str) -> bool:
        return self._sees(document_id) and self._bundles.verify(document_id)

    def save_map(self, document_id: str, resource_map: ResourceMap) -> None:
        self._bundles.save_map(document_id, resource_map)

    def load_map(self, document_id: str) -> ResourceMap | None:
        return self._bundles.load_map(document_id) if self._sees(document_id) else None

    def map_ids(self) -> Iterable[str]:
        return self._permitted(self._bundles.map_ids())

    def ids(self) -> Iterable[str]:
        return self._permitted(self._bundles.ids())

    def save_works(self, document_id: str, fingerprint: str, works: Sequence[CitedWork]) -> None:
        self._bundles.save_works(document_id, fingerprint, works)

    def load_works(self, document_id: str, fingerprint: str) -> Sequence[CitedWork] | None:
        return (
            self._bundles.load_works(document_id, fingerprint) if self._sees(document_id) else None
        )

    def refuse(self, document_id: str, refusal: Refusal) -> None:
        self._bundles.refuse(document_id, refusal)

    def refusal(self, document_id: str) -> Refusal | None:
        return self._bundles.refusal(document_id) if self._sees(document_id) else None

    def delete(self, document_id: str) -> None:
        self._bundles.delete(document_id)

    def _permitted(self, ids: Iterable[str]) -> Iterator[str]:
        if self._rights.is_administrator:
            yield from ids
            return
        known = {
            short_id(document.document_id)
            for project in self._catalogue.projects()
            for document in self._catalogue.documents(project.id)
        }
        yield from (one for one in ids if short_id(one) in known)

    def _sees(self, id: str) -> bool:
        """``id`` is that of a document, or its short one."""
        if self._rights.is_administrator:
            return True
        if (last := self._seen_in.get(id)) is not None and self._has(last, id):
            return True
        for project in self._catalogue.projects():
            if self._has(project.id, id):
                if len(self._seen_in) >= _REMEMBERED:
                    self._seen_in.clear()
                self._seen_in[id] = project.id
                return True
        return False

    def _has(self, project_id: ProjectId, id: str) -> bool:
        if len(id) == ID_LENGTH:
            return bool(self._catalogue.documents_beginning(project_id, id))
        return self._catalogue.document(project_id, id) is not None


S = TypeVar("S")


class _OfProjects(Generic[S]):
    """A store of things of projects: nothing is there of one that may not be read."""

    def __init__(self, store: S, rights: CurrentRights) -> None:
        self._store = store
        self._rights = rights

    def close(self) -> None:
        """Others use it too."""

    def _sees(self, project_id: ProjectId) -> bool:
        return self._rights.may_read(project_id)

    def _changing(self, project_id: ProjectId) -> None:
        """Raises ProjectNotFound, NotPermitted."""
        rights = self._rights()
        if not rights.may_read(project_id):
            raise ProjectNotFound(project_id.value)
        if not rights.may_change(project_id):
            raise only_owners(rights, project_id)


class PermittedLabels(_OfProjects[LabelStore]):
    def put(self, project_id: ProjectId, document_id: str | None, label: ResourceLabel) -> None:
        self._changing(project_id)
        self._store.put(project_id, document_id, label)

    def remove(self, project_id: ProjectId, target: str, name: str) -> bool:
        self._changing(project_id)
        return self._store.remove(project_id, target, name)

    def labels(
        self, project_id: ProjectId, document_id: str | None = None
    ) -> Sequence[ResourceLabel]:
        return self._store.labels(project_id, document_id) if self._sees(project_id) else []


class PermittedAnnotations(_OfProjects[AnnotationStore]):
    def put(
        self, project_id: ProjectId, document_id: str, annotations: Sequence[LibraryAnnotation]
    ) -> None:
        self._changing(project_id)
        self._store.put(project_id, document_id, annotations)

    def record_digest(self, project_id: ProjectId, document_id: str, digest: str) -> None:
        self._changing(project_id)
        self._store.record_digest(project_id, document_id, digest)

    def annotations(self, project_id: ProjectId, document_id: str) -> Sequence[LibraryAnnotation]:
        return self._store.annotations(project_id, document_id) if self._sees(project_id) else []

    def digests(self, project_id: ProjectId) -> Mapping[str, str]:
        return self._store.digests(project_id) if self._sees(project_id) else {}

    def counts(self, project_id: ProjectId) -> Mapping[str, int]:
        return self._store.counts(project_id) if self._sees(project_id) else {}


class PermittedOwnRecords(_OfProjects[OwnRecords]):
    def own(self, project_id: ProjectId, document_id: str) -> OwnMetadata | None:
        return self._store.own(project_id, document_id) if self._sees(project_id) else None

    def owned(self, project_id: ProjectId) -> Mapping[str, OwnMetadata]:
        return self._store.owned(project_id) if self._sees(project_id) else {}

    def put(self, project_id: ProjectId, change: OwnChange) -> None:
        self._changing(project_id)
        self._store.put(project_id, change)

    def last(self, project_id: ProjectId) -> OwnChange | None:
        return self._store.last(project_id) if self._sees(project_id) else None

    def undo(self, project_id: ProjectId) -> OwnChange | None:
        self._changing(project_id)
        return self._store.undo(project_id)


class PermittedTables(_OfProjects[TableStore]):
    """Cells are a cache: those that are read for a reader are not kept."""

    def questions(self, project_id: ProjectId) -> Sequence[str]:
        return self._store.questions(project_id) if self._sees(project_id) else []

    def add_questions(self, project_id: ProjectId, questions: Sequence[str]) -> None:
        self._changing(project_id)
        self._store.add_questions(project_id, questions)

    def drop_questions(self, project_id: ProjectId, questions: Sequence[str]) -> None:
        self._changing(project_id)
        self._store.drop_questions(project_id, questions)

    def cells(self, project_id: ProjectId) -> Sequence[KeptCell]:
        return self._store.cells(project_id) if self._sees(project_id) else []

    def put_cells(self, project_id: ProjectId, cells: Sequence[KeptCell]) -> None:
        if self._rights().may_change(project_id):
            self._store.put_cells(project_id, cells)


class PermittedFollowedLibraries(_OfProjects[FollowedLibraries]):
    def following(self, project_id: ProjectId) -> Following | None:
        return self._store.following(project_id) if self._sees(project_id) else None

    def follow(self, project_id: ProjectId, following: Following) -> None:
        self._changing(project_id)
        self._store.follow(project_id, following)

    def entries(self, project_id: ProjectId) -> Mapping[str, LibraryEntry]:
        return self._store.entries(project_id) if self._sees(project_id) else {}

    def put_entries(self, project_id: ProjectId, entries: Iterable[LibraryEntry]) -> None:
        self._changing(project_id)
        self._store.put_entries(project_id, entries)

    def remove_entries(self, project_id: ProjectId, keys: Iterable[str]) -> None:
        self._changing(project_id)
        self._store.remove_entries(project_id, keys)


class PermittedIndex:
    """``index`` within ``rights``; whose a collection is, ``catalogue`` knows, which is that of the
    whole workspace. Raises IndexUnavailable for a collection of no project that may be read,
    NotPermitted for a change of one that may only be read."""

    def __init__(self, index: Index, catalogue: Catalogue, rights: CurrentRights) -> None:
        self._index = index
        self._catalogue = catalogue
        self._rights = rights

    @contextmanager
    def open(
        self,
        collection: str,
        *,
        dimension: int,
        wait_seconds: float = 30.0,
        writing: bool = False,
    ) -> Iterator[Collection]:
        self._check(collection, writing=writing)
        with self._index.open(
            collection, dimension=dimension, wait_seconds=wait_seconds, writing=writing
        ) as opened:
            yield opened

    def exists(self, collection: str) -> bool:
        """Also one of no project here, of another workspace: a new project must not take it."""
        project = self._catalogue.holder(collection)
        if project is not None and not self._rights.may_read(project.id):
            return False
        return self._index.exists(collection)

    def optimize(
        self,
        collection: str,
        *,
        dimension: int,
        wait_seconds: float = 30.0,
        on_start: Callable[[], None] | None = None,
    ) -> bool:
        self._check(collection, writing=True)
        return self._index.optimize(
            collection, dimension=dimension, wait_seconds=wait_seconds, on_start=on_start
        )

    @contextmanager
    def renewal(
        self, collection: str, *, dimension: int, wait_seconds: float = 30.0
    ) -> Iterator[Index]:
        self._check(collection, writing=True)
        with self._index.renewal(
            collection, dimension=dimension, wait_seconds=wait_seconds
        ) as renewed:
            yield renewed

    def condition(self, collection: str, *, try_write: bool = False) -> ServerCondition | None:
        if self._seen(collection) is None:
            return None
        return self._index.condition(collection, try_write=try_write)

    def drop(self, collection: str) -> None:
        self._check(collection, writing=True)
        self._index.drop(collection)

    def close(self) -> None:
        """Others use it too."""

    def _seen(self, collection: str) -> Project | None:
        project = self._catalogue.holder(collection)
        return project if project is not None and self._rights.may_read(project.id) else None

    def _check(self, collection: str, *, writing: bool = False) -> None:
        if (project := self._seen(collection)) is None:
            raise IndexUnavailable(f"{collection}: no such collection", collection=collection)
        rights = self._rights()
        if writing and not rights.may_change(project.id):
            raise only_owners(rights, project.id)


class PermittedLibrary:
    """The library that ``open_library`` opens; NotPermitted for all but administrators."""

    def __init__(self, open_library: Callable[[], LibrarySource], rights: CurrentRights) -> None:
        self._open = open_library
        self._rights = rights

    @property
    def name(self) -> str:
        return self._source.name

    @property
    def asks_network(self) -> bool:
        return self._source.asks_network

    def status(self) -> LibraryStatus:
        return self._source.status()

    def snapshot(self, scope: LibraryScope) -> LibrarySnapshot:
        return self._source.snapshot(scope)

    def file(self, attachment: LibraryAttachment) -> Path | None:
        return self._source.file(attachment)

    @property
    def _source(self) -> LibrarySource:
        if not self._rights.is_administrator:
            raise only_administrators(
                "zotero: the library of the server's machine is", "send the papers as files"
            )
        return self._open()

    def close(self) -> None:
        """Others use it too."""
