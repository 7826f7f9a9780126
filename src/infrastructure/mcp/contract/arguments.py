"""Parameters from the arguments of a call; errors name the parameter."""

from collections.abc import Mapping
from typing import Any, TypeVar

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from citeloom.domain.errors import InvalidRequest, UsageError
from citeloom.infrastructure.mcp.contract.errors import MissingParameter
from citeloom.infrastructure.mcp.contract.parameters.base import Parameters

Wanted = TypeVar("Wanted", bound=Parameters)

# Where pydantic speaks of Python.
_REASONS = {"model_type": "Input should be an object"}


def read(kind: type[Wanted], arguments: Mapping[str, Any]) -> Wanted:
    """Raises MissingParameter, InvalidRequest. Null counts as not given."""
    given = _without_nulls(arguments)
    try:
        return kind.model_validate(given)
    except ValidationError as error:
        raise _explained(kind, error.errors(), given) from None


def _without_nulls(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {k: _without_nulls(v) for k, v in value.items() if v is not None}
    return value


def _explained(
    kind: type[Parameters], errors: list[ErrorDetails], given: Mapping[str, Any]
) -> UsageError:
    first = errors[0]
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
