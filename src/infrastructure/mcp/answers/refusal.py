"""Errors as answers."""

from typing import Final

from citeloom.domain.errors import CiteLoomError
from citeloom.domain.text.phrasing import shortened
from citeloom.infrastructure.mcp.answers.contents import Content, fitting, size
from citeloom.infrastructure.serving.next_steps import in_words

_MESSAGE: Final = 2000  # characters
_DETAIL_TOKENS: Final = 2000


def refused(error: CiteLoomError) -> Content:
    """Code, message and details, of bounded size."""
    message = shortened(in_words(error.message), _MESSAGE)
    details = {name: _bounded(value) for name, value in error.details.items()}
    return {"error": {"code": error.code, "message": message, "details": details}}


def _bounded(value: object) -> object:
    if isinstance(value, str):
        return shortened(value, _MESSAGE)
    if isinstance(value, list | tuple) and size(value) > _DETAIL_TOKENS:
        shown = fitting(value, _DETAIL_TOKENS)
        return [*shown, f"and {len(value) - len(shown)} more"]
    return value
