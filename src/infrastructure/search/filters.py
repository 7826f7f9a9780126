"""Query filters as conditions of Qdrant, for the embedded engine and for a server.

Both name conditions alike; only ranges and id sets are constructed differently.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Final

from citeloom.domain.search.filters import Clause, Field, Filter, Range

PAYLOAD_KEY: Final = {
    Field.AUTHOR: "authors",
    Field.CITEKEY: "citekey",
    Field.TAG: "tags",
    Field.COLLECTION: "collections",
    Field.SECTION: "section",
    Field.SECTION_PREFIX: "section_prefix",
    Field.TYPE: "type",
    Field.KIND: "kind",
    Field.DOC: "document",
    Field.ITEM: "item",
    Field.LANG: "language",
    Field.MARKED: "marked",
}
# The tenant field of a shared collection.
TENANT: Final = "project"
# The engine compares floats, which are exact for integers up to this one.
_MAX_EXACT: Final = 2**53


def embedded_filters() -> "FilterCompiler":
    """Filters of Qdrant Edge."""
    import qdrant_edge

    return FilterCompiler(
        qdrant_edge, qdrant_edge.RangeFloat, lambda ids: qdrant_edge.HasIdCondition(set(ids))
    )


def server_filters(tenant: str | None) -> "FilterCompiler":
    """Filters of a server, restricted to the points of ``tenant``."""
    from qdrant_client import models

    return FilterCompiler(
        models, models.Range, lambda ids: models.HasIdCondition(has_id=list(ids)), tenant
    )


@dataclass(frozen=True, slots=True)
class FilterCompiler:
    """``types`` is the engine's module of conditions."""

    types: Any
    range: Callable[..., Any]
    has_id: Callable[[Iterable[str]], Any]
    tenant: str | None = None

    def compile(self, filter: Filter, among: Iterable[str] | None = None) -> Any:
        """The engine's filter; None for an empty one. ``among`` restricts the result to these ids.

        Several ranges are alternatives. ``page=LOW..HIGH`` is any overlap with the pages of a
        passage. A negated clause passes whatever the clause does not, including passages without
        the field.
        """
        must = self._tenant() if among is None else [*self._tenant(), self.has_id(among)]
        must_not: list[Any] = []
        for clause in filter.clauses:
            (must_not if clause.negated else must).append(self._condition(clause))
        if not must and not must_not:
            return None
        return self.types.Filter(must=must or None, must_not=must_not or None)

    def of_documents(
        self, document_ids: Iterable[str], *, without: Iterable[str] = (), kind: str | None = None
    ) -> Any:
        """All points of these documents (of one kind), except ``without``."""
        excluded = list(without)
        of_kind = [] if kind is None else [self._match("kind", [kind])]
        return self.types.Filter(
            must=[*self._tenant(), self._match("document", document_ids), *of_kind],
            must_not=[self.has_id(excluded)] if excluded else None,
        )

    def of_tenant(self) -> Any:
        """All points of the tenant; None if the collection has no tenants."""
        return self.types.Filter(must=self._tenant()) if self.tenant is not None else None

    def _tenant(self) -> list[Any]:
        return [] if self.tenant is None else [self._match(TENANT, [self.tenant])]

    def _condition(self, clause: Clause) -> Any:
        if clause.field is Field.YEAR:
            years = [self._range("year", one.low, one.high) for one in clause.ranges]
            return self.types.Filter(should=years)
        if clause.field is Field.PAGE:
            return self.types.Filter(should=[self._pages(one) for one in clause.ranges])
        return self._match(PAYLOAD_KEY[clause.field], clause.values)

    def _pages(self, pages: Range) -> Any:
        ends = [] if pages.low is None else [self._range("page_end", pages.low, None)]
        starts = [] if pages.high is None else [self._range("page_start", None, pages.high)]
        return self.types.Filter(must=[*ends, *starts])

    def _match(self, key: str, values: Iterable[str]) -> Any:
        return self.types.FieldCondition(key=key, match=self.types.MatchAny(any=list(values)))

    def _range(self, key: str, low: int | None, high: int | None) -> Any:
        bounds = self.range(gte=_bounded(low), lte=_bounded(high))
        return self.types.FieldCondition(key=key, range=bounds)


def _bounded(number: int | None) -> float | None:
    return None if number is None else float(max(-_MAX_EXACT, min(_MAX_EXACT, number)))
