"""Values of a search: question, searched projects, ranked candidates."""

from collections.abc import Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from citeloom.application.ports.index import Collection, Passage
from citeloom.domain.documents.chunk import ChunkPosition
from citeloom.domain.documents.spans import CharSpan
from citeloom.domain.projects.project import Project
from citeloom.domain.search.exact_terms import ParsedQuestion
from citeloom.domain.search.filters import Filter
from citeloom.domain.search.fusion import Mode, Ranked, Scored
from citeloom.domain.search.reranking import RerankerScores

Matches = Callable[[Passage], Sequence[CharSpan]]


@dataclass(frozen=True, slots=True)
class SearchQuestion:
    """A question to a project. ``depth`` is the maximum number of hits; ``rerank`` applies the
    cross-encoder (None: as configured). ``wording`` has the exact phrases and exclusions (None:
    none); ``text`` is without operators. ``favour_marked`` boosts annotated passages."""

    text: str
    mode: Mode
    filter: Filter
    depth: int
    rerank: bool | None = None
    wording: ParsedQuestion | None = None
    favour_marked: bool = False


@dataclass(frozen=True, slots=True)
class SearchedProject:
    """A project that was searched, while its index is open, and for what."""

    project: Project
    collection: Collection
    filter: Filter

    def passing(self, ids: AbstractSet[str], filter: Filter) -> set[str]:
        """Those of ``ids`` that the filter lets through."""
        if not ids or not filter:
            return set(ids)
        dense = [1.0] * self.project.embedding_model.dimension
        found = self.collection.search(
            dense=dense, sparse=None, filter=filter, limit=len(ids), among=ids
        )
        return {candidate.id for candidate in found}


class Hits:
    """The hits of a search, best first; open as long as its ``with``. A passage that several
    projects hold is listed once, for one of them. ``candidates`` are the first-stage scores."""

    def __init__(
        self,
        ranked: Sequence[Ranked],
        places: Mapping[str, SearchedProject],
        *,
        candidates: Sequence[Scored] = (),
        dense: Sequence[float] | None = None,
        matches: Matches | None = None,
        wording: ParsedQuestion | None = None,
        warnings: Sequence[str] = (),
    ) -> None:
        self.ranked = ranked
        self.candidates = candidates
        self.reranker_scores: RerankerScores | None = None
        self.warnings = tuple(warnings)
        self._places = dict(places)
        self._dense = dense
        self._matches = matches
        self._wording = wording

    def project(self, id: str) -> Project:
        return self._places[id].project

    def passages(self, ids: Sequence[str]) -> list[Passage]:
        """In the order of ``ids``; one that was removed meanwhile is left out."""
        found = {p.chunk.id: p for place, own in self._by_place(ids) for p in place.fetch(own)}
        return [found[id] for id in ids if id in found]

    def marked(self, id: str, passage: Passage) -> Passage | None:
        """The passage that the annotation ``passage``, found as ``id``, marks, if the
        question allows it."""
        if passage.annotation is None or passage.annotation.chunk_id is None:
            return None
        place, wanted = self._places[id], passage.annotation.chunk_id
        if wanted not in self._places and not place.passing({wanted}, place.filter):
            return None
        found = next(iter(place.collection.fetch([wanted])), None)
        if found is None or (self._wording and self._wording.excludes(found.searched)):
            return None
        self._places.setdefault(wanted, place)
        return found

    def sentence_scores(self, ids: Sequence[str]) -> Mapping[str, Sequence[float]]:
        """How close each sentence of a passage is to the question; nothing for questions
        by words alone and for passages without sentences."""
        if self._dense is None:
            return {}
        found: dict[str, Sequence[float]] = {}
        for place, own in self._by_place(ids):
            found.update(place.sentence_scores(self._dense, own))
        return found

    def positions(self, ids: Sequence[str]) -> Mapping[str, ChunkPosition]:
        """Where the passages stand in their documents."""
        found: dict[str, ChunkPosition] = {}
        for place, own in self._by_place(ids):
            found.update(place.positions(own))
        return found

    def vectors(self, ids: Sequence[str]) -> Mapping[str, Sequence[float]]:
        found: dict[str, Sequence[float]] = {}
        for place, own in self._by_place(ids):
            found.update(place.vectors(own))
        return found

    def matches(self, passage: Passage) -> Sequence[CharSpan]:
        """Where words of the question stand in the text of a passage."""
        return self._matches(passage) if self._matches else ()

    def document(self, id: str, document_id: str) -> list[Passage]:
        """All passages of a document, in the project of the hit ``id``."""
        return list(self._places[id].collection.passages(document_id))

    def _by_place(self, ids: Sequence[str]) -> list[tuple[Collection, list[str]]]:
        places: dict[str, tuple[Collection, list[str]]] = {}
        for id in ids:
            place = self._places[id]
            places.setdefault(place.project.collection, (place.collection, []))[1].append(id)
        return list(places.values())
