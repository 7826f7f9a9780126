"""Stores that keep everything in memory: for tests and for dry runs. They pass the same
contract tests as the real ones."""

from collections.abc import Iterable, Sequence

from citeloom.application.ports.audit import AuditRecord
from citeloom.application.ports.catalogue import StoredDocument
from citeloom.domain.conversion import ConversionResult
from citeloom.domain.errors import ProjectNotFound
from citeloom.domain.project import Project, ProjectId
from citeloom.domain.resource_map import ResourceMap
from citeloom.infrastructure.storage.names import id_prefix, names_of, readings, safe_id
from citeloom.infrastructure.storage.rows import folded, project_exists


class MemoryCatalogue:
    def __init__(self) -> None:
        self._projects: dict[str, Project] = {}
        self._documents: dict[str, dict[str, StoredDocument]] = {}

    def add_project(self, project: Project) -> None:
        for there in self._projects.values():
            if folded(there.id) == folded(project.id):
                raise project_exists(project.id, there.id.value)
        self._projects[project.id.value] = project
        self._documents[project.id.value] = {}

    def update_project(self, project: Project) -> None:
        self.project(project.id)
        self._projects[project.id.value] = project

    def project(self, project_id: ProjectId) -> Project:
        if (found := self._projects.get(project_id.value)) is None:
            raise ProjectNotFound(project_id.value, sorted(self._projects))
        return found

    def projects(self) -> Sequence[Project]:
        return [self._projects[name] for name in sorted(self._projects)]

    def holder(self, collection: str) -> Project | None:
        return next((p for p in self._projects.values() if p.collection == collection), None)

    def delete_project(self, project_id: ProjectId) -> None:
        self.project(project_id)
        del self._projects[project_id.value], self._documents[project_id.value]

    def put_document(self, document: StoredDocument) -> None:
        self.project(document.project_id)
        documents = self._documents[document.project_id.value]
        taken = {source.path for source in document.sources}
        for other in documents.values():
            left = tuple(source for source in other.sources if source.path not in taken)
            if left != other.sources:
                documents[other.document_id] = other.model_copy(update={"sources": left})
        documents[document.document_id] = document

    def documents(self, project_id: ProjectId) -> Sequence[StoredDocument]:
        documents = self._documents.get(project_id.value, {})
        return [documents[one] for one in sorted(documents)]

    def document(self, project_id: ProjectId, document_id: str) -> StoredDocument | None:
        return self._documents.get(project_id.value, {}).get(document_id)

    def languages(self, project_id: ProjectId) -> Sequence[str]:
        return sorted({d.language for d in self.documents(project_id) if d.language})

    def find_documents(self, project_id: ProjectId, name: str) -> Sequence[StoredDocument]:
        documents = self.documents(project_id)
        for reading in readings(name):
            if found := [one for one in documents if not names_of(one).isdisjoint(reading)]:
                return found
        prefix = id_prefix(name)
        return [one for one in documents if prefix and one.document_id.startswith(prefix)]

    def remove_documents(self, project_id: ProjectId, document_ids: Iterable[str]) -> None:
        for one in document_ids:
            self._documents.get(project_id.value, {}).pop(one, None)

    def used_elsewhere(self, project_id: ProjectId, document_id: str) -> bool:
        return any(
            document_id in documents
            for project, documents in self._documents.items()
            if project != project_id.value
        )

    def close(self) -> None:
        """Nothing is held open."""


class MemoryBundleStore:
    def __init__(self) -> None:
        self._results: dict[str, tuple[ConversionResult, str]] = {}
        self._maps: dict[str, ResourceMap] = {}

    def save(self, result: ConversionResult, fingerprint: str) -> None:
        self._results[safe_id(result.doc_id)] = (result, fingerprint)

    def load(self, document_id: str, fingerprint: str | None = None) -> ConversionResult | None:
        result, made_by = self._results.get(safe_id(document_id), (None, None))
        return result if fingerprint in (None, made_by) else None

    def save_map(self, document_id: str, resource_map: ResourceMap) -> None:
        self._maps[safe_id(document_id)] = resource_map

    def load_map(self, document_id: str) -> ResourceMap | None:
        return self._maps.get(safe_id(document_id))

    def ids(self) -> Sequence[str]:
        return sorted(self._results)

    def delete(self, document_id: str) -> None:
        self._results.pop(safe_id(document_id), None)
        self._maps.pop(document_id, None)


class MemoryAuditLog:
    """``records`` holds what was appended, in order."""

    def __init__(self) -> None:
        self.records: list[AuditRecord] = []

    def append(self, record: AuditRecord) -> None:
        self.records.append(record)
