"""Candidate retrieval, exact matches, fusion and reranking.

Exact matches: candidates that contain the quoted phrases of a question and no excluded terms. The
posting list of the rarest word of a phrase, from the BM25 index, bounds the passages; the
candidates among them are read until enough of them match or none is left. So a phrase is found
however low its passage ranks, at a cost in proportion to the frequency of its rarest word. A phrase
of stop words has no posting list: it is searched in the best passages of the question,
``MOST_READ`` at most.

Reranking of the top hits by a cross-encoder. Where documents are ranked, adjacent passages are
reranked as one text: the answering sentences may lie in either, and a document with many
high-ranked passages would else crowd out others. For a reader each passage is read by itself, and
without being asked the order changes only where the first one is not sure.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from itertools import islice
from typing import Final

from citeloom.application.documents.finder import DocumentFinder
from citeloom.application.index.collection import missing_passages, open_collection, require_index
from citeloom.application.ports.index import (
    Collection,
    Index,
    Passage,
    SparseVector,
)
from citeloom.application.ports.models import AnswerReader, Embedder, Reranker, SparseEmbedder
from citeloom.domain.annotations import ANY_COLOR
from citeloom.domain.documents.spans import CharSpan, ChunkPosition
from citeloom.domain.errors import EmbeddingModelMismatch, HybridNotSupported, ProjectsDiffer
from citeloom.domain.messages import Action, NextStep, UserMessage
from citeloom.domain.progress import stage
from citeloom.domain.projects.project import DEFAULT_POLICY, FusionPolicy, Project, ProjectId
from citeloom.domain.search.answerable import Judged, is_open
from citeloom.domain.search.answers import ReadPassages, rarity
from citeloom.domain.search.filters import Clause, Field, Filter
from citeloom.domain.search.fusion import (
    Mode,
    ParsedQuestion,
    Scored,
    boosted,
    is_one_word,
    no_exact_match,
    placed_first,
    policy_for,
    rank,
    top_ids,
)
from citeloom.domain.search.ranking import (
    ASKED,
    DEPTH,
    FOR_READER,
    JUDGED,
    SENTENCES,
    UNASKED,
    RerankerScores,
    asks_in_english,
    by_own_scores,
    evidence_text,
    going_on,
    group_adjacent,
    is_sure,
    log_odds,
    reordered,
    smoothed_by_neighbours,
)
from citeloom.domain.text.terms import DocumentFrequencies
from citeloom.domain.text.words import is_foreign_to_english

from .hits import (
    Hits,
    SearchedProject,
    SearchQuestion,
    nearest_sentences,
    read_best,
    running_text_first,
    title_of,
)

# Retrieves candidates: a limit for each vector, and the chunk ids to search (None: all).
RetrieveCandidates = Callable[[int, AbstractSet[str] | None], list[Scored]]

_DEEPER: Final = 4
_FIRST: Final = 256
# Passages read at a time.
_READ: Final = 500
# Passages read for a phrase of stop words: about a third of a second.
MOST_READ: Final = 2000


def matching_candidates(
    collection: Collection,
    wording: ParsedQuestion,
    keys: Sequence[SparseVector],
    filter: Filter,
    ask: RetrieveCandidates,
    limit: int,
    dimension: int,
) -> list[Scored]:
    """Candidates that ``wording`` allows: at least ``limit`` of them, or all there are.

    ``keys`` are the sparse keys of the words of its phrases. Without any (phrases of stop
    words) passages are read one by one, at most ``MOST_READ``: see ``is_partial``.
    """
    if wording.is_plain:
        return ask(limit, None)
    among: AbstractSet[str] | None = None
    if wording.phrases:
        among = _having(collection, keys, filter) if keys else _reading(collection, wording, ask)
    allowed: dict[str, bool] = {}
    while True:
        candidates = ask(limit, among)
        unread = [c.id for c in candidates if c.id not in allowed]
        allowed |= dict.fromkeys(unread, False) | _read(collection, wording, unread)
        matching = [candidate for candidate in candidates if allowed[candidate.id]]
        if len(candidates) < limit:
            break
        if len(matching) >= limit:
            return matching
        limit *= _DEEPER
    unscored = (among or set()) - allowed.keys()
    matching_ids = {
        id for id, holds in _read(collection, wording, sorted(unscored)).items() if holds
    }
    return matching + _without_score(collection, matching_ids, filter, dimension)


def _without_score(
    collection: Collection, ids: AbstractSet[str], filter: Filter, dimension: int
) -> list[Scored]:
    """Candidates for those of ``ids`` that pass the filter. A sparse search does not return
    passages that share only stop words with the question."""
    if not ids:
        return []
    candidates = collection.search(
        dense=[1.0] * dimension, sparse=None, filter=filter, limit=len(ids), among=ids
    )
    return [Scored(candidate.id, None, 0.0) for candidate in candidates]


def _having(collection: Collection, keys: Sequence[SparseVector], filter: Filter) -> set[str]:
    """Ids of the passages that contain the rarest of these words."""
    limit = _FIRST
    while True:
        for key in keys:
            candidates = collection.search(dense=None, sparse=key, filter=filter, limit=limit)
            if len(candidates) < limit:
                return {candidate.id for candidate in candidates}
        limit *= _DEEPER


def is_partial(
    collection: Collection, wording: ParsedQuestion, keys: Sequence[SparseVector]
) -> bool:
    """Whether a phrase of stop words is searched in a part of the passages only."""
    return bool(wording.phrases) and not keys and collection.count() > MOST_READ


def _reading(collection: Collection, wording: ParsedQuestion, ask: RetrieveCandidates) -> set[str]:
    """Ids of matching passages among those nearest to the question; among the first passages
    if a sparse search finds none."""
    if is_partial(collection, wording, ()):
        nearest = [candidate.id for candidate in ask(MOST_READ, None)][:MOST_READ]
        if nearest:
            return {id for id, holds in _read(collection, wording, nearest).items() if holds}
    first_passages = islice(collection.passages(), MOST_READ)
    return {p.chunk.id for p in first_passages if wording.accepts(p.searched)}


def _read(collection: Collection, wording: ParsedQuestion, ids: Sequence[str]) -> dict[str, bool]:
    return {
        passage.chunk.id: wording.accepts(passage.searched)
        for start in range(0, len(ids), _READ)
        for passage in collection.fetch(ids[start : start + _READ])
    }


# Of so many of the best hits close sentences are read: 7 ms a hit.
_MARKED_AGAIN: Final = 3
# A passage, its predecessor and its successor.
_TOGETHER = 3


class Reranking:
    """Reranks the first hits, as many as fit into ``candidates`` texts; ``apart`` reads each
    passage by itself, ``at_most`` so many, not all of them to the end if there is a ``weight``
    for their order. ``are_probabilities``: the scores are those of the bundled model.

    The number is fixed, not the time, so that results are reproducible.
    """

    def __init__(
        self, reranker: Reranker, *, candidates: int, are_probabilities: bool = False
    ) -> None:
        self._reranker = reranker
        self.are_probabilities = are_probabilities
        self._candidates = candidates

    def __call__(
        self, hits: "Hits", text: str, apart: bool, at_most: int | None, weight: float | None
    ) -> RerankerScores:
        limit = min(self._candidates, at_most or self._candidates)
        ids = [hit.id for hit in hits.ranked[: _TOGETHER * limit]]
        positions = {} if apart else hits.positions(ids)
        groups = group_adjacent(ids, positions, limit)
        similarities = hits.sentence_scores([id for group in groups for id in group])
        if not similarities:
            groups = [[id] for id in ids[:limit]]
        depth = sum(map(len, groups))
        passages = {p.chunk.id: p for p in hits.passages(ids[:depth])}
        grouped_passages = [[passages[id] for id in group if id in passages] for group in groups]
        grouped_passages = [group for group in grouped_passages if group]
        best_of = hits.read.best_of if hits.read and apart else None
        count = FOR_READER if apart else SENTENCES
        texts = [_evidence(group, similarities, count, best_of) for group in grouped_passages]
        first, in_part = {hit.id: hit.score for hit in hits.ranked[:depth]}, set[str]()
        heads = [group[0].chunk.id for group in grouped_passages]

        def best(looked: Sequence[float]) -> Sequence[int]:
            places = going_on([first[id] for id in heads], looked, weight or 0.0)
            in_part.update(set(heads) - {heads[place] for place in places})
            return places

        found = self._reranker.rerank(text, texts, None if weight is None else best)
        read = zip(grouped_passages, found, strict=True)
        scores = {passage.chunk.id: score for group, score in read for passage in group}
        return RerankerScores(scores, depth, self.are_probabilities, in_part)

    def odds(self, question: str, texts: Sequence[str]) -> Sequence[float]:
        """The log-odds of each text, of scores that are probabilities."""
        return [log_odds(score) for score in self._reranker.rerank(question, texts)]

    def sentences(self, hits: "Hits", read: ReadPassages, depth: int) -> ReadPassages:
        """``read`` with the best sentences of the first ``depth`` hits chosen where several are
        close: each is read in part, by itself, below the title."""
        undecided = read.undecided([hit.id for hit in hits.ranked[:depth]])
        passages = {p.chunk.id: p for p in hits.passages([one.id for one in undecided])}
        undecided = [one for one in undecided if one.id in passages]
        texts = [_below_title(passages[one.id], s.span) for one in undecided for s in one.close]
        scores = iter(self._reranker.rerank(read.question, texts, lambda _: ()) if texts else ())
        return read.decided(
            [one.read_again([log_odds(next(scores)) for _ in one.close]) for one in undecided]
        )


def _below_title(passage: Passage, sentence: CharSpan) -> str:
    text = passage.chunk.text[sentence.start : sentence.end]
    return evidence_text(title_of(passage), [text], [1.0])


def _evidence(
    group: Sequence[Passage],
    similarities: Mapping[str, Sequence[float]],
    count: int,
    best_of: Callable[[str], CharSpan | None] | None,
) -> str:
    """``count`` sentences of these passages: the one that answers best, where they were read, then
    those most similar to the question, shared ones once; a whole passage if it has no sentence
    vectors."""
    similarity_of: dict[str, float] = {}
    for passage in group:
        text, near = passage.searched or passage.chunk.text, similarities.get(passage.chunk.id, ())
        if passage.sentences and len(passage.sentences) == len(near):
            quotes = [text[span.start : span.end] for span in passage.sentences]
            similarity_of |= zip(quotes, near, strict=True)
            if best_of and (best := best_of(passage.chunk.id)):
                similarity_of[text[best.start : best.end]] = 1.0
        else:
            similarity_of[text] = 1.0
    return evidence_text(
        title_of(group[0]), list(similarity_of), list(similarity_of.values()), count
    )


# Candidates by each vector: deep enough for fusion to raise what one of them ranks low.
CANDIDATES = 100
#: Document frequencies are counted up to here; more frequent words are common.
SPREAD_COUNTED = 2000
MARKED = Filter(clauses=(Clause(field=Field.MARKED, values=(ANY_COLOR,)),))


@dataclass(frozen=True, slots=True, kw_only=True)
class Searcher:
    """Searches projects, with the fusion policy and the resolved filter of each."""

    documents: DocumentFinder
    index: Index
    embedder: Callable[[str], Embedder]
    sparse: SparseEmbedder
    fusion: FusionPolicy = DEFAULT_POLICY
    reranking: Callable[[], Reranking] | None = None
    rerank: bool = False
    answers: Callable[[], AnswerReader | None] = lambda: None

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
        indexed = [p for p in projects if self.index.exists(p.collection)]
        without = [p for p in projects if p not in indexed]
        for project in without:
            require_index(self.index, self.documents.catalogue, project)
        warnings: list[str] = [_empty(p) for p in without]
        if not indexed:
            yield Hits((), {}, warnings=tuple(warnings))
            return
        ids = [project.id for project in projects]
        filters = self.documents.with_ids(question.filter, ids)
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
                candidates=list(candidates.values()),
                dense=dense,
                term_matches=lambda passage: self.sparse.matches(
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
    ) -> tuple[dict[str, Scored], dict[str, SearchedProject]]:
        """The candidates of all projects and the project of each, by chunk id. The collections
        stay open on ``stack``."""
        limit = max(CANDIDATES, 2 * question.depth)
        candidates: dict[str, Scored] = {}
        places: dict[str, SearchedProject] = {}
        # Opened in the same order by all, so that no two wait for each other.
        for project in sorted(projects, key=lambda p: p.collection):
            opened = open_collection(self.index, project)
            collection = stack.enter_context(opened)
            place = SearchedProject(project, collection, filters[project.id])
            its_candidates = self._candidates(place, question, dense, limit, warnings)
            if missing := missing_passages(collection, self.documents.catalogue, project):
                warnings.append(missing)
            elif not its_candidates and not collection.count():
                warnings.append(_empty(project))
            for candidate in its_candidates:
                candidates.setdefault(candidate.id, candidate)
                places.setdefault(candidate.id, place)
        return candidates, places

    def _ranked(self, hits: Hits, question: SearchQuestion, policy: FusionPolicy) -> Hits:
        """The hits after smoothing, fusion, reading order, boost of annotated passages, reranking
        and tables that have the asked number."""
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
            ranked = running_text_first(hits, ranked, question, self.sparse)
            if question.mode is not Mode.SPARSE and ranked:
                hits = replace(hits, read=read_best(hits, ranked, question))
        if question.favour_marked:
            ranked = boosted(ranked, _marked(hits.places))
        hits = replace(hits, candidates=candidates, ranked=ranked)
        hits = self._read_again(hits, question, policy)
        cells = hits.read.cells() if hits.read else []
        return replace(hits, ranked=placed_first(hits.ranked, cells)) if cells else hits

    def _read_again(self, hits: Hits, question: SearchQuestion, policy: FusionPolicy) -> Hits:
        """The hits with the reranker's scores, and in its order where the first is not sure."""
        ranked = hits.ranked
        asked = question.rerank
        reads = self._reads_unasked(question) if asked is None else asked
        sure = asked is None and is_sure(ranked)
        if not reads or self.reranking is None or (sure and not hits.read):
            return hits
        at_most = None if asked else JUDGED if sure else UNASKED
        with stage("rerank"):
            apart = question.for_reader
            times = ASKED if apart and asks_in_english(question.text) else 1.0
            weight = times * policy.rerank_weight
            look = weight if apart and not asked else None
            scores = self.reranking()(hits, question.text, apart, at_most, look)
            judged = self._judged(hits, scores)
            if not sure:
                ranked = reordered(ranked, scores, weight)
            hits = replace(hits, ranked=ranked, reranker_scores=scores, judged=judged)
            hits = self._read_sentences(hits, question)
            if hits.read is None or not question.marks:
                return hits
            depth = min(_MARKED_AGAIN, question.depth)
            return replace(hits, read=self.reranking().sentences(hits, hits.read, depth))

    @property
    def reader(self) -> Reranking | None:
        """The bundled cross-encoder; None for another, and where the settings forbid reading
        again."""
        found = self.reranking() if self.rerank and self.reranking else None
        return found if found and found.are_probabilities else None

    def read_again(self, question: str, texts: Sequence[str]) -> Sequence[float] | None:
        """The log-odds by ``reader`` that each text answers; None without it and for a word."""
        reader = None if is_one_word(question) else self.reader
        return reader.odds(question, texts) if reader else None

    def answered(self, question: str, sentences: Sequence[str]) -> Sequence[float] | None:
        """The log-odds by the reader of answers that each sentence, in its context, answers; None
        without it, for a word and for a question that is not English."""
        if is_one_word(question) or is_foreign_to_english(question):
            return None
        reader = self.answers()
        return reader.odds(question, sentences) if reader else None

    def _reads_unasked(self, question: SearchQuestion) -> bool:
        """Whether the best hits are read again without being asked; a word is not a question."""
        return self.rerank and question.mode is Mode.HYBRID and not is_one_word(question.text)

    def _judged(self, hits: Hits, scores: RerankerScores) -> Judged | None:
        """What the second reading says about an answer; None where it cannot."""
        places = {place.project.id: place for place in hits.places.values()}.values()
        if not hits.read or not scores.by_id or not scores.are_probabilities:
            return None
        if not all(place.project.hybrid_enabled for place in places):
            return None
        first = [hit.id for hit in hits.ranked[:JUDGED]]
        lacking = hits.read.lacking(max(first, key=lambda id: scores.by_id.get(id, 0.0)))
        found = [self._frequencies(replace(one, filter=Filter()), lacking) for one in places]
        passages = sum(one.passages for one in found)
        lacks = (rarity(sum(one.counts[word] for one in found), passages) for word in lacking)
        best = max(score for id, score in scores.by_id.items() if id not in scores.in_part)
        return Judged(log_odds(best), max(lacks, default=0.0))

    def _read_sentences(self, hits: Hits, question: SearchQuestion) -> Hits:
        """The hits with what the reader of answers makes of their sentences, where it is open
        whether anything answers."""
        if hits.judged is None or not is_open(hits.probability(question.mode)):
            return hits
        odds = self.answered(question.text, nearest_sentences(hits))
        return replace(hits, judged=hits.judged._replace(sentence=max(odds))) if odds else hits

    def document_frequencies(
        self, project: Project, words: Sequence[str], filter: Filter
    ) -> DocumentFrequencies | None:
        """Document frequencies: passages that contain each of ``words``, SPREAD_COUNTED at
        most; None for a project without sparse search. Raises what ``search`` raises."""
        project = self._present(project)
        if not project.hybrid_enabled or not self.index.exists(project.collection):
            return None
        resolved = self.documents.with_ids(filter, [project.id])[project.id]
        with open_collection(self.index, project) as collection:
            return self._frequencies(SearchedProject(project, collection, resolved), words)

    def _frequencies(self, place: SearchedProject, words: Sequence[str]) -> DocumentFrequencies:
        languages = self.documents.catalogue.languages(place.project.id)
        frequencies = {
            word: len(
                place.collection.search(
                    dense=None,
                    sparse=self.sparse.embed_query(word, languages),
                    filter=place.filter,
                    limit=SPREAD_COUNTED,
                )
            )
            for word in words
        }
        return DocumentFrequencies(place.collection.count(), frequencies)

    def _present(self, project: Project) -> Project:
        """The project; read again if a migration replaced its collection meanwhile."""
        if self.index.exists(project.collection):
            return project
        return self.documents.catalogue.project(project.id)

    def policy(self, project: Project) -> FusionPolicy:
        """The fusion policy of the project, else the configured one."""
        return project.retrieval.fusion or self.fusion

    def _candidates(
        self,
        place: SearchedProject,
        question: SearchQuestion,
        dense: Sequence[float] | None,
        limit: int,
        warnings: list[str],
    ) -> list[Scored]:
        project, collection, filter = place.project, place.collection, place.filter
        words = self._sparse_vector(project, question)

        def ask(limit: int, among: AbstractSet[str] | None) -> list[Scored]:
            return collection.search(
                dense=dense, sparse=words, filter=filter, limit=limit, among=among
            )

        wording = question.wording or ParsedQuestion(text=question.text)
        languages = self.documents.catalogue.languages(project.id) if wording.phrases else ()
        keys = [k for phrase in wording.phrases for k in self.sparse.keys(phrase, languages)]
        dimension = project.embedding_model.dimension
        if is_partial(collection, wording, keys):
            warnings.append(
                f"the phrase has only common words, so only {MOST_READ:,} passages of {project.id} "
                "were searched; quote a rarer word with it to search all"
            )
        return matching_candidates(collection, wording, keys, filter, ask, limit, dimension)

    def _sparse_warnings(
        self,
        projects: Sequence[Project],
        question: SearchQuestion,
        candidates: Mapping[str, Scored],
    ) -> list[str]:
        warnings = [
            f"the words of {project.id} were stored by an earlier version; ingest into "
            "it again to update them"
            for project in projects
            if question.mode is not Mode.DENSE and project.sparse_model != self.sparse.name
        ]
        if question.wording and question.wording.phrases and not candidates:
            warnings.append(no_exact_match(question.wording, filtered=bool(question.filter)))
        return warnings

    def _dense_vector(
        self, project: Project, question: SearchQuestion, warnings: list[str]
    ) -> Sequence[float] | None:
        if question.mode is Mode.SPARSE:
            return None
        embedder = self.embedder(project.embedding_model.name)
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
        return embedder.embed_query(question.text, question.is_claim)

    def _sparse_vector(self, project: Project, question: SearchQuestion) -> SparseVector | None:
        if question.mode is Mode.DENSE:
            return None
        return self.sparse.embed_query(
            question.text, self.documents.catalogue.languages(project.id)
        )


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
