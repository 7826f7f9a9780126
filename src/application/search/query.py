"""The verb *query*: ranked, quotable passages for a question."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from citeloom.application.ports.catalogue import Catalogue, StoredDocument
from citeloom.domain.documents.fidelity import DocumentFidelity
from citeloom.domain.errors import IndexUnavailable, InvalidRequest
from citeloom.domain.messages import CLOSE, UserMessage, nearest
from citeloom.domain.progress import stage
from citeloom.domain.projects.project import Project, ProjectId
from citeloom.domain.search.answerable import is_certain, is_doubtful, not_here
from citeloom.domain.search.filters import Clause, Field, Filter
from citeloom.domain.search.fusion import Mode, default_mode, parse_question
from citeloom.domain.search.ranking import FITTING, reads_english
from citeloom.domain.search.request import (
    Neighbour,
    QueryRequest,
    QueryResult,
    QueryResultItem,
    RunningIngest,
)
from citeloom.domain.text.normalized_text import fold
from citeloom.domain.text.phrasing import shortened
from citeloom.domain.text.words import is_foreign_to_english

from .hits import Hits, SearchQuestion
from .searcher import Searcher
from .selection import ReadableHits, SelectedPassage, choose, neighbour, result_item

_EXAMPLES: Final = 3
_WRITTEN: Final = 200  # characters of a clause


def _authors(document: StoredDocument) -> Iterable[str]:
    return document.citation.authors if document.citation else document.authors


def _year(document: StoredDocument) -> Iterable[str]:
    year = document.citation.year if document.citation else document.year
    return [str(year)] if year else []


def _cited(name: str) -> Callable[[StoredDocument], Iterable[str]]:
    """Values of a field of the citation."""

    def values(document: StoredDocument) -> Iterable[str]:
        value = getattr(document.citation, name) if document.citation else None
        return [value] if isinstance(value, str) else value or []

    return values


# Values that documents have for a field; those of passages are not listed anywhere.
_VALUES: Final[Mapping[Field, Callable[[StoredDocument], Iterable[str]]]] = {
    Field.AUTHOR: _authors,
    Field.YEAR: _year,
    Field.CITEKEY: _cited("citekey"),
    Field.TAG: _cited("tags"),
    Field.COLLECTION: _cited("collections"),
    Field.TYPE: _cited("type"),
    Field.ITEM: _cited("item_key"),
    Field.LANG: lambda document: [document.language] if document.language else [],
}


@dataclass(frozen=True, slots=True)
class EmptyFilters:
    """Explains a search that found nothing."""

    catalogue: Catalogue
    searcher: Searcher

    def __call__(self, projects: Sequence[Project], question: SearchQuestion) -> list[str]:
        """Each clause of the filter that no passage passes, with the nearest values; else the
        clauses, one or all, without which passages fit the question."""
        clauses = question.filter.clauses
        unmatched = [clause for clause in clauses if not self._passes(projects, question, clause)]
        if unmatched:
            return [self._nothing_has(clause, projects, question) for clause in unmatched]
        alternatives = [(clause,) for clause in clauses] + [clauses] * (len(clauses) > 1)
        for left_out in alternatives:
            if count := self._fitting_without(projects, question, left_out):
                written = ", ".join(map(_written, left_out))
                passages = "passage fits" if count == 1 else "passages fit"
                return [f"the filter {written} leaves nothing: {count} {passages} without it"]
        return []

    def _passes(
        self, projects: Sequence[Project], question: SearchQuestion, clause: Clause
    ) -> bool:
        """Whether any passage passes the clause, whatever is asked."""
        anything = replace(
            question,
            mode=Mode.DENSE,
            filter=Filter(clauses=(clause,)),
            depth=1,
            rerank=False,
            wording=None,
        )
        with self.searcher.search(projects, anything) as hits:
            return bool(hits.ranked)

    def _fitting_without(
        self, projects: Sequence[Project], question: SearchQuestion, left_out: Sequence[Clause]
    ) -> int:
        rest = tuple(one for one in question.filter.clauses if one not in left_out)
        anywhere = replace(question, filter=Filter(clauses=rest), rerank=False)
        with self.searcher.search(projects, anywhere) as hits:
            return sum(
                question.mode is Mode.SPARSE or hit.relevance >= FITTING for hit in hits.ranked
            )

    def _nothing_has(
        self, clause: Clause, projects: Sequence[Project], question: SearchQuestion
    ) -> str:
        said = f"the filter {_written(clause)} matches nothing"
        if bare := self._without_text(clause, projects):
            return f"{said}: {', '.join(bare)} {'has' if len(bare) == 1 else 'have'} no text yet"
        if clause.field in (Field.SECTION, Field.SECTION_PREFIX):
            known = self._headings(projects, question)
        elif values := _VALUES.get(clause.field):
            known = sorted(
                {
                    value
                    for project in projects
                    for document in self.catalogue.documents(project.id)
                    for value in values(document)
                }
            )
        else:
            return said
        if not known:
            return f"{said}: no document has a value for it"
        if near := _nearest(clause, known):
            return f"{said}; the nearest here: {', '.join(near)}"
        return f"{said}; here are, for example, {', '.join(known[:_EXAMPLES])}"

    def _without_text(self, clause: Clause, projects: Sequence[Project]) -> list[str]:
        """The citation keys of works without text that a clause on documents or keys names."""
        if clause.negated or clause.field not in (Field.DOC, Field.CITEKEY):
            return []
        filters = self.searcher.documents.with_ids(
            Filter(clauses=(clause,)), [project.id for project in projects]
        )
        return [
            one.citation.citekey
            for id, filter in filters.items()
            for one in self.catalogue.documents(id)
            if not one.has_file and one.citation
            if {one.document_id, one.citation.citekey} & {*filter.clauses[0].values}
        ]

    def _headings(self, projects: Sequence[Project], question: SearchQuestion) -> list[str]:
        """Headings of the passages that come nearest to the question."""
        with self.searcher.search(projects, replace(question, filter=Filter())) as hits:
            passages = hits.passages([hit.id for hit in hits.ranked])
        return list(dict.fromkeys(one for p in passages for one in p.chunk.section_path))


def _written(clause: Clause) -> str:
    return shortened(str(clause), _WRITTEN)


def _nearest(clause: Clause, known: Sequence[str]) -> list[str]:
    if clause.field is Field.YEAR:
        wanted = [end for range in clause.ranges for end in (range.low, range.high) if end]
        distance = {year: min(abs(int(year) - end) for end in wanted) for year in known}
        return sorted(known, key=distance.__getitem__)[:_EXAMPLES]
    by_term: dict[str, list[str]] = {}
    for value in known:
        for term in {fold(value), *fold(value).replace(",", " ").split()}:
            by_term.setdefault(term, []).append(value)
    near = [
        term
        for value in clause.values
        for term in nearest(fold(value), {one: (one,) for one in by_term}, at_least=CLOSE)
    ]
    return list(dict.fromkeys(value for term in near for value in by_term[term]))[:_EXAMPLES]


_Fidelity = Mapping[tuple[ProjectId, str], DocumentFidelity | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """Searches, selects passages, adds best sentences, neighbours and citations. ``english`` are
    embedding models that read English alone, each with one of many languages. ``ingests`` gives
    what runs for projects."""

    catalogue: Catalogue
    searcher: Searcher
    readable: ReadableHits
    english: Mapping[str, str]
    ingests: Callable[[Sequence[ProjectId]], RunningIngest | None]

    def __call__(self, request: QueryRequest) -> QueryResult:
        """Raises what ``Searcher.search`` raises, ProjectNotFound, and InvalidRequest for a
        question of excluded terms only. An index on a server whose project is at another place
        before the answer is complete may be deleted meanwhile: the other is asked."""
        ids = dict.fromkeys((request.project_id, *request.also))
        while True:
            projects = [self.catalogue.project(id) for id in ids]
            try:
                return self._answer(request, projects)
            except IndexUnavailable:
                if not self._replaced(projects):
                    raise

    def _replaced(self, projects: Sequence[Project]) -> bool:
        """Whether one of them was moved or migrated since."""
        now = [self.catalogue.project(project.id) for project in projects]
        return any(
            one.collection != other.collection or one.retrieval.place != other.retrieval.place
            for one, other in zip(now, projects, strict=True)
        )

    def _answer(self, request: QueryRequest, projects: Sequence[Project]) -> QueryResult:
        wording = parse_question(request.query_text)
        if not wording.text:
            raise InvalidRequest(
                "it only says what to leave out; say what to look for as well", parameter="query"
            )
        mode = request.mode or default_mode(projects)
        question = SearchQuestion(
            text=wording.text,
            mode=mode,
            filter=request.filter,
            depth=request.top_k,
            wording=wording,
            rerank=request.rerank,
            favour_marked=request.favour_marked,
            for_reader=True,
            marks=True,
        )
        with self.searcher.search(projects, question) as hits, stage("select"):
            choices = choose(hits, hits.ranked, request)
            known = self._fidelity(hits, choices)
            items = tuple(self._items(hits, choices, request.context, known))
        ingest = self.ingests([project.id for project in projects])
        warnings = [*([str(ingest)] if ingest else []), *hits.warnings]
        probability = None
        if is_foreign_to_english(wording.text):
            warnings += self._unread(projects[0], mode)
        # Found by a phrase, or by the question's only word, is what was asked for.
        elif items and not is_certain(wording, bool(items[0].matched)):
            probability = hits.probability(mode)
        if hits.read and probability is not None and is_doubtful(probability):
            warnings.append(not_here(probability, hits.read))
        if not items:
            warnings += EmptyFilters(self.catalogue, self.searcher)(projects, question)
        return QueryResult(
            project=", ".join(project.id.value for project in projects),
            query=request.query_text,
            mode=mode,
            model=projects[0].embedding_model.name,
            count=len(items),
            items=items,
            probability=probability,
            ingest=ingest,
            warnings=tuple(warnings),
        )

    def _items(
        self, hits: Hits, choices: Sequence[SelectedPassage], context: int, known: _Fidelity
    ) -> Iterator[QueryResultItem]:
        for rank, choice in enumerate(choices, start=1):
            project = hits.project(choice.hit.id)
            fidelity = known.get((project.id, choice.passage.chunk.doc_id))
            best = hits.best_sentence(choice.passage)
            item = result_item(project, choice.passage, rank, choice.hit.relevance, best, fidelity)
            more = {
                "project": project.id.value,
                "copies": _copies(choice),
                "context": _context(hits, choice, context, fidelity),
                "matched": _matched(hits, choice),
            }
            item = item.model_copy(update=more)
            picture = self.readable.picture(item, project.id)
            yield item.model_copy(update={"picture": picture}) if picture else item

    def _unread(self, project: Project, mode: Mode) -> list[UserMessage]:
        """What to do about a foreign question that the project's embedding model does not read."""
        model = project.embedding_model.name
        other = self.english.get(model)
        return [] if other is None or mode is Mode.SPARSE else [reads_english(model, other)]

    def _fidelity(self, hits: Hits, choices: Sequence[SelectedPassage]) -> _Fidelity:
        documents = {
            (hits.project(choice.hit.id).id, choice.passage.chunk.doc_id) for choice in choices
        }
        found = {key: self.catalogue.document(*key) for key in documents}
        return {key: document.fidelity for key, document in found.items() if document}


