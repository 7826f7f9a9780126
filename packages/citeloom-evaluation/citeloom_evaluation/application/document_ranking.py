"""Rankings of whole documents by the product's search."""

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Protocol

from citeloom.application.ports.catalogue import Catalogue
from citeloom.application.search.hits import Hits, SearchQuestion
from citeloom.application.search.query import Query
from citeloom.application.search.searcher import Searcher
from citeloom.domain.projects.project import ProjectId
from citeloom.domain.search.filters import Filter
from citeloom.domain.search.fusion import Mode
from citeloom.domain.search.request import MAX_QUERY_CHARACTERS, QueryRequest
from citeloom_evaluation.domain.tuning import Pool, best_records

#: Records of the dataset by document id.
Records = Mapping[str, Sequence[str]]


class Ranker(Protocol):
    """One mode of search. ``records`` are the records of each document."""

    def rank(self, text: str, depth: int, records: Records) -> list[str]:
        """Records ranked by their best passage, at most ``depth``."""

    def ask(self, text: str) -> None:
        """Run the query as a user's, for timing."""

    def pool(self, text: str, depth: int, records: Records) -> Pool:
        """The candidates of ``rank``, with their reranker scores if it reranks."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchRanker:
    """Ranks by ``Searcher`` and times the verb *query*, in one mode."""

    catalogue: Catalogue
    searcher: Searcher
    query: Query
    project_id: ProjectId
    mode: Mode
    rerank: bool = False

    def rank(self, text: str, depth: int, records: Records) -> list[str]:
        with self._search(text, depth) as hits:
            records_of_passage = _records(hits, records)
            return best_records(
                (records_of_passage[hit.id] for hit in hits.ranked if hit.id in records_of_passage),
                depth,
            )

    def ask(self, text: str) -> None:
        self.query(
            QueryRequest(
                project_id=self.project_id,
                query_text=_cut(text),
                mode=self.mode,
                rerank=self.rerank,
            )
        )

    def pool(self, text: str, depth: int, records: Records) -> Pool:
        with self._search(text, depth) as hits:
            return Pool(hits.candidates, _records(hits, records), hits.reranker_scores, text)

    def _search(self, text: str, depth: int) -> AbstractContextManager[Hits]:
        question = SearchQuestion(
            text=_cut(text), mode=self.mode, filter=Filter(), depth=depth, rerank=self.rerank
        )
        return self.searcher.search([self.catalogue.project(self.project_id)], question)


def _records(hits: Hits, records: Records) -> dict[str, Sequence[str]]:
    """The records by passage id."""
    passages = hits.passages([hit.id for hit in hits.ranked])
    return {one.chunk.id: records.get(one.chunk.doc_id, ()) for one in passages}


def _cut(text: str) -> str:
    """The text cut to the limit of a query; the model's window is much shorter."""
    return text.strip()[:MAX_QUERY_CHARACTERS]
