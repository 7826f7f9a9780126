"""Values of a search, and the order of hits for a reader."""

import re
from collections.abc import Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field

from citeloom.application.ports.index import Collection, Passage
from citeloom.application.ports.models import SparseEmbedder, SparseText
from citeloom.domain.documents.spans import CharSpan, ChunkPosition
from citeloom.domain.projects.project import Project
from citeloom.domain.search.answerable import Judged, chance
from citeloom.domain.search.answers import READ, Readable, ReadPassages, read_passages
from citeloom.domain.search.filters import Field, Filter
from citeloom.domain.search.fusion import Mode, ParsedQuestion, Ranked, Scored, demoted
from citeloom.domain.search.ranking import RerankerScores, is_running_text, named_kinds

TermMatches = Callable[[Passage], Sequence[CharSpan]]


@dataclass(frozen=True, slots=True)
class SearchQuestion:
    """A question to a project. ``depth`` is the maximum number of hits; ``rerank`` applies the
    cross-encoder (None: as configured). ``wording`` has the exact phrases and exclusions (None:
    none); ``text`` is without operators. ``favour_marked`` boosts annotated passages.
    ``for_reader`` orders the passages of a document by their own scores and puts what is no
    running text lower; else documents are ranked. ``marks``: their best sentences are shown.
    ``is_claim``: the text states something, whatever stands at its end."""

    text: str
    mode: Mode
    filter: Filter
    depth: int
    rerank: bool | None = None
    wording: ParsedQuestion | None = None
    favour_marked: bool = False
    for_reader: bool = False
    marks: bool = False
    is_claim: bool = False


@dataclass(frozen=True, slots=True)
class SearchedProject:
    """A searched project with its open collection and its resolved filter."""

    project: Project
    collection: Collection
    filter: Filter

    def passing(self, ids: AbstractSet[str], filter: Filter) -> set[str]:
        """The subset of ``ids`` that passes the filter."""
        if not ids or not filter:
            return set(ids)
        dense = [1.0] * self.project.embedding_model.dimension
        candidates = self.collection.search(
            dense=dense, sparse=None, filter=filter, limit=len(ids), among=ids
        )
        return {candidate.id for candidate in candidates}


@dataclass(frozen=True)
class Hits:
    """The hits of a search, best first; usable within the ``with`` of the search. A passage of
    several projects is listed once, for one of them.

    ``places`` are the searched projects by chunk id. ``candidates`` are the first-stage scores,
    ``reranker_scores`` those of a cross-encoder, if it was applied. ``judged`` is what they say
    about an answer, where they say it. ``dense`` is the vector of the question, None for a sparse
    search. ``read`` are the best passages, where they were read for a reader.
    """

    ranked: Sequence[Ranked]
    places: Mapping[str, SearchedProject]
    candidates: Sequence[Scored] = ()
    reranker_scores: RerankerScores | None = None
    judged: Judged | None = None
    dense: Sequence[float] | None = None
    term_matches: TermMatches | None = None
    wording: ParsedQuestion | None = None
    warnings: tuple[str, ...] = ()
    read: ReadPassages | None = None
    _known: dict[str, Passage] = field(default_factory=dict)
    _marked_places: dict[str, SearchedProject] = field(default_factory=dict, init=False)

    def project(self, id: str) -> Project:
        return self._place(id).project

    def passages(self, ids: Sequence[str]) -> list[Passage]:
        """In the order of ``ids``; passages removed meanwhile are left out."""
        for collection, its_ids in self._by_collection([id for id in ids if id not in self._known]):
            self._known.update((one.chunk.id, one) for one in collection.fetch(its_ids))
        return [self._known[id] for id in ids if id in self._known]

    def marked(self, id: str, passage: Passage) -> Passage | None:
        """The passage that an annotation (``passage``, the hit ``id``) marks, if the question
        allows it; None otherwise."""
        if passage.annotation is None or passage.annotation.chunk_id is None:
            return None
        place, marked_id = self._place(id), passage.annotation.chunk_id
        if marked_id not in self.places and not place.passing({marked_id}, place.filter):
            return None
        marked = next(iter(place.collection.fetch([marked_id])), None)
        if marked is None or (self.wording and self.wording.excludes(marked.searched)):
            return None
        self._marked_places.setdefault(marked_id, place)
        return marked

    def sentence_scores(self, ids: Sequence[str]) -> Mapping[str, Sequence[float]]:
        """Similarity of each sentence of a passage to the question; empty for a sparse search,
        and passages without sentences are left out."""
        if self.dense is None:
            return {}
        scores: dict[str, Sequence[float]] = {}
        for collection, its_ids in self._by_collection(ids):
            scores.update(collection.sentence_scores(self.dense, its_ids))
        return scores

    def answers(self, passage: Passage) -> list[list[str]]:
        """The words of the sentences of a passage that answer best, before and after they were read
        again, without a heading that one was joined with; none for a passage that was not read."""
        text = passage.chunk.text
        read = self.read.of(passage.chunk.id) if self.read else None
        found = [read.best, *read.close[:1]] if read else []
        return [text[s.span.start : s.span.end].split("\n\n")[-1].split() for s in found if s]

    def gives_wanted(self, passage: Passage) -> bool:
        """Whether the best sentence of a passage that was read has the kind of thing asked for."""
        read = self.read.of(passage.chunk.id) if self.read else None
        return bool(self.read and read and read.best and read.best.has(self.read.asked.want))

    def best_sentence(self, passage: Passage) -> str | None:
        """The sentence of a passage that answers best; of one that was not read the one most
        similar to the question; None without sentences."""
        chunk, sentences = passage.chunk, passage.sentences
        span = self.read.best_of(chunk.id) if self.read else None
        if span is None:
            scores = self.sentence_scores([chunk.id]).get(chunk.id, ())
            if not scores or len(scores) != len(sentences):
                return None
            span = sentences[max(range(len(scores)), key=lambda n: (scores[n], -n))]
        return chunk.text[span.start : span.end]

    def probability(self, mode: Mode) -> float | None:
        """The probability that the best passages answer an English question, to two places; None
        where they were not read."""
        if self.read is None:
            return None
        return round(chance(self.candidates, self.read, mode, self.judged), 2)

    def positions(self, ids: Sequence[str]) -> Mapping[str, ChunkPosition]:
        """Positions of the passages in their documents."""
        positions: dict[str, ChunkPosition] = {}
        for collection, its_ids in self._by_collection(ids):
            positions.update(collection.positions(its_ids))
        return positions

    def vectors(self, ids: Sequence[str]) -> Mapping[str, Sequence[float]]:
        vectors: dict[str, Sequence[float]] = {}
        for collection, its_ids in self._by_collection(ids):
            vectors.update(collection.vectors(its_ids))
        return vectors

    def matches(self, passage: Passage) -> Sequence[CharSpan]:
        """Spans of words of the question in the text of a passage."""
        return self.term_matches(passage) if self.term_matches else ()

    def document(self, id: str, document_id: str) -> list[Passage]:
        """All passages of a document, in the project of the hit ``id``."""
        return list(self._place(id).collection.passages(document_id))

    def _place(self, id: str) -> SearchedProject:
        return self.places[id] if id in self.places else self._marked_places[id]

    def _by_collection(self, ids: Sequence[str]) -> list[tuple[Collection, list[str]]]:
        groups: dict[str, tuple[Collection, list[str]]] = {}
        for id in ids:
            place = self._place(id)
            groups.setdefault(place.project.collection, (place.collection, []))[1].append(id)
        return list(groups.values())


