"""Migration of a project to another embedding model.

The new collection is built beside the one in use; queries use the old model until one
transaction of the catalogue switches model, collection and documents. An interruption before
that transaction leaves the project unchanged, and the next run continues with what is embedded.
"""

from citeloom.application.index.optimization import optimize_as_well
from citeloom.application.index.removal import Remover
from citeloom.application.index.term_weights import TermWeights
from citeloom.application.models.other_models import records_in_use
from citeloom.application.models.reembedding import Reembedding, ReembeddingServices
from citeloom.application.ports.catalogue import Catalogue, ProjectState
from citeloom.application.ports.ingest import Progress
from citeloom.application.ports.models import Embedder
from citeloom.domain.errors import InvalidRequest, ModelNotInProject
from citeloom.domain.messages import Action, NextStep
from citeloom.domain.projects.project import ModelIndex, Project
from citeloom.domain.projects.project_id import ProjectId
from citeloom.domain.value import Value


class Migrated(Value):
    """Result of a migration. ``embedded`` counts the documents embedded in this run, ``cited``
    those of which only the citation was updated; ``missing`` have no stored conversion, and
    while there are any, nothing is switched. ``others`` are models not in use whose index is
    kept."""

    project: str
    model: str
    switched: bool
    documents: int
    chunks: int
    embedded: int = 0
    cited: int = 0
    missing: tuple[str, ...] = ()
    others: tuple[str, ...] = ()


class Migration:
    """Builds, switches and drops the indexes of further models."""

    def __init__(
        self,
        *,
        catalogue: Catalogue,
        remover: Remover,
        parts: ReembeddingServices,
        term_weights: TermWeights,
    ) -> None:
        self._catalogue = catalogue
        self._remover = remover
        self._parts = parts
        self._term_weights = term_weights

    def migrate(
        self,
        project_id: ProjectId,
        embedder: Embedder,
        progress: Progress,
        *,
        drop_old: bool = False,
    ) -> Migrated:
        """Embed a project with ``embedder`` from the stored conversions, then switch to it.

        The index of the former model is kept, or deleted with ``drop_old``. Raises
        ProjectNotFound, InvalidRequest (copies at other places), ShardBusy, StorageFailed.
        """
        project = self._catalogue.project(project_id)
        _require_one_place(project)
        index = project.index_of(embedder.model)
        if index.collection == project.collection:
            if drop_old:
                self._drop_the_old(project)
        elif index.unwanted or index not in project.others:
            self._catalogue.put_other(project_id, index.model_copy(update={"unwanted": False}))
        return self._build_and_switch(
            project_id, index.collection, embedder, progress, drop_old=drop_old
        )

    def use(
        self,
        project_id: ProjectId,
        embedder: Embedder,
        progress: Progress,
        *,
        drop_old: bool = False,
    ) -> Migrated:
        """Switch to a model that the project has an index of; missing documents are embedded
        first. Raises ModelNotInProject and what ``migrate`` raises."""
        project = self._catalogue.project(project_id)
        models = [project.embedding_model, *(other.model for other in project.others)]
        if embedder.model not in models:
            names = [other.model.name for other in project.others]
            raise ModelNotInProject(project_id.value, embedder.model.name, names)
        return self.migrate(project_id, embedder, progress, drop_old=drop_old)

    def drop(self, project_id: ProjectId, model: str) -> ModelIndex:
        """Delete the index of a model that is not in use, by its name or fingerprint. Raises
        ProjectNotFound, ModelNotInProject, InvalidRequest, ShardBusy."""
        project = self._catalogue.project(project_id)
        matches = [o for o in project.others if model in (o.model.name, o.model.fingerprint)]
        current = project.embedding_model
        if not matches and model in (current.name, current.fingerprint):
            raise InvalidRequest(
                f"{model}: is in use by {project_id}",
                NextStep(Action.MIGRATE_MODEL, project=project_id.value),
                parameter="model",
            )
        if not matches:
            names = [other.model.name for other in project.others]
            raise ModelNotInProject(project_id.value, model, names)
        if len(matches) > 1:
            prints = ", ".join(other.model.fingerprint for other in matches)
            raise InvalidRequest(f"{model}: means {prints}; name one of them", parameter="model")
        self._remover.other(project, matches[0])
        return matches[0]

    def _build_and_switch(
        self,
        project_id: ProjectId,
        collection: str,
        embedder: Embedder,
        progress: Progress,
        *,
        drop_old: bool,
    ) -> Migrated:
        """Write missing documents, and switch once the project did not change meanwhile."""
        embedded = cited = 0
        switched = False
        missing: tuple[str, ...] = ()
        self._remove_pathless(project_id, progress)
        while True:
            before = self._catalogue.state(project_id)
            if before.project.collection == collection:
                break
            index = before.project.index_of(embedder.model)
            run = Reembedding(self._parts, before, index, embedder, progress)
            run()
            embedded, cited, missing = embedded + run.embedded, cited + run.cited, run.missing
            if missing:
                break
            project = before.project.switched_to(index, unwanted=drop_old)
            words = {"sparse_model": self._parts.writer.sparse_model}
            after = ProjectState(
                project=project.model_copy(update=words),
                documents=tuple(run.updated(d) for d in before.documents),
            )
            if self._catalogue.switch(before, after, records_in_use(before.documents)):
                switched = True
                break
        self._term_weights.update_average(self._catalogue.project(project_id))
        now = self._finish(project_id)
        if switched:
            optimize_as_well(self._parts.index, now, self._parts.wait_seconds, progress)
        documents = self._catalogue.documents(project_id)
        return Migrated(
            project=project_id.value,
            model=now.embedding_model.name,
            switched=switched,
            documents=len(documents),
            chunks=sum(d.chunks for d in documents),
            embedded=embedded,
            cited=cited,
            missing=missing,
            others=tuple(other.model.name for other in now.others),
        )

    def _finish(self, project_id: ProjectId) -> Project:
        """Delete the indexes marked as unwanted, also by an interrupted run."""
        project = self._catalogue.project(project_id)
        for other in project.others:
            if other.unwanted:
                self._remover.other(project, other)
        return self._catalogue.project(project_id)

    def _drop_the_old(self, project: Project) -> None:
        """Mark the only other index as unwanted. Raises InvalidRequest if there are several."""
        if len(project.others) > 1:
            names = ", ".join(other.model.name for other in project.others)
            raise InvalidRequest(
                f"{project.id}: {project.embedding_model.name} is in use already, and there are "
                f"several others: {names}",
                NextStep(Action.DROP_MODEL, project=project.id.value),
                parameter="drop_old",
            )
        for other in project.others:
            self._catalogue.put_other(project.id, other.model_copy(update={"unwanted": True}))

    def _remove_pathless(self, project_id: ProjectId, progress: Progress) -> None:
        """Remove documents without source, as an interrupted ingest of changed files leaves."""
        project = self._catalogue.project(project_id)
        pathless = [d for d in self._catalogue.documents(project_id) if not d.sources]
        self._remover.documents(project, [d.document_id for d in pathless])
        for document in pathless:
            progress.notice(f"removed {document.document_id[:16]}: its file has changed since")


def _require_one_place(project: Project) -> None:
    """Raise InvalidRequest for copies left by relocations: they belong to the model in use."""
    if project.retrieval.copies:
        raise InvalidRequest(
            f"{project.id}: copies of its index are left where it was moved from",
            NextStep(Action.DROP_COPIES, project=project.id.value),
            parameter="model",
        )
