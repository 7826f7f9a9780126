"""Labels of observables, and observations with labels applied."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated

from pydantic import AfterValidator, Field

from citeloom.domain.errors import InvalidUri
from citeloom.domain.resources.observations import (
    Entry,
    Listed,
    ObsBody,
    ObsChunk,
    ObsCollection,
    Observation,
    ObsMedia,
)
from citeloom.domain.resources.relations import snake_name
from citeloom.domain.resources.table_of_contents import fit_to_budget
from citeloom.domain.resources.uris import ObservableUri, parse_uri
from citeloom.domain.value import Value

DESCRIPTION, PLACEHOLDER, TAGS = "description", "placeholder", "tags"
"""Automatic labels: sentences of the text, captions, the reference library's tags."""

MAX_VALUE = 10_000
"""Characters of a text."""


def _observable(text: str) -> str:
    try:
        uri = parse_uri(text)
    except InvalidUri as error:
        raise ValueError(error.message) from None
    if not isinstance(uri, ObservableUri):
        raise ValueError(f"{text} is a resource; label what is seen of it, such as {text}/$body")
    return text


LabelName = Annotated[str, AfterValidator(snake_name), Field(max_length=100)]
LabelText = Annotated[str, Field(max_length=MAX_VALUE)]


class ResourceLabel(Value):
    """``target`` is an observable; it has at most one label of a name."""

    name: LabelName
    target: Annotated[str, AfterValidator(_observable)]
    value: LabelText | tuple[LabelText, ...]


def merge_labels(
    given: Iterable[ResourceLabel], own: Iterable[ResourceLabel]
) -> list[ResourceLabel]:
    """Labels ``given`` by people override those of the text (``own``); sorted by target and
    name."""
    labels = {(one.target, one.name): one for one in (*own, *given)}
    return [labels[key] for key in sorted(labels)]


LabelTexts = Mapping[tuple[str, str], str]
"""Label texts by target URI and label name."""


def label_texts(labels: Iterable[ResourceLabel]) -> LabelTexts:
    """The texts of description and placeholder labels."""
    return {
        (one.target, one.name): one.value if isinstance(one.value, str) else "; ".join(one.value)
        for one in labels
        if one.name in (DESCRIPTION, PLACEHOLDER)
    }


def with_labels(seen: Observation, said: LabelTexts, max_tokens: int) -> Observation:
    """``seen`` with the descriptions that were given, of itself and of what it lists, and with
    the placeholder of a picture. A table of contents has at most ``max_tokens`` tokens."""
    if not said:
        return seen
    if isinstance(seen, ObsMedia):
        return seen.model_copy(
            update={"placeholder": said.get((seen.uri, PLACEHOLDER), seen.placeholder)}
        )
    if not isinstance(seen, ObsBody | ObsChunk | ObsCollection):
        return seen
    changes: dict[str, object] = {}
    if given := said.get((seen.uri, DESCRIPTION)):
        changes["description"] = given
    if isinstance(seen, ObsCollection):
        changes["resources"] = _entries(seen.resources, said)
        return seen.model_copy(update=changes)
    changes["contents"] = fit_to_budget(_entries(seen.contents, said), max_tokens)
    if isinstance(seen, ObsBody):
        changes["media"] = _entries(seen.media, said)
        if seen.chunk is not None:
            changes["chunk"] = with_labels(seen.chunk, said, max_tokens)
    return seen.model_copy(update=changes)


def _entries(entries: Sequence[Entry], said: LabelTexts) -> tuple[Entry, ...]:
    """Listed entries with descriptions; a picture's placeholder is its fallback."""
    return tuple(_entry(one, said) if isinstance(one, Listed) else one for one in entries)


def _entry(one: Listed, said: LabelTexts) -> Listed:
    given = said.get((one.uri, DESCRIPTION)) or said.get((one.uri, PLACEHOLDER))
    return one.model_copy(update={"description": given}) if given else one
