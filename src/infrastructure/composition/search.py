"""Search: the searcher and the verb *query*."""

from typing import TYPE_CHECKING

from .models import ModelVerbs
from .workspace import Stores, lazy, part

if TYPE_CHECKING:
    from collections.abc import Sequence

    from citeloom.application.search.query import Query
    from citeloom.application.search.searcher import Reranking, Searcher
    from citeloom.application.search.selection import ReadableHits
    from citeloom.domain.projects.project import Project, ProjectId
    from citeloom.domain.search.request import QueryRequest, QueryResult, RunningIngest


class SearchVerbs:
    """Search over the projects of one workspace."""

    def __init__(self, stores: Stores, models: ModelVerbs) -> None:
        self._stores = stores
        self._models = models

    @lazy
    def searcher(self) -> "Searcher":
        from citeloom.application.search.searcher import Searcher
        from citeloom.domain.projects.project import FusionPolicy

        options = self._stores.settings.query
        return Searcher(
            documents=self._stores.documents,
            index=self._stores.index,
            embedder=self._models.embedder,
            sparse=self._models.sparse,
            fusion=FusionPolicy(
                method=options.fusion,
                dense_weight=options.dense_weight,
                sentence_weight=options.sentence_weight,
                sparse_weight=options.sparse_weight,
                rerank_weight=options.rerank_weight,
            ),
            reranking=self._reranking,
            rerank=options.rerank,
            answers=lambda: self._models.answer_reader,
        )

    def _reranking(self) -> "Reranking":
        from citeloom.application.search.searcher import Reranking
        from citeloom.infrastructure.models.reranking.rerankers import ALIASES

        options = self._stores.settings.query
        return Reranking(
            self._models.reranker,
            candidates=options.rerank_candidates,
            are_probabilities=options.reranker.lower() in ALIASES,
        )

    @lazy
    def query(self) -> "Query":
        from citeloom.application.search.query import Query
        from citeloom.infrastructure.models.embedding import bundled_embedder as bundled

        return Query(
            catalogue=self._stores.catalogue,
            searcher=self.searcher,
            readable=self.readable,
            english={bundled.NAME: bundled.OF_MANY_LANGUAGES},
            ingests=self._ingests,
        )

    def _ingests(self, ids: "Sequence[ProjectId]") -> "RunningIngest | None":
        from citeloom.application.ports.jobs import JobFilter
        from citeloom.domain.search.request import RunningIngest
        from citeloom.infrastructure.system.locks import has_ended

        now, names = self._stores.clock.now(), {id.value for id in ids}
        running = [
            job.progress.counts
            for job in self._stores.job_record.jobs(JobFilter(going_on=True))
            if job.kind == "ingest" and job.project in names and job.progress.counts
            if not job.is_dead(now) and not has_ended(job.worker)
        ]
        failed = sum(one.get("documents_failed", 0) for one in running)
        done = sum(one["documents_done"] for one in running) - failed
        total = sum(one["documents_total"] or 0 for one in running) - failed
        return RunningIngest(documents_done=done, documents_total=total) if done < total else None

    readable: "ReadableHits" = part("search.selection:ReadableHits")

    def remember(self, result: "QueryResult") -> None:
        """Keep the hits of a question, so that they can be opened by their numbers. Raises
        StorageFailed."""
        from citeloom.domain.search.hits import ShownHits

        self._stores.shown_hits.save(ShownHits.of(result))

    def load_ahead(self, project_id: "ProjectId", *, rerank: bool | None = None) -> None:
        """Begin to load the embedding model of a project in the background, and the reranker,
        which most questions need, unless ``rerank`` or the settings forbid it. Raises
        ProjectNotFound."""
        project = self._stores.catalogue.project(project_id)
        self._models.load_ahead(project.embedding_model.name)
        if self._stores.settings.query.rerank if rerank is None else rerank:
            self._models.load_reranker_ahead()

    def ask(self, request: "QueryRequest") -> "QueryResult":
        """The answer of ``query``; the index is opened while a model is still being loaded."""
        query = self.query
        self.open_ahead(self._stores.catalogue.project(request.project_id))
        return query(request)

    def open_ahead(self, project: "Project") -> None:
        """Open the index of a project in this workspace, while its model is loaded in the
        background. Raises ShardBusy, IndexUnavailable, StorageFailed."""
        from citeloom.application.index.collection import open_collection

        index = self._stores.index
        if project.retrieval.place is None and index.exists(project.collection):
            with open_collection(index, project):
                pass