def title_of(passage: Passage) -> str:
    """The title of a passage's work, as cited if it is; may be empty."""
    return (passage.citation.title if passage.citation else passage.title) or ""


def in_context(passage: Passage, sentence: str) -> str:
    """A sentence after its work's title and its heading, as the reader of answers learnt it."""
    title = re.split(r"[:.–—]", title_of(passage))[0]
    return ". ".join((title, *passage.chunk.section_path[-1:], sentence))


# Of so many of the best passages the sentences nearest to the question are read, so many of each.
_NEAREST_PASSAGES, _NEAREST_SENTENCES = 6, 3


def nearest_sentences(hits: Hits) -> list[str]:
    """The sentences nearest to the question of the best passages, in their context."""
    ids = [hit.id for hit in hits.ranked[:_NEAREST_PASSAGES]]
    scores, found = hits.sentence_scores(ids), list[str]()
    for passage in hits.passages(ids):
        text, near = passage.searched, scores.get(passage.chunk.id, ())
        closest = sorted(zip(near, passage.sentences, strict=False), key=lambda one: -one[0])
        found += [
            in_context(passage, text[span.start : span.end])
            for _, span in closest[:_NEAREST_SENTENCES]
        ]
    return found


def read_best(hits: Hits, ranked: Sequence[Ranked], question: SearchQuestion) -> ReadPassages:
    """The best passages of ``ranked``, read for the question."""
    passages = hits.passages([hit.id for hit in ranked[:READ]])
    cosines = hits.sentence_scores([one.chunk.id for one in passages])
    return read_passages(
        question.text,
        [
            Readable(one.chunk, title_of(one), one.sentences, cosines.get(one.chunk.id, ()))
            for one in passages
        ],
    )


# A passage with every word of a question is what was asked for, if the words are that many: the
# title of a work in a reference list, say.
_WORDS_OF_A_TITLE = 4


def running_text_first(
    hits: Hits, ranked: Sequence[Ranked], question: SearchQuestion, sparse: SparseEmbedder
) -> list[Ranked]:
    """``ranked`` with what is not running text demoted, unless the question or its filter names
    the kind, or the passage has every word of the question."""
    if question.filter.names(Field.KIND):
        return list(ranked)
    named = named_kinds(question.text)
    lower: set[str] = set()
    kept = 0
    # What follows so much running text is not shown, and is not read.
    for start in range(0, len(ranked), 2 * question.depth):
        page = [hit.id for hit in ranked[start : start + 2 * question.depth]]
        for passage in hits.passages(page):
            if (
                is_running_text(passage.chunk, passage.language)
                or passage.chunk.kind in named
                or _has_every_word(passage, question.text, sparse)
            ):
                kept += 1
            else:
                lower.add(passage.chunk.id)
        if kept >= question.depth:
            break
    return demoted(ranked, lower)


def _has_every_word(passage: Passage, question: str, sparse: SparseEmbedder) -> bool:
    language = passage.language
    keys = sparse.keys(question, [language] if language else [])
    if len(keys) < _WORDS_OF_A_TITLE:
        return False
    (vector,) = sparse.embed([SparseText(body=passage.chunk.text)], language, 1.0)
    terms = set(vector.indices)
    return all(not terms.isdisjoint(key.indices) for key in keys)
