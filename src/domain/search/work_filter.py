"""Filters of works: the clauses that hold for a document as a whole, checked without an index."""

from collections.abc import Collection, Mapping
from typing import Final

from citeloom.domain.errors import InvalidRequest
from citeloom.domain.search.filters import NUMERIC, Clause, Field, Filter

#: What a clause on works may be about; the other fields are those of passages.
OF_WORKS: Final = (
    Field.YEAR,
    Field.AUTHOR,
    Field.CITEKEY,
    Field.TAG,
    Field.COLLECTION,
    Field.TYPE,
    Field.DOC,
    Field.ITEM,
    Field.LANG,
)

Terms = Mapping[Field, Collection[str | int]]


def check_of_works(filter: Filter) -> None:
    """Raise InvalidRequest for a clause that is about passages."""
    for clause in filter.clauses:
        if clause.field not in OF_WORKS:
            keys = ", ".join(field.value for field in OF_WORKS)
            raise InvalidRequest(
                f"filter {clause}: passages have a {clause.field.value}, documents have none; "
                f"the keys here are {keys}",
                parameter="filter",
            )


def passes(filter: Filter, terms: Terms) -> bool:
    """Whether a work with these folded terms passes every clause. A negated clause passes what
    the clause does not, works without the field included."""
    return all(_holds(clause, terms) is not clause.negated for clause in filter.clauses)


def _holds(clause: Clause, terms: Terms) -> bool:
    own = terms.get(clause.field, ())
    if clause.field in NUMERIC:
        return any(
            (each.low is None or number >= each.low) and (each.high is None or number <= each.high)
            for number in own
            if isinstance(number, int)
            for each in clause.ranges
        )
    return not set(clause.values).isdisjoint(own)
