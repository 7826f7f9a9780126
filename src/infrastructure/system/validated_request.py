"""Request models from user input; an invalid value raises an error that names it."""

from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from citeloom.domain.errors import InvalidRequest

Model = TypeVar("Model", bound=BaseModel)

_NAMES = {"top_k": "-k", "query_text": "query", "project_id": "--project"}


def build(kind: type[Model], /, **values: Any) -> Model:
    """``kind(**values)``; raises InvalidRequest for the first invalid value."""
    try:
        return kind(**values)
    except ValidationError as error:
        first = error.errors()[0]
        field = str(first["loc"][0]) if first["loc"] else ""
        name = _NAMES.get(field, field)
        reason = str(first["msg"]).removeprefix("Value error, ")
        value = first.get("input")
        value_text = f" {value!r}" if isinstance(value, int | float) else ""
        raise InvalidRequest(
            f"{name}{value_text}: {_lower(reason)}", parameter=field, reason=reason
        ) from None


def _lower(text: str) -> str:
    return text[:1].lower() + text[1:]
