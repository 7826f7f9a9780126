"""Labels: what is said about something that is to be seen."""

from collections.abc import Iterable
from typing import Annotated

from pydantic import AfterValidator, Field

from citeloom.domain.errors import InvalidUri
from citeloom.domain.knowledge.relations import snake_name
from citeloom.domain.knowledge.uris import ObservableUri, parse_uri
from citeloom.domain.values import Value

DESCRIPTION, PLACEHOLDER, TAGS = "description", "placeholder", "tags"
"""What is said without a person: sentences of the text, captions, the reference library's tags."""

MAX_VALUE = 10_000
"""Characters of a text."""


def _observable(text: str) -> str:
    try:
        found = parse_uri(text)
    except InvalidUri as error:
        raise ValueError(error.message) from None
    if not isinstance(found, ObservableUri):
        raise ValueError(f"{text} is a resource; label what is seen of it, such as {text}/$body")
    return text


LabelName = Annotated[str, AfterValidator(snake_name), Field(max_length=100)]
LabelText = Annotated[str, Field(max_length=MAX_VALUE)]


class ResourceLabel(Value):
    """``target`` is an observable. Of one name, a target has one label."""

    name: LabelName
    target: Annotated[str, AfterValidator(_observable)]
    value: LabelText | tuple[LabelText, ...]


def merged(given: Iterable[ResourceLabel], own: Iterable[ResourceLabel]) -> list[ResourceLabel]:
    """Those ``given`` by a person go before those of the text (``own``); by target and name."""
    labels = {(one.target, one.name): one for one in (*own, *given)}
    return [labels[key] for key in sorted(labels)]
