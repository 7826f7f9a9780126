"""The verb *query*: ranked, quotable passages for a question."""

from collections.abc import Mapping, Sequence

from citeloom.application.ports.catalogue import Catalogue
from citeloom.application.search.empty_filters import EmptyFilters
from citeloom.application.search.hits import Hits, SearchQuestion
from citeloom.application.search.result_items import neighbour, result_item
from citeloom.application.search.searcher import Searcher
from citeloom.application.search.selection import SelectedPassage, choose
from citeloom.domain.documents.fidelity import DocumentFidelity
from citeloom.domain.errors import IndexUnavailable, InvalidRequest
from citeloom.domain.projects.project import Project
from citeloom.domain.projects.project_id import ProjectId
from citeloom.domain.search.exact_terms import parse_question
from citeloom.domain.search.fit import fits, nothing_fits
from citeloom.domain.search.fusion import default_mode
from citeloom.domain.search.request import Neighbour, QueryRequest, QueryResult, QueryResultItem
from citeloom.domain.stages import stage

_Fidelity = Mapping[tuple[ProjectId, str], DocumentFidelity | None]


class Query:
    """Searches, selects passages, adds best sentences, neighbours and citations."""

    def __init__(self, *, catalogue: Catalogue, searcher: Searcher) -> None:
        self._catalogue = catalogue
        self._searcher = searcher
        self._emptied = EmptyFilters(catalogue=catalogue, searcher=searcher)

    def __call__(self, request: QueryRequest) -> QueryResult:
        """Raises what ``Searcher.search`` raises, ProjectNotFound, and InvalidRequest for a
        question of excluded terms only. An index on a server whose project is at another place
        before the answer is complete may be deleted meanwhile: the other is asked."""
        ids = dict.fromkeys((request.project_id, *request.also))
        while True:
            projects = [self._catalogue.project(id) for id in ids]
            try:
                return self._answer(request, projects)
            except IndexUnavailable:
                if not self._replaced(projects):
                    raise

    def _replaced(self, projects: Sequence[Project]) -> bool:
        """Whether one of them was moved or migrated since."""
        now = [self._catalogue.project(project.id) for project in projects]
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
        )
        with self._searcher.search(projects, question) as hits, stage("select"):
            choices = choose(hits, hits.ranked, request)
            items = _items(hits, choices, request.context, self._fidelity(hits, choices))
        warnings = list(hits.warnings)
        if items and not fits(items[0], wording, mode):
            warnings.append(nothing_fits(items[0]))
        if not items:
            warnings += self._emptied(projects, question)
        return QueryResult(
            project=", ".join(project.id.value for project in projects),
            query=request.query_text,
            mode=mode,
            model=projects[0].embedding_model.name,
            count=len(items),
            items=items,
            warnings=tuple(warnings),
        )

    def _fidelity(self, hits: Hits, choices: Sequence[SelectedPassage]) -> _Fidelity:
        documents = {
            (hits.project(choice.hit.id).id, choice.passage.chunk.doc_id) for choice in choices
        }
        found = {key: self._catalogue.document(*key) for key in documents}
        return {key: document.fidelity for key, document in found.items() if document}


def _items(
    hits: Hits, choices: Sequence[SelectedPassage], context: int, known: _Fidelity
) -> tuple[QueryResultItem, ...]:
    sentences = hits.sentence_scores([choice.hit.id for choice in choices])
    items = []
    for rank, choice in enumerate(choices, start=1):
        project = hits.project(choice.hit.id)
        fidelity = known.get((project.id, choice.passage.chunk.doc_id))
        scores = sentences.get(choice.hit.id, ())
        item = result_item(project, choice.passage, rank, choice.hit.relevance, scores, fidelity)
        more = {
            "project": project.id.value,
            "copies": _copies(choice),
            "context": _context(hits, choice, context, fidelity),
            "matched": _matched(hits, choice),
        }
        items.append(item.model_copy(update=more))
    return tuple(items)


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
