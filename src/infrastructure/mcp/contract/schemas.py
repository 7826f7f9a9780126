"""JSON Schemas of parameters, reduced to what agents need."""

from typing import Any

from citeloom.infrastructure.mcp.contract.parameters.base import Parameters

# Also lengths that no agent would miss: nothing is empty, or as long as a book.
_NOISE = {"title", "$defs", "minLength", "maxLength", "minItems"}


def input_schema(kind: type[Parameters]) -> dict[str, Any]:
    """The schema with references resolved, and without titles, nulls, empty or false defaults
    (0 where nothing bounds it), lengths and the descriptions of nested classes."""
    schema = kind.model_json_schema()
    compact: dict[str, Any] = _compact(schema, schema.get("$defs", {}))
    compact.pop("description", None)
    return {"type": "object", "properties": {}, **compact}


def _compact(schema: dict[str, Any], named: dict[str, Any]) -> dict[str, Any]:
    if reference := schema.get("$ref"):
        target = named[reference.rpartition("/")[2]]
        schema = {k: v for k, v in target.items() if k != "description"} | {
            k: v for k, v in schema.items() if k != "$ref"
        }
    out: dict[str, Any] = {}
    for name, value in schema.items():
        if name in _NOISE or _goes_without_saying(name, value, schema):
            continue
        if name == "properties":
            out[name] = {key: _compact(part, named) for key, part in value.items()}
        elif name == "items":
            out[name] = _compact(value, named)
        elif name == "anyOf":
            out |= _union([_compact(part, named) for part in value if part != {"type": "null"}])
        else:
            out[name] = value
    return out


def _goes_without_saying(name: str, value: Any, schema: dict[str, Any]) -> bool:
    if name == "default":
        unbounded = value == 0 and "maximum" not in schema
        return value is False or not isinstance(value, int) or unbounded
    return name == "additionalProperties" and value is True


def _union(parts: list[dict[str, Any]]) -> dict[str, Any]:
    """One alternative is no union; types whose keywords do not meet are a list of types."""
    if len(parts) == 1:
        return parts[0]
    keywords = [name for part in parts for name in part if name != "type"]
    if set(keywords) <= {"items"} and len(keywords) < 2:
        merged = {name: value for part in parts for name, value in part.items()}
        return merged | {"type": [part["type"] for part in parts]}
    return {"anyOf": parts}
