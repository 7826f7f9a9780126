"""Answers without characters that a reader does not see."""

from collections.abc import Mapping
from typing import Any

from citeloom.domain.text.characters import without_hidden


def visible(value: Any) -> Any:
    """The same content, its texts as a reader sees them: nothing in a document, a name or a
    reference can say to a model what it does not say to the user."""
    if isinstance(value, str):
        return without_hidden(value)
    if isinstance(value, Mapping):
        return {visible(name): visible(one) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return [visible(one) for one in value]
    return value
