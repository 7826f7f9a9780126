"""Base class and value types of the parameters. What is plainly meant is taken: ``"6"`` for a
number, a single text for a list, JSON in a text for an object."""

import json
from collections.abc import Sequence
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, WithJsonSchema

from citeloom.domain.search.request import MAX_QUERY_CHARACTERS


def _described_once(schema: dict[str, Any], kind: type[Any]) -> None:
    """What a class inherits is described in the schema of the class that declares it."""
    for name, part in schema.get("properties", {}).items():
        if name not in kind.__annotations__:
            part.pop("description", None)


def _parsed(given: str, opening: str) -> object:
    """What a text that begins with ``opening`` is as JSON; None where it is none."""
    try:
        return json.loads(given) if given.lstrip().startswith(opening) else None
    except (ValueError, RecursionError):
        return None


def as_object(given: object) -> object:
    """An object that was given as JSON."""
    parsed = _parsed(given, "{") if isinstance(given, str) else None
    return given if parsed is None else parsed


def as_list(given: object) -> object:
    """A list of a single value, or of a list that was given as JSON."""
    if isinstance(given, str):
        parsed = _parsed(given, "[")
        return parsed if isinstance(parsed, list) else [given]
    return [given] if isinstance(given, int | float) else given


def as_one(given: object) -> object:
    """The only value of a list."""
    return given[0] if isinstance(given, list) and len(given) == 1 else given


def as_ranges(given: object) -> object:
    """Alternatives of a list of numbers or ranges."""
    return ",".join(map(str, given)) if isinstance(given, list) and given else as_one(given)


def _as_keys(given: object) -> object:
    """Citation keys without their ``@``."""
    given = as_list(given)
    if isinstance(given, list):
        return [one.removeprefix("@") if isinstance(one, str) else one for one in given]
    return given


def _as_names(given: object) -> object:
    """Names between commas, or of a list."""
    given = as_list(given)
    if isinstance(given, list) and all(isinstance(one, str) for one in given):
        return [name for one in given for part in one.split(",") if (name := part.strip())]
    return given


def declaring(*told: str, required: Sequence[str] = ()) -> ConfigDict:
    """The configuration of parameters of which agents are told ``told`` alone (the others are
    taken from clients that know of them), or all. They are told that ``required`` are needed; what
    lacks is forgiven where it is plain."""

    def declared(schema: dict[str, Any], kind: type[Any]) -> None:
        _described_once(schema, kind)
        if required:
            schema["required"] = list(dict.fromkeys([*required, *schema.get("required", [])]))
        for other in set(schema["properties"]).difference(told or schema["properties"]):
            del schema["properties"][other]

    return ConfigDict(json_schema_extra=declared)


class Parameters(BaseModel):
    """Unknown parameters are refused."""

    model_config = ConfigDict(
        frozen=True,
        extra="forbid",
        coerce_numbers_to_str=True,
        str_strip_whitespace=True,
        str_max_length=MAX_QUERY_CHARACTERS,
        json_schema_extra=_described_once,
    )


Text = Annotated[str, Field(min_length=1), BeforeValidator(as_one)]
Texts = Annotated[list[str], BeforeValidator(as_list)]
#: Alternatives; agents are told of one, as most filters need no more, and lists cost them tokens.
Alternatives = Annotated[list[str], BeforeValidator(as_list), WithJsonSchema({"type": "string"})]
Ranges = Annotated[str, BeforeValidator(as_ranges)]
Offset = Annotated[int, Field(ge=0), WithJsonSchema({"type": "integer"})]
Object = BeforeValidator(as_object)
Keys = Annotated[list[str], BeforeValidator(_as_keys)]
#: Names of projects, which have no commas; one text to agents.
ProjectNames = Annotated[
    list[Text], Field(min_length=1), BeforeValidator(_as_names), WithJsonSchema({"type": "string"})
]
