"""Stores and the index as a principal sees them: converted documents, labels, annotations, own
metadata, tables, followed libraries, the reference library of the server's machine, and collections
of projects; and the files of the server's machine.

An engine searches one collection, or in a shared one the part of one tenant, whose name is that
collection's: what is refused here is never a candidate, and nothing is left out afterwards.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from citeloom.application.index.placed_index import WrappingIndex
from citeloom.application.ports.catalogue import Catalogue, SourceStamp
from citeloom.application.ports.citation import OwnRecords
from citeloom.application.ports.index import Index
from citeloom.application.ports.ingest import BundleStore, FoundFiles, SourceFiles
from citeloom.application.ports.library import (
    AnnotationStore,
    FollowedLibraries,
    LibrarySource,
    LibraryStatus,
)
from citeloom.application.ports.maps import LabelStore
from citeloom.application.ports.research import KeptCell, TableStore
from citeloom.domain.documents.readable_folders import ReadableFolders
from citeloom.domain.errors import IndexUnavailable
from citeloom.domain.library import LibraryAttachment, LibraryScope, LibrarySnapshot
from citeloom.domain.maps.address import ID_LENGTH, short_id
from citeloom.domain.naming import path_name
from citeloom.domain.projects.project import Project, ProjectId, ServerCondition
from citeloom_server.application.access.current_rights import CurrentRights
from citeloom_server.domain.access import only_administrators, only_owners

from .catalogue import Guarded, OfProjects, checked, passed_on, seen


@dataclass(frozen=True)
class PermittedFiles:
    """``files``; except for administrators, one that lies outside the folders of the projects in
    ``catalogue`` (which is that of the principal) and their ``uploads``, and that is not a file of
    a document there, is as one that does not exist: a path in a sent reference file cannot ask
    what the machine has."""

    files: SourceFiles
    catalogue: Catalogue
    uploads: Callable[[ProjectId], Path]
    rights: CurrentRights

    def find(self, sources: Sequence[str], accepts: Callable[[Path], bool]) -> FoundFiles:
        return self.files.find(sources, accepts)

    def stamps(self, paths: Iterable[str]) -> Mapping[str, SourceStamp]:
        return self.files.stamps(paths)

    def sha256(self, path: Path) -> str:
        return self.files.sha256(path)

    def exists(self, path: str) -> bool:
        known = self.rights.is_administrator or self._is_in_a_project(path)
        return known and self.files.exists(path)

    def resolved(self, path: Path) -> Path:
        return self.files.resolved(path)

    def _is_in_a_project(self, path: str) -> bool:
        projects = self.catalogue.projects()
        named = [folder for one in projects for folder in (*one.folders, self.uploads(one.id))]
        if not ReadableFolders(folders=tuple(named)).admits(Path(path)):
            name = path_name(path)
            return any(
                source.path == path
                for one in projects
                for document in self.catalogue.find_documents(one.id, [name])
                for source in document.sources
            )
        real = tuple(self.files.resolved(folder) for folder in named)
        return ReadableFolders(folders=real).admits(self.files.resolved(Path(path)))


_REMEMBERED: Final = 10_000


class PermittedBundles(Guarded[BundleStore]):
    """``bundles`` of the documents in ``catalogue``, which is that of the principal. A document
    that others have too is converted once more when it is added, so that neither the answer nor its
    timing reveals that it was there. What is written is the same for all."""

    save = passed_on(BundleStore.save)
    load = seen(BundleStore.load)
    verify = seen(BundleStore.verify, bool)
    save_map = passed_on(BundleStore.save_map)
    load_map = seen(BundleStore.load_map)
    save_works = passed_on(BundleStore.save_works)
    load_works = seen(BundleStore.load_works)
    refuse = passed_on(BundleStore.refuse)
    refusal = seen(BundleStore.refusal)
    delete = passed_on(BundleStore.delete)

    def __init__(self, bundles: BundleStore, catalogue: Catalogue, rights: CurrentRights) -> None:
        super().__init__(bundles, rights)
        self._catalogue = catalogue
        # Where a document was seen last: it is looked for there first.
        self._seen_in: dict[str, ProjectId] = {}

    def map_ids(self) -> Iterable[str]:
        return self._permitted(self._store.map_ids())

    def ids(self) -> Iterable[str]:
        return self._permitted(self._store.ids())

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

    def _may_read(self, id: str) -> bool:
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


class PermittedLabels(OfProjects[LabelStore]):
    put = checked(LabelStore.put)
    remove = checked(LabelStore.remove)
    labels = seen(LabelStore.labels, list)


class PermittedAnnotations(OfProjects[AnnotationStore]):
    put = checked(AnnotationStore.put)
    record_digest = checked(AnnotationStore.record_digest)
    annotations = seen(AnnotationStore.annotations, list)
    digests = seen(AnnotationStore.digests, dict)
    counts = seen(AnnotationStore.counts, dict)


class PermittedOwnRecords(OfProjects[OwnRecords]):
    own = seen(OwnRecords.own)
    owned = seen(OwnRecords.owned, dict)
    put = checked(OwnRecords.put)
    last = seen(OwnRecords.last)
    undo = checked(OwnRecords.undo)


class PermittedTables(OfProjects[TableStore]):
    """Cells are a cache: those that are read for a reader are not kept."""

    questions = seen(TableStore.questions, list)
    add_questions = checked(TableStore.add_questions)
    drop_questions = checked(TableStore.drop_questions)
    cells = seen(TableStore.cells, list)

    def put_cells(self, project_id: ProjectId, cells: Sequence[KeptCell]) -> None:
        if self._rights().may_change(project_id):
            self._store.put_cells(project_id, cells)


class PermittedFollowedLibraries(OfProjects[FollowedLibraries]):
    following = seen(FollowedLibraries.following)
    follow = checked(FollowedLibraries.follow)
    entries = seen(FollowedLibraries.entries, dict)
    put_entries = checked(FollowedLibraries.put_entries)
    remove_entries = checked(FollowedLibraries.remove_entries)


class PermittedIndex(WrappingIndex):
    """``index`` within ``rights``; whose a collection is, ``catalogue`` knows, which is that of the
    whole workspace. Raises IndexUnavailable for a collection of no project that may be read,
    NotPermitted for a change of one that may only be read."""

    def __init__(self, index: Index, catalogue: Catalogue, rights: CurrentRights) -> None:
        self._index = index
        self._catalogue = catalogue
        self._rights = rights

    def _behind(self, collection: str, *, writing: bool = False) -> Index:
        self._check(collection, writing=writing)
        return self._index

    def exists(self, collection: str) -> bool:
        """Also one of no project here, of another workspace: a new project must not take it."""
        project = self._catalogue.holder(collection)
        if project is not None and not self._rights.may_read(project.id):
            return False
        return self._index.exists(collection)

    def condition(self, collection: str, *, try_write: bool = False) -> ServerCondition | None:
        if self._seen(collection) is None:
            return None
        return self._index.condition(collection, try_write=try_write)

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
