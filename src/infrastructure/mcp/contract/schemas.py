"""JSON Schemas of parameters, reduced to what agents need."""

from typing import Any

from pydantic import TypeAdapter

from citeloom.infrastructure.mcp.contract.parameters.base import Parameters

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
