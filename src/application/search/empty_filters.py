"""Filters that leave nothing: the clause that does it, and the nearest values there are."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Final

from citeloom.application.ports.catalogue import Catalogue, StoredDocument
from citeloom.application.search.hits import SearchQuestion
from citeloom.application.search.searcher import Searcher
from citeloom.domain.near_names import CLOSE, nearest
from citeloom.domain.projects.project import Project
from citeloom.domain.search.filters import Clause, Field, Filter
from citeloom.domain.search.fit import FITTING
from citeloom.domain.search.fusion import Mode
from citeloom.domain.text.folding import fold
from citeloom.domain.text.phrasing import shortened

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


class EmptyFilters:
    """Explains a search that found nothing."""

    def __init__(self, *, catalogue: Catalogue, searcher: Searcher) -> None:
        self._catalogue = catalogue
        self._searcher = searcher

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
        with self._searcher.search(projects, anything) as hits:
            return bool(hits.ranked)

    def _fitting_without(
        self, projects: Sequence[Project], question: SearchQuestion, left_out: Sequence[Clause]
    ) -> int:
        rest = tuple(one for one in question.filter.clauses if one not in left_out)
        with self._searcher.search(
            projects, replace(question, filter=Filter(clauses=rest))
        ) as hits:
            return sum(
                question.mode is Mode.SPARSE or hit.relevance >= FITTING for hit in hits.ranked
            )

    def _nothing_has(
        self, clause: Clause, projects: Sequence[Project], question: SearchQuestion
    ) -> str:
        said = f"the filter {_written(clause)} matches nothing"
        if clause.field in (Field.SECTION, Field.SECTION_PREFIX):
            known = self._headings(projects, question)
        elif values := _VALUES.get(clause.field):
            known = sorted(
                {
                    value
                    for project in projects
                    for document in self._catalogue.documents(project.id)
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

    def _headings(self, projects: Sequence[Project], question: SearchQuestion) -> list[str]:
        """Headings of the passages that come nearest to the question."""
        with self._searcher.search(projects, replace(question, filter=Filter())) as hits:
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
