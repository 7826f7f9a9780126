"""The verb *project*: list, show, delete, move."""

from collections.abc import Sequence
from datetime import datetime

from citeloom.application.index.collection import require_index
from citeloom.application.index.passage_writer import PassageWriter
from citeloom.application.index.relocation import IndexMover, place_name
from citeloom.application.index.removal import Remover
from citeloom.application.models.other_models import OtherModel, other_models
from citeloom.application.ports.catalogue import Catalogue
from citeloom.application.ports.index import Index
from citeloom.domain.errors import IndexUnavailable
from citeloom.domain.messages import MessageText
from citeloom.domain.projects.project import Project
from citeloom.domain.projects.project_id import ProjectId
from citeloom.domain.value import Value


class ProjectSummary(Value):
    """A project as lists show it. Counts are those of the catalogue; ``warning`` is set where
    its index is gone."""

    id: str
    collection: str
    dense_model: str
    other_models: tuple[OtherModel, ...]
    sparse_model: str
    hybrid_enabled: bool
    references: str | None
    index: str
    documents: int
    chunks: int
    created_at: datetime
    warning: MessageText | None = None


class ProjectStanding(Value):
    """How far a project is: its documents, and those with a citation."""

    id: str
    documents: int
    cited: int


class Projects:
    """Lists, shows and deletes projects."""

    def __init__(
        self,
        *,
        catalogue: Catalogue,
        index: Index,
        remover: Remover,
        writer: PassageWriter,
        mover: IndexMover,
    ) -> None:
        self._catalogue = catalogue
        self._index = index
        self._remover = remover
        self._writer = writer
        self.move = mover

    def list(self) -> Sequence[ProjectSummary]:
        return [self._summary(project) for project in self._catalogue.projects()]

    def standings(self) -> Sequence[ProjectStanding]:
        """All projects by id."""
        found = []
        for project in self._catalogue.projects():
            documents = self._catalogue.documents(project.id)
            cited = sum(document.citation is not None for document in documents)
            found.append(
                ProjectStanding(id=project.id.value, documents=len(documents), cited=cited)
            )
        return sorted(found, key=lambda one: one.id)

    def show(self, project_id: ProjectId) -> ProjectSummary:
        return self._summary(self._catalogue.project(project_id))

    def delete(self, project_id: ProjectId) -> ProjectSummary:
        """Delete index, documents, unshared bundles, and copies of the index that relocations
        left."""
        summary = self._summary(self._catalogue.project(project_id))
        self.move.drop_copies(project_id)
        project = self._catalogue.project(project_id)
        self._remover.project(project)
        return summary

    def _summary(self, project: Project) -> ProjectSummary:
        documents = self._catalogue.documents(project.id)
        return ProjectSummary(
            id=project.id.value,
            collection=project.collection,
            dense_model=project.embedding_model.name,
            other_models=other_models(self._catalogue, self._writer, project),
            sparse_model=project.sparse_model,
            hybrid_enabled=project.hybrid_enabled,
            references=str(project.references_json) if project.references_json else None,
            index=place_name(project.retrieval.place),
            documents=len(documents),
            chunks=sum(d.chunks for d in documents),
            created_at=project.created_at,
            warning=self._warning(project),
        )

    def _warning(self, project: Project) -> str | None:
        """Whether the index is gone; servers are not asked."""
        if project.retrieval.place is None:
            try:
                require_index(self._index, self._catalogue, project)
            except IndexUnavailable as error:
                return error.message
        return None
