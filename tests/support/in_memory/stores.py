"""In-memory adapters of the catalogue and the stores: bundles, followed libraries, ingest journal,
labels, annotations."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from hashlib import sha256
from pathlib import Path

from citeloom.application.documents.finder import names_of
from citeloom.application.ports.catalogue import (
    UNFINISHED,
    CatalogueAmounts,
    IndexedDocument,
    ProjectState,
    StoredDocument,
)
from citeloom.application.ports.ingest import JournalEntry, Refusal
from citeloom.application.ports.library import Following, LibraryEntry
from citeloom.application.ports.research import KeptCell
from citeloom.domain.citation.own import OwnChange, OwnMetadata
from citeloom.domain.documents.conversion import ConversionResult
from citeloom.domain.errors import ProjectChanged, ProjectNotFound, StorageFailed
from citeloom.domain.library import LibraryAnnotation
from citeloom.domain.maps.resource_map import ResourceMap
from citeloom.domain.naming import Name
from citeloom.domain.projects.project import ModelIndex, Project, ProjectId
from citeloom.domain.references.entries.reference_list import CitedWork
from citeloom.domain.resources.metadata import ResourceLabel
from citeloom.domain.search.hits import ShownHits
from citeloom.infrastructure.storage.rows import folded, project_exists
from citeloom.infrastructure.storage.small_files import map_name, safe_id


class InMemoryCatalogue:
    def __init__(self) -> None:
        self._projects: dict[str, Project] = {}
        self._documents: dict[str, dict[str, StoredDocument]] = {}
        self._indexed: dict[tuple[str, str], dict[str, IndexedDocument]] = {}
        #: Called with the id of a project that was deleted: what refers to it ends with it.
        self.on_delete: list[Callable[[ProjectId], None]] = []

    def add_project(self, project: Project) -> None:
        for other in self._projects.values():
            if folded(other.id) == folded(project.id):
                raise project_exists(project.id, other.id.value)
        self._projects[project.id.value] = project
        self._documents[project.id.value] = {}

    def update_project(self, project: Project) -> None:
        others = self._checked_project(project.id, project.collection).others
        self._projects[project.id.value] = project.model_copy(update={"others": others})

    def project(self, project_id: ProjectId) -> Project:
        if (project := self._projects.get(project_id.value)) is None:
            raise ProjectNotFound(project_id.value, sorted(self._projects))
        return project

    def projects(self) -> Sequence[Project]:
        return [self._projects[name] for name in sorted(self._projects)]

    def holder(self, collection: str) -> Project | None:
        holders = (p.held_in(collection) for p in self._projects.values())
        return next((project for project in holders if project is not None), None)

    def delete_project(self, project_id: ProjectId) -> None:
        self.project(project_id)
        del self._projects[project_id.value], self._documents[project_id.value]
        for key in [key for key in self._indexed if key[0] == project_id.value]:
            del self._indexed[key]
        for told in self.on_delete:
            told(project_id)

    def put_document(self, document: StoredDocument, collection: str | None = None) -> None:
        self._checked_project(document.project_id, collection)
        documents = self._documents[document.project_id.value]
        source_paths = {source.path for source in document.sources}
        for other in documents.values():
            remaining = tuple(source for source in other.sources if source.path not in source_paths)
            if remaining != other.sources:
                documents[other.document_id] = other.model_copy(update={"sources": remaining})
        documents[document.document_id] = document

    def documents(self, project_id: ProjectId) -> Sequence[StoredDocument]:
        documents = self._documents.get(project_id.value, {})
        return [documents[one] for one in sorted(documents)]

    def document(self, project_id: ProjectId, document_id: str) -> StoredDocument | None:
        return self._documents.get(project_id.value, {}).get(document_id)

    def version(self, project_id: ProjectId) -> str:
        told = [
            (one.document_id, one.stored_at, one.embedding, one.citation)
            for one in self.documents(project_id)
        ]
        return sha256(repr(told).encode()).hexdigest()

    def languages(self, project_id: ProjectId) -> Sequence[str]:
        return sorted({d.language for d in self.documents(project_id) if d.language})

    def passages(self, project_id: ProjectId) -> int:
        return sum(document.chunks for document in self.documents(project_id))

    def amounts(self, project_id: ProjectId | None = None) -> CatalogueAmounts:
        names = [project_id.value] if project_id else list(self._projects)
        stored = [one for name in names for one in self._documents.get(name, {}).values()]
        sizes = (max(source.size for source in one.sources) for one in stored if one.sources)
        return CatalogueAmounts(
            projects=sum(name in self._projects for name in names),
            documents=len(stored),
            passages=sum(one.chunks for one in stored),
            file_bytes=sum(sizes),
        )

    def find_documents(
        self, project_id: ProjectId, names: Iterable[Name]
    ) -> Sequence[StoredDocument]:
        asked = set(names)
        return [one for one in self.documents(project_id) if not names_of(one).isdisjoint(asked)]

    def documents_beginning(self, project_id: ProjectId, prefix: str) -> Sequence[StoredDocument]:
        return [one for one in self.documents(project_id) if one.document_id.startswith(prefix)]

    def unfinish_documents(self, project_id: ProjectId, document_ids: Iterable[str]) -> None:
        documents = self._documents.get(project_id.value, {})
        for one in document_ids:
            if one in documents:
                nothing = {"embedding": UNFINISHED, "chunks": 0}
                documents[one] = documents[one].model_copy(update=nothing)
            self._forget_indexed(project_id, one)

    def remove_documents(self, project_id: ProjectId, document_ids: Iterable[str]) -> None:
        for one in document_ids:
            self._documents.get(project_id.value, {}).pop(one, None)
            self._forget_indexed(project_id, one)

    def _forget_indexed(self, project_id: ProjectId, document_id: str) -> None:
        for (project, _), documents in self._indexed.items():
            if project == project_id.value:
                documents.pop(document_id, None)

    def put_other(self, project_id: ProjectId, index: ModelIndex) -> None:
        others = {one.collection: one for one in self.project(project_id).others}
        self._set_others(project_id, {**others, index.collection: index}.values())

    def remove_other(self, project_id: ProjectId, collection: str) -> None:
        others = self.project(project_id).others
        self._set_others(project_id, [one for one in others if one.collection != collection])
        self._indexed.pop((project_id.value, collection), None)

    def indexed(self, project_id: ProjectId, collection: str) -> Mapping[str, IndexedDocument]:
        return dict(self._indexed.get((project_id.value, collection), {}))

    def put_indexed(
        self, project_id: ProjectId, collection: str, document: IndexedDocument
    ) -> None:
        self.project(project_id)
        documents = self._indexed.setdefault((project_id.value, collection), {})
        documents[document.document_id] = document

    def forget_indexed(self, project_id: ProjectId, collection: str, document_id: str) -> None:
        self._indexed.get((project_id.value, collection), {}).pop(document_id, None)

    def state(self, project_id: ProjectId) -> ProjectState:
        documents = tuple(self.documents(project_id))
        return ProjectState(project=self.project(project_id), documents=documents)

    def switch(
        self, before: ProjectState, after: ProjectState, left: Iterable[IndexedDocument]
    ) -> bool:
        project = after.project
        if self.state(project.id) != before:
            return False
        self._projects[project.id.value] = project
        self._documents[project.id.value].update({d.document_id: d for d in after.documents})
        self._indexed.pop((project.id.value, project.collection), None)
        old = (project.id.value, before.project.collection)
        self._indexed[old] = {one.document_id: one for one in left}
        return True

    def _checked_project(self, project_id: ProjectId, collection: str | None) -> Project:
        project = self.project(project_id)
        if collection not in (None, project.collection):
            raise ProjectChanged(project_id.value)
        return project

    def _set_others(self, project_id: ProjectId, others: Iterable[ModelIndex]) -> None:
        changed = self.project(project_id).model_copy(update={"others": tuple(others)})
        self._projects[project_id.value] = changed

    def verify(self, *, deep: bool = False) -> None:
        """Does nothing: there is no file."""

    def used_elsewhere(self, project_id: ProjectId, document_id: str) -> bool:
        return any(
            document_id in documents
            for project, documents in self._documents.items()
            if project != project_id.value
        )

    def close(self) -> None:
        """Nothing is held open."""


class InMemoryBundleStore:
    def __init__(self) -> None:
        self._results: dict[str, tuple[ConversionResult, str]] = {}
        self._maps: dict[str, ResourceMap] = {}
        self._refusals: dict[str, Refusal] = {}
        self._works: dict[str, tuple[str, Sequence[CitedWork]]] = {}

    def save(self, result: ConversionResult, fingerprint: str) -> None:
        self._refusals.pop(result.doc_id, None)
        self._works.pop(result.doc_id, None)
        self._results[safe_id(result.doc_id)] = (result, fingerprint)

    def load(self, document_id: str, fingerprint: str | None = None) -> ConversionResult | None:
        result, made_by = self._results.get(safe_id(document_id), (None, None))
        return result if fingerprint in (None, made_by) else None

    def verify(self, document_id: str) -> bool:
        return safe_id(document_id) in self._results

    def save_map(self, document_id: str, resource_map: ResourceMap) -> None:
        self._maps[map_name(document_id)] = resource_map

    def load_map(self, document_id: str) -> ResourceMap | None:
        return self._maps.get(map_name(document_id))

    def map_ids(self) -> Sequence[str]:
        return sorted(self._maps)

    def ids(self) -> Sequence[str]:
        return sorted(self._results)

    def save_works(self, document_id: str, fingerprint: str, works: Sequence[CitedWork]) -> None:
        self._works[safe_id(document_id)] = (fingerprint, tuple(works))

    def load_works(self, document_id: str, fingerprint: str) -> Sequence[CitedWork] | None:
        made_by, works = self._works.get(safe_id(document_id), (None, ()))
        return works if made_by == fingerprint else None

    def refuse(self, document_id: str, refusal: Refusal) -> None:
        self._refusals[safe_id(document_id)] = refusal

    def refusal(self, document_id: str) -> Refusal | None:
        return self._refusals.get(safe_id(document_id))

    def delete(self, document_id: str) -> None:
        self._refusals.pop(safe_id(document_id), None)
        self._results.pop(safe_id(document_id), None)
        self._works.pop(safe_id(document_id), None)
        self._maps.pop(map_name(document_id), None)


class InMemoryFollowedLibraries:
    def __init__(self) -> None:
        self._following: dict[str, Following] = {}
        self._entries: dict[str, dict[str, LibraryEntry]] = {}

    def following(self, project_id: ProjectId) -> Following | None:
        return self._following.get(project_id.value)

    def follow(self, project_id: ProjectId, following: Following) -> None:
        self._following[project_id.value] = following

    def entries(self, project_id: ProjectId) -> Mapping[str, LibraryEntry]:
        return dict(self._entries.get(project_id.value, {}))

    def put_entries(self, project_id: ProjectId, entries: Iterable[LibraryEntry]) -> None:
        stored = self._entries.setdefault(project_id.value, {})
        stored.update({entry.key: entry for entry in entries})

    def remove_entries(self, project_id: ProjectId, keys: Iterable[str]) -> None:
        for key in keys:
            self._entries.get(project_id.value, {}).pop(key, None)

    def close(self) -> None:
        """Nothing is held open."""


class InMemoryIngestJournal:
    """``records`` has the appended records, in order."""

    def __init__(self) -> None:
        self.records: list[JournalEntry] = []

    def append(self, record: JournalEntry) -> None:
        self.records.append(record)

    def entries(self) -> Sequence[JournalEntry]:
        return self.records


class InMemoryLabelStore:
    def __init__(self) -> None:
        self._labels: dict[tuple[str, str, str], tuple[str | None, ResourceLabel]] = {}

    def put(self, project_id: ProjectId, document_id: str | None, label: ResourceLabel) -> None:
        self._labels[project_id.value, label.target, label.name] = (document_id, label)

    def remove(self, project_id: ProjectId, target: str, name: str) -> bool:
        return self._labels.pop((project_id.value, target, name), None) is not None

    def labels(
        self, project_id: ProjectId, document_id: str | None = None
    ) -> Sequence[ResourceLabel]:
        return [
            label
            for (project, _, _), (document, label) in sorted(self._labels.items())
            if project == project_id.value and document_id in (None, document)
        ]

    def close(self) -> None:
        """Nothing is held open."""


class InMemoryOwnRecords:
    def __init__(self) -> None:
        self._changes: dict[str, list[OwnChange]] = {}

    def own(self, project_id: ProjectId, document_id: str) -> OwnMetadata | None:
        return self.owned(project_id).get(document_id)

    def owned(self, project_id: ProjectId) -> Mapping[str, OwnMetadata]:
        return {one.document_id: one.after for one in self._changes.get(project_id.value, ())}

    def put(self, project_id: ProjectId, change: OwnChange) -> None:
        self._changes.setdefault(project_id.value, []).append(change)

    def last(self, project_id: ProjectId) -> OwnChange | None:
        return next(reversed(self._changes.get(project_id.value, [])), None)

    def undo(self, project_id: ProjectId) -> OwnChange | None:
        if (last := self.last(project_id)) is None:
            return None
        self._changes[project_id.value].pop()
        before = self.own(project_id, last.document_id) or OwnMetadata()
        return last.model_copy(update={"after": before})

    def close(self) -> None:
        """Nothing is held open."""


class InMemoryTableStore:
    def __init__(self) -> None:
        self._questions: dict[str, dict[str, None]] = {}
        self._cells: dict[tuple[str, str, str], KeptCell] = {}

    def questions(self, project_id: ProjectId) -> Sequence[str]:
        return list(self._questions.get(project_id.value, {}))

    def add_questions(self, project_id: ProjectId, questions: Sequence[str]) -> None:
        known = self._questions.setdefault(project_id.value, {})
        known |= {one: None for one in questions if one not in known}

    def drop_questions(self, project_id: ProjectId, questions: Sequence[str]) -> None:
        for one in questions:
            self._questions.get(project_id.value, {}).pop(one, None)
        self._cells = {
            key: cell
            for key, cell in self._cells.items()
            if key[0] != project_id.value or cell.question not in questions
        }

    def cells(self, project_id: ProjectId) -> Sequence[KeptCell]:
        return [cell for key, cell in self._cells.items() if key[0] == project_id.value]

    def put_cells(self, project_id: ProjectId, cells: Sequence[KeptCell]) -> None:
        for one in cells:
            self._cells[project_id.value, one.document_id, one.question] = one

    def close(self) -> None:
        """Nothing is held open."""


class InMemoryShownHitStore:
    def __init__(self) -> None:
        self._shown: ShownHits | None = None

    def save(self, shown: ShownHits) -> None:
        self._shown = shown

    def load(self) -> ShownHits | None:
        return self._shown


class InMemoryAnnotationStore:
    def __init__(self) -> None:
        self._stored: dict[tuple[str, str], tuple[tuple[LibraryAnnotation, ...], str]] = {}

    def put(
        self, project_id: ProjectId, document_id: str, annotations: Sequence[LibraryAnnotation]
    ) -> None:
        self._stored[project_id.value, document_id] = (tuple(annotations), "")

    def record_digest(self, project_id: ProjectId, document_id: str, digest: str) -> None:
        key = (project_id.value, document_id)
        if key in self._stored:
            self._stored[key] = (self._stored[key][0], digest)

    def annotations(self, project_id: ProjectId, document_id: str) -> Sequence[LibraryAnnotation]:
        return self._stored.get((project_id.value, document_id), ((), ""))[0]

    def digests(self, project_id: ProjectId) -> Mapping[str, str]:
        return {
            document: digest
            for (project, document), (_, digest) in self._stored.items()
            if project == project_id.value
        }

    def counts(self, project_id: ProjectId) -> Mapping[str, int]:
        return {
            document: len(annotations)
            for (project, document), (annotations, _) in self._stored.items()
            if project == project_id.value and annotations
        }

    def close(self) -> None:
        """Nothing is held open."""


class InMemoryTrash:
    """``files`` is what was put in, with its content. ``full`` says why nothing more goes in."""

    def __init__(self) -> None:
        self.files: dict[Path, bytes] = {}
        self.full: str | None = None

    def check(self, path: Path) -> None:
        if self.full:
            raise StorageFailed(f"{path}: {self.full}")

    def put(self, path: Path) -> None:
        self.check(path)
        self.files[path] = path.read_bytes()
        path.unlink()
