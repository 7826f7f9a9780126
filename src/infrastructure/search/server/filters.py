"""Filters of a query, as conditions of a Qdrant server."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

from citeloom.domain.search.filters import Clause, Field, Filter, Range
from citeloom.infrastructure.search.edge.filters import PAYLOAD_KEY

if TYPE_CHECKING:
    from qdrant_client import models

# The field of a shared collection that says whose a point is.
TENANT: Final = "project"
# The server compares floats, which hold whole numbers exactly up to here.
_LARGEST: Final = 2**53


def server_filter(
    filter: Filter, tenant: str | None, *, ids: Iterable[str] | None = None
) -> "models.Filter | None":
    """What ``compile_filter`` makes for the engine in the process, narrowed to the points
    of ``tenant`` and to those with one of ``ids``; None if nothing is asked."""
    from qdrant_client import models

    must: list[models.Condition] = list(_tenant(tenant))
    must_not: list[models.Condition] = []
    if ids is not None:
        must.append(models.HasIdCondition(has_id=list(ids)))
    for clause in filter.clauses:
        (must_not if clause.negated else must).append(_condition(clause))
    return _filter(must, must_not)


def of_documents(
    document_ids: Iterable[str],
    tenant: str | None,
    *,
    without: Iterable[str] = (),
    kind: str | None = None,
) -> "models.Filter":
    """All points of these documents (of one kind), but for those ``without``."""
    from qdrant_client import models

    kept: list[models.ExtendedPointId] = list(without)
    of_kind = [] if kind is None else [_match("kind", [kind])]
    return models.Filter(
        must=[*_tenant(tenant), _match("document", document_ids), *of_kind],
        must_not=[models.HasIdCondition(has_id=kept)] if kept else None,
    )


def of_tenant(tenant: str) -> "models.Filter":
    """All points of a project in a shared collection."""
    from qdrant_client import models

    return models.Filter(must=list(_tenant(tenant)))


def _tenant(tenant: str | None) -> "list[models.FieldCondition]":
    return [] if tenant is None else [_match(TENANT, [tenant])]


def _filter(
    must: "list[models.Condition]", must_not: "list[models.Condition]"
) -> "models.Filter | None":
    from qdrant_client import models

    if not must and not must_not:
        return None
    return models.Filter(must=must or None, must_not=must_not or None)


def _condition(clause: Clause) -> "models.FieldCondition | models.Filter":
    from qdrant_client import models

    if clause.field is Field.YEAR:
        years = [_range("year", one.low, one.high) for one in clause.ranges]
        return models.Filter(should=list(years))
    if clause.field is Field.PAGE:
        return models.Filter(should=[_pages(one) for one in clause.ranges])
    return _match(PAYLOAD_KEY[clause.field], clause.values)


def _pages(wanted: Range) -> "models.Filter":
    from qdrant_client import models

    ends = [] if wanted.low is None else [_range("page_end", wanted.low, None)]
    starts = [] if wanted.high is None else [_range("page_start", None, wanted.high)]
    return models.Filter(must=[*ends, *starts])


def _match(key: str, values: Iterable[str]) -> "models.FieldCondition":
    from qdrant_client import models

    return models.FieldCondition(key=key, match=models.MatchAny(any=list(values)))


def _range(key: str, low: int | None, high: int | None) -> "models.FieldCondition":
    from qdrant_client import models

    bounds = models.Range(gte=_bounded(low), lte=_bounded(high))
    return models.FieldCondition(key=key, range=bounds)


def _bounded(number: int | None) -> float | None:
    return None if number is None else float(max(-_LARGEST, min(_LARGEST, number)))
