"""The verb *query*: from a question to quotable passages."""

from collections.abc import Sequence

from citeloom.application.choosing import Choice, choose
from citeloom.application.passages import neighbour, result_item
from citeloom.application.ports.catalogue import Catalogue
from citeloom.application.searching import Hits, Question, Searcher
from citeloom.domain.retrieval import Neighbour, QueryRequest, QueryResult, QueryResultItem


class Query:
    """Searches, chooses, marks the best sentences, cites."""

    def __init__(self, *, catalogue: Catalogue, searcher: Searcher) -> None:
        self._catalogue = catalogue
        self._searcher = searcher

    def __call__(self, request: QueryRequest) -> QueryResult:
        """Raises what ``Searcher.search`` raises, and ProjectNotFound."""
        ids = dict.fromkeys((request.project_id, *request.also))
        projects = [self._catalogue.project(id) for id in ids]
        question = Question(
            text=request.query_text,
            mode=request.mode,
            filter=request.filter,
            depth=request.top_k,
            rerank=request.rerank,
        )
        with self._searcher.search(projects, question) as hits:
            choices = choose(hits, hits.ranked, request)
            items = _items(hits, choices, request.context)
        return QueryResult(
            project=", ".join(project.id.value for project in projects),
            query=request.query_text,
            mode=request.mode,
            model=projects[0].embedding_model.name,
            count=len(items),
            items=items,
            warnings=hits.warnings,
        )


def _items(hits: Hits, choices: Sequence[Choice], context: int) -> tuple[QueryResultItem, ...]:
    sentences = hits.sentence_scores([choice.hit.id for choice in choices])
    items = []
    for rank, choice in enumerate(choices, start=1):
        project = hits.project(choice.hit.id)
        item = result_item(
            project, choice.passage, rank, choice.hit.relevance, sentences.get(choice.hit.id, ())
        )
        more = {
            "project": project.id.value,
            "copies": _copies(choice),
            "context": _context(hits, choice, context),
        }
        items.append(item.model_copy(update=more))
    return tuple(items)


def _copies(choice: Choice) -> tuple[str, ...]:
    """The other documents that say the same, by citation key or else id, each once."""
    names = (
        p.citation.citekey if p.citation else p.chunk.doc_id[:16]
        for p in choice.copies
        if p.chunk.doc_id != choice.passage.chunk.doc_id
    )
    return tuple(dict.fromkeys(names))


def _context(hits: Hits, choice: Choice, reach: int) -> tuple[Neighbour, ...]:
    if not reach:
        return ()
    here = choice.passage.chunk.chunk_idx
    passages = hits.document(choice.hit.id, choice.passage.chunk.doc_id)
    offsets = ((p.chunk.chunk_idx - here, p) for p in passages)
    return tuple(
        neighbour(passage, offset) for offset, passage in offsets if offset and abs(offset) <= reach
    )
