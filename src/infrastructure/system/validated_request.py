"""Requests from what a user gave; a bad value is an error that names it."""

from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from citeloom.domain.errors import InvalidRequest

Model = TypeVar("Model", bound=BaseModel)

_NAMES = {"top_k": "-k", "query_text": "query", "project_id": "--project"}


def build(kind: type[Model], /, **values: Any) -> Model:
    """``kind(**values)``; raises InvalidRequest with the first thing that is wrong."""
    try:
        return kind(**values)
    except ValidationError as error:
        first = error.errors()[0]
        field = str(first["loc"][0]) if first["loc"] else ""
        name = _NAMES.get(field, field)
        reason = str(first["msg"]).removeprefix("Value error, ")
        given = first.get("input")
        shown = f" {given!r}" if isinstance(given, int | float) else ""
        raise InvalidRequest(
            f"{name}{shown}: {_lower(reason)}", parameter=field, reason=reason
        ) from None


def _lower(text: str) -> str:
    return text[:1].lower() + text[1:]
