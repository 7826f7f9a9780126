"""The verb *query*: from a question to quotable passages."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager

from citeloom.application.documents import find_document
from citeloom.application.passages import result_item
from citeloom.application.ports.catalogue import Catalogue
from citeloom.application.ports.embedder import Embedder, SparseEmbedder
from citeloom.application.ports.index import Candidate, Collection, Index, Passage
from citeloom.application.project_index import open_collection
from citeloom.domain.errors import EmbeddingModelMismatch, HybridNotSupported
from citeloom.domain.filters import Clause, Field, Filter
from citeloom.domain.fusion import DEFAULT_POLICY, FusionPolicy, Ranked, Scored, rank
from citeloom.domain.project import Project
from citeloom.domain.retrieval import Mode, QueryRequest, QueryResult

# Candidates a side: deep enough that fusion finds what either side alone ranks low.
_CANDIDATES = 100
_EMPTY = (
    "{project} holds no passages yet; add documents with `citeloom ingest PATH --project {project}`"
)


class Query:
    """Embeds, searches both ways, fuses, folds duplicates, cites."""

    def __init__(
        self,
        *,
        catalogue: Catalogue,
        index: Index,
        embedder: Callable[[str], Embedder],
        sparse: SparseEmbedder,
        fusion: FusionPolicy = DEFAULT_POLICY,
        wait_seconds: float = 30.0,
    ) -> None:
        self._catalogue = catalogue
        self._index = index
        self._embedder = embedder
        self._sparse = sparse
        self._fusion = fusion
        self._wait = wait_seconds

    def __call__(self, request: QueryRequest) -> QueryResult:
        project = self._catalogue.project(request.project_id)
        if request.mode is Mode.HYBRID and not project.hybrid_enabled:
            raise HybridNotSupported(project.id.value, "it is switched off for this project")
        warnings: list[str] = []
        found = self._search(project, request, warnings)
        ranked = rank(
            (Scored(c.passage.chunk.id, c.dense, c.sparse) for c in found),
            request.mode,
            self._fusion,
        )
        passages = {c.passage.chunk.id: c.passage for c in found}
        best = _without_repeats(ranked, passages)[: request.top_k]
        items = tuple(
            result_item(project, passages[hit.id], place, hit.score)
            for place, hit in enumerate(best, start=1)
        )
        return QueryResult(
            project=project.id.value,
            query=request.query_text,
            mode=request.mode,
            model=project.embedding_model.name,
            count=len(items),
            items=items,
            warnings=tuple(warnings),
        )

    def _search(
        self, project: Project, request: QueryRequest, warnings: list[str]
    ) -> list[Candidate]:
        if not self._index.exists(project.collection):
            warnings.append(_EMPTY.format(project=project.id))
            return []
        dense = sparse = None
        if request.mode in (Mode.HYBRID, Mode.DENSE):
            embedder = self._embedder(project.embedding_model.name)
            if embedder.model != project.embedding_model:
                raise EmbeddingModelMismatch(
                    project.id.value,
                    project.embedding_model.fingerprint,
                    embedder.model.fingerprint,
                )
            dense = embedder.embed_query(request.query_text)
            window = embedder.model.max_tokens
            if embedder.tokens.count(request.query_text) > window:
                warnings.append(
                    f"the question is longer than the model's window of {window} tokens: only its "
                    "beginning was compared by meaning (all of it by words)"
                )
        if request.mode in (Mode.HYBRID, Mode.SPARSE):
            sparse = self._sparse.embed_query(
                request.query_text, self._catalogue.languages(project.id)
            )
        with self._open(project) as collection:
            found = collection.search(
                dense=dense,
                sparse=sparse,
                filter=self._resolved(project, request.filter),
                limit=max(_CANDIDATES, 2 * request.top_k),
            )
            if not found and not collection.info().points:
                warnings.append(_EMPTY.format(project=project.id))
        return found

    def _open(self, project: Project) -> AbstractContextManager[Collection]:
        return open_collection(self._index, project, self._wait)

    def _resolved(self, project: Project, wanted: Filter) -> Filter:
        """The filter with each ``doc=NAME`` replaced by the ids of the documents meant."""
        return Filter(clauses=tuple(self._resolve(project, c) for c in wanted.clauses))

    def _resolve(self, project: Project, clause: Clause) -> Clause:
        if clause.field is not Field.DOC:
            return clause
        ids = tuple(
            find_document(self._catalogue, project.id, name).document_id for name in clause.values
        )
        return clause.model_copy(update={"values": ids})


def _without_repeats(hits: Sequence[Ranked], passages: Mapping[str, Passage]) -> list[Ranked]:
    """The same words in a second document (or copy of one) are shown once, best first."""
    seen: set[str] = set()
    unique = []
    for hit in hits:
        words = " ".join(passages[hit.id].chunk.text.split())
        if words not in seen:
            seen.add(words)
            unique.append(hit)
    return unique
