"""The search of one project: embed the question, find candidates, put them in order."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from citeloom.application.documents import find_document
from citeloom.application.ports.catalogue import Catalogue
from citeloom.application.ports.embedder import Embedder, SparseEmbedder
from citeloom.application.ports.index import Candidate, Collection, Index, Passage, SparseVector
from citeloom.application.project_index import open_collection
from citeloom.domain.errors import EmbeddingModelMismatch, HybridNotSupported
from citeloom.domain.filters import Clause, Field, Filter
from citeloom.domain.fusion import DEFAULT_POLICY, FusionPolicy, Mode, Ranked, Scored, rank
from citeloom.domain.project import Project

# Candidates a side: deep enough that fusion finds what either side alone ranks low.
CANDIDATES = 100
_EMPTY = (
    "{project} holds no passages yet; add documents with `citeloom ingest PATH --project {project}`"
)


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked of a project. ``depth`` is how many hits are wanted at most."""

    text: str
    mode: Mode
    filter: Filter
    depth: int


class Hits:
    """What a search found, best first; open as long as its ``with``."""

    def __init__(
        self,
        ranked: Sequence[Ranked],
        *,
        collection: Collection | None = None,
        dense: Sequence[float] | None = None,
        warnings: Sequence[str] = (),
    ) -> None:
        self.ranked = ranked
        self.warnings = tuple(warnings)
        self._collection = collection
        self._dense = dense

    def passages(self, ids: Sequence[str]) -> list[Passage]:
        """In the order of ``ids``; one that was removed meanwhile is left out."""
        return self._collection.fetch(ids) if self._collection else []

    def sentence_scores(self, ids: Sequence[str]) -> Mapping[str, Sequence[float]]:
        """How close each sentence of a passage is to the question; nothing for questions
        by words alone and for passages without sentences."""
        if self._collection is None or self._dense is None:
            return {}
        return self._collection.sentence_scores(self._dense, ids)


class Searcher:
    """Searches projects, each with its own model, policy and filter."""

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

    @contextmanager
    def search(self, project: Project, question: Question) -> Iterator[Hits]:
        """Raises HybridNotSupported, EmbeddingModelMismatch, ModelUnavailable, ShardBusy,
        IndexUnavailable, and DocumentNotFound for a ``doc=`` that nothing has."""
        if question.mode is Mode.HYBRID and not project.hybrid_enabled:
            raise HybridNotSupported(project.id.value, "it is switched off for this project")
        empty = _EMPTY.format(project=project.id)
        if not self._index.exists(project.collection):
            yield Hits((), warnings=[empty])
            return
        warnings: list[str] = []
        dense = self._meaning(project, question, warnings)
        words = self._words(project, question)
        filter = self._resolved(project, question.filter)
        limit = max(CANDIDATES, 2 * question.depth)
        with open_collection(self._index, project, self._wait) as collection:
            found = collection.search(dense=dense, sparse=words, filter=filter, limit=limit)
            if not found and not collection.info().points:
                warnings.append(empty)
            ranked = rank(map(_scored, found), question.mode, self.policy(project))
            yield Hits(ranked, collection=collection, dense=dense, warnings=warnings)

    def policy(self, project: Project) -> FusionPolicy:
        """The project's own, else the configured one."""
        return project.retrieval.fusion or self._fusion

    def _meaning(
        self, project: Project, question: Question, warnings: list[str]
    ) -> Sequence[float] | None:
        if question.mode is Mode.SPARSE:
            return None
        embedder = self._embedder(project.embedding_model.name)
        if embedder.model != project.embedding_model:
            raise EmbeddingModelMismatch(
                project.id.value,
                project.embedding_model.fingerprint,
                embedder.model.fingerprint,
            )
        window = embedder.model.max_tokens
        if embedder.tokens.count(question.text) > window:
            warnings.append(
                f"the question is longer than the model's window of {window} tokens: only its "
                "beginning was compared by meaning (all of it by words)"
            )
        return embedder.embed_query(question.text)

    def _words(self, project: Project, question: Question) -> SparseVector | None:
        if question.mode is Mode.DENSE:
            return None
        return self._sparse.embed_query(question.text, self._catalogue.languages(project.id))

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


def _scored(found: Candidate) -> Scored:
    return Scored(found.id, found.dense, found.sparse, found.sentence)
