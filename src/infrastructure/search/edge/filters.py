"""Filters of a query, as conditions that the engine applies itself."""

from collections.abc import Iterable
from collections.abc import Set as AbstractSet
from typing import TYPE_CHECKING, Final
from uuid import UUID

from citeloom.domain.search.filters import Clause, Field, Filter, Range

if TYPE_CHECKING:
    import qdrant_edge

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

_LARGEST: Final = 2**53


def compile_filter(
    filter: Filter, among: AbstractSet[str] | None = None
) -> "qdrant_edge.Filter | None":
    """The engine's filter; None for the empty one. ``among`` are the only ids let through.

    Of several ranges any will do. ``page=LOW..HIGH`` is any overlap with the pages of a
    passage. A negated clause lets through whatever the clause itself does not, passages
    without the field included.
    """
    import qdrant_edge

    if not filter and among is None:
        return None
    only: set[int | UUID | str] = {UUID(id) for id in among or ()}
    conditions = [(clause.negated, _condition(clause)) for clause in filter.clauses]
    return qdrant_edge.Filter(
        must=[
            *([] if among is None else [qdrant_edge.HasIdCondition(only)]),
            *(condition for negated, condition in conditions if not negated),
        ],
        must_not=[condition for negated, condition in conditions if negated],
    )


def of_document(
    document_id: str, *, without: Iterable[str] = (), kind: str | None = None
) -> "qdrant_edge.Filter":
    """All points of a document (of one kind), but for those ``without``."""
    import qdrant_edge

    kept: set[int | UUID | str] = set(without)
    of_kind = [] if kind is None else [_match("kind", [kind])]
    return qdrant_edge.Filter(
        must=[_match("document", [document_id]), *of_kind],
        must_not=[qdrant_edge.HasIdCondition(kept)] if kept else [],
    )


def _condition(clause: Clause) -> "qdrant_edge.FieldCondition | qdrant_edge.Filter":
    import qdrant_edge

    if clause.field is Field.YEAR:
        years = [_range("year", one.low, one.high) for one in clause.ranges]
        return qdrant_edge.Filter(should=list(years))
    if clause.field is Field.PAGE:
        return qdrant_edge.Filter(should=[_pages(one) for one in clause.ranges])
    return _match(PAYLOAD_KEY[clause.field], clause.values)


def _pages(wanted: Range) -> "qdrant_edge.Filter":
    import qdrant_edge

    ends = [] if wanted.low is None else [_range("page_end", wanted.low, None)]
    starts = [] if wanted.high is None else [_range("page_start", None, wanted.high)]
    return qdrant_edge.Filter(must=[*ends, *starts])


def _match(key: str, values: Iterable[str]) -> "qdrant_edge.FieldCondition":
    import qdrant_edge

    return qdrant_edge.FieldCondition(key, match=qdrant_edge.MatchAny(list(values)))


def _range(key: str, low: int | None, high: int | None) -> "qdrant_edge.FieldCondition":
    import qdrant_edge

    bounds = qdrant_edge.RangeFloat(gte=_bounded(low), lte=_bounded(high))
    return qdrant_edge.FieldCondition(key, range=bounds)


def _bounded(number: int | None) -> float | None:
    """The engine compares floats, which hold whole numbers exactly up to 2**53."""
    return None if number is None else float(max(-_LARGEST, min(_LARGEST, number)))
