"""The catalogue as a principal sees it: projects that it may not read do not exist."""

from collections.abc import Iterable, Mapping, Sequence

from citeloom.application.ports.catalogue import (
    Catalogue,
    CatalogueAmounts,
    IndexedDocument,
    ProjectState,
    StoredDocument,
)
from citeloom.domain.errors import ProjectExists, ProjectNotFound
from citeloom.domain.naming import Name
from citeloom.domain.projects.project import ModelIndex, Project, ProjectId
from citeloom_server.application.access.current_rights import CurrentRights
from citeloom_server.application.access.ports import PrincipalStore
from citeloom_server.domain.access import Role, name_is_taken, only_in_own_namespace, only_owners


class PermittedCatalogue:
    """``catalogue`` within ``rights``. A project that the principal may not read looks like an
    unknown one; a change of a project that it may only read is NotPermitted. The creator of a
    project owns it."""

    def __init__(
        self, catalogue: Catalogue, rights: CurrentRights, principals: PrincipalStore
    ) -> None:
        self._catalogue = catalogue
        self._rights = rights
        self._principals = principals

    def add_project(self, project: Project) -> None:
        """Raises NotPermitted outside the principal's own namespace, whatever there is."""
        rights = self._rights()
        if not rights.may_create(project.id):
            raise only_in_own_namespace(rights, project.id)
        try:
            self._catalogue.add_project(project)
        except ProjectExists:
            if not rights.is_administrator and not self._may_read(project.id):
                raise name_is_taken(project.id) from None
            raise
        self._principals.grant(rights.name, project.id, Role.OWNER)
        self._rights.read_again()

    def check_filling(self, project_id: ProjectId) -> None:
        """Raises NotPermitted where the principal may not add documents to a project, or create it
        for them; the error does not reveal whether it exists."""
        rights = self._rights()
        if rights.may_read(project_id):
            if not rights.may_change(project_id):
                raise only_owners(rights, project_id)
        elif not rights.may_create(project_id):
            raise only_in_own_namespace(rights, project_id)

    def update_project(self, project: Project) -> None:
        self._changing(project.id)
        self._catalogue.update_project(project)

    def project(self, project_id: ProjectId) -> Project:
        self._reading(project_id)
        try:
            return self._catalogue.project(project_id)
        except ProjectNotFound:
            raise self._not_found(project_id) from None

    def projects(self) -> Sequence[Project]:
        rights = self._rights()
        return [one for one in self._catalogue.projects() if rights.may_read(one.id)]

    def holder(self, collection: str) -> Project | None:
        project = self._catalogue.holder(collection)
        return project if project is not None and self._may_read(project.id) else None

    def delete_project(self, project_id: ProjectId) -> None:
        self._changing(project_id)
        self._catalogue.delete_project(project_id)

    def put_document(self, document: StoredDocument, collection: str | None = None) -> None:
        self._changing(document.project_id)
        self._catalogue.put_document(document, collection)

    def documents(self, project_id: ProjectId) -> Sequence[StoredDocument]:
        return self._catalogue.documents(project_id) if self._may_read(project_id) else []

    def version(self, project_id: ProjectId) -> str:
        return self._catalogue.version(project_id) if self._may_read(project_id) else ""

    def document(self, project_id: ProjectId, document_id: str) -> StoredDocument | None:
        if not self._may_read(project_id):
            return None
        return self._catalogue.document(project_id, document_id)

    def languages(self, project_id: ProjectId) -> Sequence[str]:
        return self._catalogue.languages(project_id) if self._may_read(project_id) else []

    def passages(self, project_id: ProjectId) -> int:
        return self._catalogue.passages(project_id) if self._may_read(project_id) else 0

    def amounts(self, project_id: ProjectId | None = None) -> CatalogueAmounts:
        """Amounts of the projects that the principal may read; a document of several projects
        counts in each."""
        if project_id is not None:
            ids = [project_id] if self._may_read(project_id) else []
        else:
            ids = [one.id for one in self.projects()]
        found = [self._catalogue.amounts(id) for id in ids]
        return CatalogueAmounts(
            projects=sum(one.projects for one in found),
            documents=sum(one.documents for one in found),
            passages=sum(one.passages for one in found),
            file_bytes=sum(one.file_bytes for one in found),
        )

    def find_documents(
        self, project_id: ProjectId, names: Iterable[Name]
    ) -> Sequence[StoredDocument]:
        if not self._may_read(project_id):
            return []
        return self._catalogue.find_documents(project_id, names)

    def documents_beginning(self, project_id: ProjectId, prefix: str) -> Sequence[StoredDocument]:
        if not self._may_read(project_id):
            return []
        return self._catalogue.documents_beginning(project_id, prefix)

    def remove_documents(self, project_id: ProjectId, document_ids: Iterable[str]) -> None:
        self._changing(project_id)
        self._catalogue.remove_documents(project_id, document_ids)

    def unfinish_documents(self, project_id: ProjectId, document_ids: Iterable[str]) -> None:
        self._changing(project_id)
        self._catalogue.unfinish_documents(project_id, document_ids)

    def put_other(self, project_id: ProjectId, index: ModelIndex) -> None:
        self._changing(project_id)
        self._catalogue.put_other(project_id, index)

    def remove_other(self, project_id: ProjectId, collection: str) -> None:
        self._changing(project_id)
        self._catalogue.remove_other(project_id, collection)

    def indexed(self, project_id: ProjectId, collection: str) -> Mapping[str, IndexedDocument]:
        return self._catalogue.indexed(project_id, collection) if self._may_read(project_id) else {}

    def put_indexed(
        self, project_id: ProjectId, collection: str, document: IndexedDocument
    ) -> None:
        self._changing(project_id)
        self._catalogue.put_indexed(project_id, collection, document)

    def forget_indexed(self, project_id: ProjectId, collection: str, document_id: str) -> None:
        self._changing(project_id)
        self._catalogue.forget_indexed(project_id, collection, document_id)

    def state(self, project_id: ProjectId) -> ProjectState:
        self._reading(project_id)
        return self._catalogue.state(project_id)

    def switch(
        self, before: ProjectState, after: ProjectState, left: Iterable[IndexedDocument]
    ) -> bool:
        self._changing(before.project.id)
        return self._catalogue.switch(before, after, left)

    def used_elsewhere(self, project_id: ProjectId, document_id: str) -> bool:
        """Whether any project has the text, also one that the principal does not see: such a text
        must not be deleted. The answer is not shown."""
        self._changing(project_id)
        return self._catalogue.used_elsewhere(project_id, document_id)

    def verify(self, *, deep: bool = False) -> None:
        self._catalogue.verify(deep=deep)

    def close(self) -> None:
        """Others use it too."""

    def _may_read(self, project_id: ProjectId) -> bool:
        return self._rights.may_read(project_id)

    def _reading(self, project_id: ProjectId) -> None:
        """Raises ProjectNotFound, which names the projects that the principal sees."""
        if not self._may_read(project_id):
            raise self._not_found(project_id)

    def _changing(self, project_id: ProjectId) -> None:
        """Raises ProjectNotFound, NotPermitted."""
        self._reading(project_id)
        rights = self._rights()
        if not rights.may_change(project_id):
            raise only_owners(rights, project_id)

    def _not_found(self, project_id: ProjectId) -> ProjectNotFound:
        return ProjectNotFound(project_id.value, [one.id.value for one in self.projects()])
