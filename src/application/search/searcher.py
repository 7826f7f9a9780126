"""Candidate retrieval, fusion and reranking."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from contextlib import ExitStack, contextmanager
from dataclasses import replace

from citeloom.application.documents.finder import DocumentFinder
from citeloom.application.index.collection import (
    missing_passages,
    open_collection,
    require_index,
)
from citeloom.application.ports.index import CandidatePassage, Index, SparseVector
from citeloom.application.ports.models import Embedder, SparseEmbedder
from citeloom.application.search.exact_matches import MOST_READ, is_partial, matching_candidates
from citeloom.application.search.hits import Hits, SearchedProject, SearchQuestion
from citeloom.application.search.reading_order import running_text_first
from citeloom.application.search.reranking import Reranking
from citeloom.domain.annotations.annotation import ANY_COLOR
from citeloom.domain.documents.chunk import ChunkPosition
from citeloom.domain.errors import (
    EmbeddingModelMismatch,
    HybridNotSupported,
    ProjectsDiffer,
)
from citeloom.domain.messages import Action, NextStep, UserMessage
from citeloom.domain.projects.fusion_policy import DEFAULT_POLICY, FusionPolicy
from citeloom.domain.projects.project import Project
from citeloom.domain.projects.project_id import ProjectId
from citeloom.domain.search.exact_terms import ParsedQuestion, no_exact_match
from citeloom.domain.search.filters import Clause, Field, Filter
from citeloom.domain.search.fusion import Mode, Scored, boosted, policy_for, rank, top_ids
from citeloom.domain.search.neighbours import DEPTH, by_own_scores, smoothed_by_neighbours
from citeloom.domain.search.reranking import reordered
from citeloom.domain.stages import stage
from citeloom.domain.text.terms import DocumentFrequencies

# Candidates by each vector: deep enough for fusion to raise what one of them ranks low.
CANDIDATES = 100
#: Document frequencies are counted up to here; more frequent words are common.
SPREAD_COUNTED = 2000
MARKED = Filter(clauses=(Clause(field=Field.MARKED, values=(ANY_COLOR,)),))


class Searcher:
    """Searches projects, with the fusion policy and the resolved filter of each."""

    def __init__(
        self,
        *,
        documents: DocumentFinder,
        index: Index,
        embedder: Callable[[str], Embedder],
        sparse: SparseEmbedder,
        fusion: FusionPolicy = DEFAULT_POLICY,
        reranking: Callable[[], Reranking] | None = None,
        rerank: bool = False,
        wait_seconds: float = 30.0,
    ) -> None:
        self._documents = documents
        self._catalogue = documents.catalogue
        self._index = index
        self._embedder = embedder
        self._sparse = sparse
        self._fusion = fusion
        self._reranking = reranking
        self._rerank = rerank
        self._wait = wait_seconds

    @contextmanager
    def search(self, projects: Sequence[Project], question: SearchQuestion) -> Iterator[Hits]:
        """One ranking over all ``projects``, which must have the same embedding model.

        Raises ProjectsDiffer, HybridNotSupported, EmbeddingModelMismatch, ModelUnavailable,
        ShardBusy, IndexUnavailable, and DocumentNotFound for a ``doc=`` without a match.
        """
        projects = [self._present(project) for project in projects]
        first = projects[0]
        for project in projects:
            if question.mode is Mode.HYBRID and not project.hybrid_enabled:
                raise HybridNotSupported(project.id.value, "it is switched off for this project")
            if project.embedding_model != first.embedding_model:
                raise ProjectsDiffer(first.id.value, project.id.value)
        for project in projects:
            require_index(self._index, self._catalogue, project)
        indexed = [p for p in projects if self._index.exists(p.collection)]
        warnings: list[str] = [_empty(p) for p in projects if p not in indexed]
        if not indexed:
            yield Hits((), {}, warnings=tuple(warnings))
            return
        ids = [project.id for project in projects]
        filters = self._documents.with_ids(question.filter, ids)
        with stage("embed"):
            dense = self._dense_vector(first, question, warnings)
        with ExitStack() as stack:
            with stage("retrieve"):
                candidates, places = self._retrieve(
                    stack, indexed, question, filters, dense, warnings
                )
            warnings += self._sparse_warnings(indexed, question, candidates)
            hits = Hits(
                (),
                places,
                candidates=[_scored(one) for one in candidates.values()],
                dense=dense,
                term_matches=lambda passage: self._sparse.matches(
                    question.text, passage.chunk.text, passage.language
                ),
                wording=question.wording,
                warnings=tuple(warnings),
            )
            with stage("rank"):
                ranked = self._ranked(hits, question, policy_for(question.text, self.policy(first)))
            yield ranked

    def _retrieve(
        self,
        stack: ExitStack,
        projects: Sequence[Project],
        question: SearchQuestion,
        filters: Mapping[ProjectId, Filter],
        dense: Sequence[float] | None,
        warnings: list[str],
    ) -> tuple[dict[str, CandidatePassage], dict[str, SearchedProject]]:
        """The candidates of all projects and the project of each, by chunk id. The collections
        stay open on ``stack``."""
        limit = max(CANDIDATES, 2 * question.depth)
        candidates: dict[str, CandidatePassage] = {}
        places: dict[str, SearchedProject] = {}
        # Opened in the same order by all, so that no two wait for each other.
        for project in sorted(projects, key=lambda p: p.collection):
            opened = open_collection(self._index, project, self._wait)
            collection = stack.enter_context(opened)
            place = SearchedProject(project, collection, filters[project.id])
            its_candidates = self._candidates(place, question, dense, limit, warnings)
            if missing := missing_passages(collection, self._catalogue, project):
                warnings.append(missing)
            elif not its_candidates and not collection.count():
                warnings.append(_empty(project))
            for candidate in its_candidates:
                candidates.setdefault(candidate.id, candidate)
                places.setdefault(candidate.id, place)
        return candidates, places

    def _ranked(self, hits: Hits, question: SearchQuestion, policy: FusionPolicy) -> Hits:
        """The hits after smoothing, fusion, reading order, boost of annotated passages and
        reranking."""
        candidates = hits.candidates
        best: Sequence[str] = ()
        positions: Mapping[str, ChunkPosition] = {}
        if question.mode is Mode.HYBRID:
            best = top_ids(candidates, max(DEPTH, 2 * question.depth), policy)
            positions = hits.positions(best)
            candidates = smoothed_by_neighbours(candidates, positions)
        ranked = rank(candidates, question.mode, policy)
        if question.for_reader:
            ranked = by_own_scores(ranked, best, positions)
            ranked = running_text_first(hits, ranked, question, self._sparse)
        if question.favour_marked:
            ranked = boosted(ranked, _marked(hits.places))
        hits = replace(hits, candidates=candidates, ranked=ranked)
        rerank = self._rerank if question.rerank is None else question.rerank
        if not rerank or self._reranking is None:
            return hits
        with stage("rerank"):
            scores = self._reranking()(hits, question.text)
        ranked = reordered(ranked, scores, policy.rerank_weight)
        return replace(hits, ranked=ranked, reranker_scores=scores)

    def document_frequencies(
        self, project: Project, words: Sequence[str], filter: Filter
    ) -> DocumentFrequencies | None:
        """Document frequencies: passages that contain each of ``words``, SPREAD_COUNTED at
        most; None for a project without sparse search. Raises what ``search`` raises."""
        project = self._present(project)
        if not project.hybrid_enabled or not self._index.exists(project.collection):
            return None
        languages = self._catalogue.languages(project.id)
        resolved = self._documents.with_ids(filter, [project.id])[project.id]
        with open_collection(self._index, project, self._wait) as collection:
            frequencies = {
                word: len(
                    collection.search(
                        dense=None,
                        sparse=self._sparse.embed_query(word, languages),
                        filter=resolved,
                        limit=SPREAD_COUNTED,
                    )
                )
                for word in words
            }
            return DocumentFrequencies(collection.count(), frequencies)

    def _present(self, project: Project) -> Project:
        """The project; read again if a migration replaced its collection meanwhile."""
        if self._index.exists(project.collection):
            return project
        return self._catalogue.project(project.id)

    def policy(self, project: Project) -> FusionPolicy:
        """The fusion policy of the project, else the configured one."""
        return project.retrieval.fusion or self._fusion

    def _candidates(
        self,
        place: SearchedProject,
        question: SearchQuestion,
        dense: Sequence[float] | None,
        limit: int,
        warnings: list[str],
    ) -> list[CandidatePassage]:
        project, collection, filter = place.project, place.collection, place.filter
        words = self._sparse_vector(project, question)

        def ask(limit: int, among: AbstractSet[str] | None) -> list[CandidatePassage]:
            return collection.search(
                dense=dense, sparse=words, filter=filter, limit=limit, among=among
            )

        wording = question.wording or ParsedQuestion(text=question.text)
        languages = self._catalogue.languages(project.id) if wording.phrases else ()
        keys = [k for phrase in wording.phrases for k in self._sparse.keys(phrase, languages)]
        dimension = project.embedding_model.dimension
        if is_partial(collection, wording, keys):
            warnings.append(
                f"a phrase of such common words alone was looked for in {MOST_READ:,} passages of "
                f"{project.id} only; quote a rarer word with it to search all"
            )
        return matching_candidates(collection, wording, keys, filter, ask, limit, dimension)

    def _sparse_warnings(
        self,
        projects: Sequence[Project],
        question: SearchQuestion,
        candidates: Mapping[str, CandidatePassage],
    ) -> list[str]:
        warnings = [
            f"the words of {project.id} were stored by an earlier version; the next "
            "ingest into it brings them up to date"
            for project in projects
            if question.mode is not Mode.DENSE and project.sparse_model != self._sparse.name
        ]
        if question.wording and question.wording.phrases and not candidates:
            warnings.append(no_exact_match(question.wording, filtered=bool(question.filter)))
        return warnings

    def _dense_vector(
        self, project: Project, question: SearchQuestion, warnings: list[str]
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

    def _sparse_vector(self, project: Project, question: SearchQuestion) -> SparseVector | None:
        if question.mode is Mode.DENSE:
            return None
        return self._sparse.embed_query(question.text, self._catalogue.languages(project.id))


def _empty(project: Project) -> UserMessage:
    step = NextStep(Action.ADD_DOCUMENTS, project=project.id.value)
    return UserMessage(f"{project.id} holds no passages yet", step)


def _marked(places: Mapping[str, SearchedProject]) -> set[str]:
    """Ids of passages that are annotations or have marks."""
    by_collection: dict[str, set[str]] = {}
    for id, place in places.items():
        by_collection.setdefault(place.project.collection, set()).add(id)
    return {
        id for ids in by_collection.values() for id in places[next(iter(ids))].passing(ids, MARKED)
    }


def _scored(candidate: CandidatePassage) -> Scored:
    return Scored(candidate.id, candidate.dense, candidate.sparse, candidate.sentence)
