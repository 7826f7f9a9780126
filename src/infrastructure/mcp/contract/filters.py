"""Query filters of tool calls as clauses of the domain."""

from collections.abc import Sequence

from citeloom.domain.errors import InvalidRequest
from citeloom.domain.search.filters import Clause, Field, Filter, make_clause
from citeloom.domain.text.normalized_text import fold

from .parameters import Filters

_EXACT = frozenset({Field.CITEKEY, Field.DOC, Field.ITEM})
_TEXTS = {
    "author": Field.AUTHOR,
    "citekey": Field.CITEKEY,
    "collection": Field.COLLECTION,
    "type": Field.TYPE,
    "section": Field.SECTION,
    "section_prefix": Field.SECTION_PREFIX,
    "kind": Field.KIND,
    "doc": Field.DOC,
    "zotero_item_key": Field.ITEM,
    "lang": Field.LANG,
    "marked": Field.MARKED,
}


def to_filter(wanted: Filters) -> Filter:
    """Raises InvalidRequest naming the filter.

    A comma does not separate alternatives, as it does on the command line: here it may
    belong to a heading or to a name, and alternatives are a list.
    """
    if wanted.zotero_attachment_key is not None:
        raise InvalidRequest(
            "filters.zotero_attachment_key: attachment keys are not stored yet; "
            "use zotero_item_key, citekey or doc",
            parameter="filters.zotero_attachment_key",
        )
    clauses = [_texts("tags", Field.TAG, [tag]) for tag in wanted.tags]
    for name in ("year", "page"):
        value = getattr(wanted, name)
        if value is not None:
            clauses.append(make_clause(name, value))
    for name, field in _TEXTS.items():
        value = getattr(wanted, name)
        if value is not None:
            clauses.append(_texts(name, field, value))
    return Filter(clauses=tuple(clauses))


def _texts(name: str, field: Field, texts: Sequence[str]) -> Clause:
    exact = field in _EXACT
    values = tuple(v for text in texts if (v := text.strip() if exact else fold(text)))
    if not values:
        raise InvalidRequest(f"filters.{name}: no value given", parameter=f"filters.{name}")
    return Clause(field=field, values=values)
