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
    """The schema with references resolved, and without titles, nulls, empty or false defaults
    (0 where nothing bounds it), lengths and the descriptions of nested classes."""
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
        if name in _NOISE or _goes_without_saying(name, value, schema):
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


def _goes_without_saying(name: str, value: Any, schema: dict[str, Any]) -> bool:
    if name != "default":
        return False
    unbounded = value == 0 and "maximum" not in schema
    return value is False or not isinstance(value, int) or unbounded