def _copies(choice: SelectedPassage) -> tuple[str, ...]:
    """The documents of near-duplicates, by citation key or else id, each once."""
    names = (
        p.citation.citekey if p.citation else p.chunk.doc_id[:16]
        for p in choice.copies
        if p.chunk.doc_id != choice.passage.chunk.doc_id
    )
    return tuple(dict.fromkeys(names))


def _matched(hits: Hits, choice: SelectedPassage) -> tuple[str, ...]:
    """The words of the passage that match the question, each once in its first form."""
    text = choice.passage.chunk.text
    words = (text[span.start : span.end] for span in hits.matches(choice.passage))
    return tuple({word.casefold(): word for word in reversed(list(words))}.values())[::-1]


def _context(
    hits: Hits, choice: SelectedPassage, reach: int, fidelity: DocumentFidelity | None
) -> tuple[Neighbour, ...]:
    if not reach:
        return ()
    passages = hits.document(choice.hit.id, choice.passage.chunk.doc_id)
    annotation = choice.passage.annotation
    chunk_id = annotation.chunk_id if annotation else choice.passage.chunk.id
    chunk_index = next((p.chunk.chunk_idx for p in passages if p.chunk.id == chunk_id), None)
    if chunk_index is None:  # a mark of which only the page is known
        return ()
    offsets = ((p.chunk.chunk_idx - chunk_index, p) for p in passages if p.annotation is None)
    return tuple(
        neighbour(passage, offset, fidelity)
        for offset, passage in offsets
        if abs(offset) <= reach and (offset or annotation)
    )
