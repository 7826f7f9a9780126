"""Parameters from the arguments of a call, their JSON Schemas, and filters as clauses."""

import re
from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

from pydantic import TypeAdapter, ValidationError
from pydantic_core import ErrorDetails

from citeloom.domain.errors import InvalidRequest, UsageError
from citeloom.domain.search.filters import Clause, Field, Filter, make_clause
from citeloom.domain.text.normalized_text import fold
from citeloom.infrastructure.serving.next_steps import MissingParameter

from .parameters import Filters, Parameters, as_object

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
    "status": Field.STATUS,
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


# What is accepted besides the properties (for the contract, or to be refused by name) may be sent.
# Also lengths that no agent would miss: nothing is empty, or as long as a book.
_NOISE = {
    "additionalProperties",
    "title",
    "$defs",
    "minLength",
    "maxLength",
    "minItems",
    "maxItems",
}


def input_schema(kind: type[Parameters]) -> dict[str, Any]:
    """The schema with references resolved, and without titles, nulls, defaults that are empty,
    lengths, minima of 0 and 1, and the descriptions of nested classes."""
    schema = kind.model_json_schema()
    compact: dict[str, Any] = _compact(schema, schema.get("$defs", {}))
    compact.pop("description", None)
    return {"type": "object", "properties": {}, **compact}


def output_schema(kind: type[Any]) -> dict[str, Any]:
    """The schema of an answer: typed dictionaries of which nothing is required, as errors are
    answers too. What may be null has no type."""
    schema = TypeAdapter(kind).json_schema()
    compact: dict[str, Any] = _compact(schema, schema.get("$defs", {}), nullable=True)
    return {"type": "object", "properties": compact["properties"]}


def _compact(
    schema: dict[str, Any], named: dict[str, Any], nullable: bool = False
) -> dict[str, Any]:
    if reference := schema.get("$ref"):
        target = named[reference.rpartition("/")[2]]
        schema = {k: v for k, v in target.items() if k != "description"} | {
            k: v for k, v in schema.items() if k != "$ref"
        }
    out: dict[str, Any] = {}
    for name, value in schema.items():
        if name in _NOISE or _goes_without_saying(name, value):
            continue
        if name == "properties":
            out[name] = {key: _compact(part, named, nullable) for key, part in value.items()}
        elif name == "items":
            out[name] = _compact(value, named, nullable)
        elif name == "anyOf":
            # Not all clients pass unions on to their models: none is declared.
            (only,) = [part for part in value if part != {"type": "null"}]
            out |= {} if nullable else _compact(only, named)
        else:
            out[name] = value
    return out


def _goes_without_saying(name: str, value: Any) -> bool:
    if name == "minimum":
        return value in (0, 1)
    return name == "default" and (not value or not isinstance(value, int))


Wanted = TypeVar("Wanted", bound=Parameters)

_LONE_SURROGATE = re.compile("[\ud800-\udfff]")
_MOST_VALUES = 500
_DEEPEST = 10
# Where pydantic speaks of Python.
_REASONS = {"model_type": "Input should be an object"}


def read(kind: type[Wanted], arguments: Mapping[str, Any]) -> Wanted:
    """Raises MissingParameter, InvalidRequest. Null counts as not given."""
    _refuse_unreadable(arguments, "")
    given = _without_nulls(arguments)
    try:
        parameters = kind.model_validate(given)
    except ValidationError as error:
        raise _explained(kind, error.errors(), given) from None
    # What was read from JSON in a text.
    _refuse_unreadable(parameters.model_dump(), "")
    return parameters


def _without_nulls(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {k: _without_nulls(v) for k, v in value.items() if v is not None}
    return value


def _refuse_unreadable(value: Any, name: str, depth: int = 0) -> None:
    """Texts with NUL are neither a path nor a key; halves of surrogate pairs cannot be stored.
    Lists that are longer, or deeper, than any tool has a use for are refused."""
    if depth > _DEEPEST:
        raise InvalidRequest(f"{name}: is nested more than {_DEEPEST} deep", parameter=name)
    if isinstance(value, Mapping):
        for key, part in value.items():
            _refuse_unreadable(str(key), "a parameter's name")
            _refuse_unreadable(part, f"{name}.{key}" if name else str(key), depth + 1)
    elif isinstance(value, list):
        if len(value) > _MOST_VALUES:
            raise InvalidRequest(
                f"{name}: has {len(value)} values; {_MOST_VALUES} at most", parameter=name
            )
        for number, part in enumerate(value):
            _refuse_unreadable(part, f"{name}.{number}", depth + 1)
    elif isinstance(value, str):
        if "\0" in value:
            raise InvalidRequest(f"{name}: has a NUL character; leave it out", parameter=name)
        if not value.isascii() and _LONE_SURROGATE.search(value):
            raise InvalidRequest(
                f"{name}: has half a surrogate pair (a cut emoji); leave it out", parameter=name
            )


def _explained(
    kind: type[Parameters], errors: list[ErrorDetails], given: Mapping[str, Any]
) -> UsageError:
    first = min(errors, key=lambda one: one["type"] != "extra_forbidden")  # often a wrong name
    path = _path(first, given)
    name = ".".join(map(str, path))
    if first["type"] == "missing":
        return MissingParameter(name)
    if first["type"] == "extra_forbidden":
        known = ", ".join(_fields(kind, path[:-1]))
        return InvalidRequest(
            f"{name}: no such parameter; there are {known or 'none'}", parameter=name
        )
    # Each type of a union has its say.
    reasons = dict.fromkeys(
        _REASONS.get(e["type"], e["msg"]) for e in errors if _path(e, given) == path
    )
    reason = " or ".join(reasons).replace(" or Input should be", " or")
    return InvalidRequest(
        f"{name}: {reason[:1].lower()}{reason[1:]}", parameter=name, reason=reason
    )


def _path(error: ErrorDetails, given: Any) -> tuple[int | str, ...]:
    """Path of the error, without the type names that pydantic adds for unions."""
    if error["type"] == "missing":
        return error["loc"]
    path: list[int | str] = []
    for part in error["loc"]:
        given = as_object(given)
        inside = isinstance(given, Mapping) and part in given
        if not inside and not (isinstance(given, list) and isinstance(part, int)):
            continue
        path.append(part)
        given = given[part]
    return tuple(path)


def _fields(kind: type[Parameters], path: tuple[int | str, ...]) -> list[str]:
    """The valid names at ``path``."""
    for part in path:
        inner = kind.model_fields[str(part)].annotation
        assert isinstance(inner, type), "only plain models are nested"
        assert issubclass(inner, Parameters), "only plain models are nested"
        kind = inner
    return list(kind.model_json_schema().get("properties", {}))
