"""Opening and creation of projects, together with their embedding model."""

from collections.abc import Callable
from pathlib import Path

from citeloom.application.ports.catalogue import Catalogue
from citeloom.application.ports.models import Embedder, SparseEmbedder
from citeloom.application.ports.system import Clock
from citeloom.domain.errors import EmbeddingModelMismatch, ProjectExists, ProjectNotFound
from citeloom.domain.projects import IndexPlace, Project, ProjectId, RetrievalSettings


class ProjectOpener:
    """Opens projects with the embedder of their model, and with no other."""

    def __init__(
        self,
        *,
        catalogue: Catalogue,
        embedder: Callable[[str], Embedder],
        sparse: SparseEmbedder,
        clock: Clock,
        default_model: str,
        place: IndexPlace | None = None,
        taken: Callable[[Project], bool] = lambda _: False,
    ) -> None:
        """``place`` is the place of the index of new projects; ``taken`` tells whether the
        place already has passages of that name."""
        self._catalogue = catalogue
        self._embedder = embedder
        self._sparse = sparse
        self._clock = clock
        self._default_model = default_model
        self._place = place
        self._taken = taken

    def open(self, project_id: ProjectId, model: str | None = None) -> tuple[Project, Embedder]:
        """Raises ProjectNotFound, EmbeddingModelMismatch, ModelUnavailable."""
        project = self._catalogue.project(project_id)
        embedder = self._embedder(model or project.embedding_model.name)
        if embedder.model != project.embedding_model:
            raise EmbeddingModelMismatch(
                project_id.value, project.embedding_model.fingerprint, embedder.model.fingerprint
            )
        return project, embedder

    def create(
        self,
        project_id: ProjectId,
        model: str | None = None,
        *,
        references: Path | None = None,
        hybrid: bool = True,
        sentences: bool = True,
    ) -> tuple[Project, Embedder]:
        """Raises ProjectExists (here or on the index server), ModelUnavailable,
        IndexUnavailable."""
        embedder = self._embedder(model or self._default_model)
        project = Project(
            id=project_id,
            collection=project_id.collection,
            embedding_model=embedder.model,
            sparse_model=self._sparse.name,
            references_json=references,
            hybrid_enabled=hybrid,
            retrieval=RetrievalSettings(sentences=sentences, place=self._place),
            created_at=self._clock.now(),
        )
        if self._place is not None and self._taken(project):
            raise ProjectExists(
                f"{project_id}: {self._place.url} has an index of this name already, of another "
                f"workspace perhaps; choose another name, or write NAMESPACE/{project_id.name}",
                project_id=project_id.value,
            )
        self._catalogue.add_project(project)
        return project, embedder

    def open_or_create(
        self, project_id: ProjectId, model: str | None, *, sentences: bool | None = None
    ) -> tuple[Project, Embedder, bool]:
        """Returns also whether the project is new. ``sentences`` changes the project's setting;
        None leaves it."""
        try:
            return *self._reopen(project_id, model, sentences), False
        except ProjectNotFound:
            pass
        try:
            return *self.create(project_id, model, sentences=sentences is not False), True
        except ProjectExists:  # another process was quicker
            return *self._reopen(project_id, model, sentences), False

    def _reopen(
        self, project_id: ProjectId, model: str | None, sentences: bool | None
    ) -> tuple[Project, Embedder]:
        project, embedder = self.open(project_id, model)
        if sentences is not None and sentences != project.retrieval.sentences:
            retrieval = project.retrieval.model_copy(update={"sentences": sentences})
            project = project.model_copy(update={"retrieval": retrieval})
            self._catalogue.update_project(project)
        return project, embedder
