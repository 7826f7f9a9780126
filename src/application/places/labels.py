"""The verb *label*: labels of observable resources, given by people or taken from the text."""

from collections.abc import Iterator, Sequence

from pydantic import ValidationError

from citeloom.application.ports.catalogue import Catalogue
from citeloom.application.ports.maps import LabelStore
from citeloom.domain.errors import InvalidRequest, NothingThere
from citeloom.domain.resources.metadata import (
    DESCRIPTION,
    PLACEHOLDER,
    TAGS,
    ResourceLabel,
    merge_labels,
    snake_name,
)
from citeloom.domain.resources.observations import Listed, ObsBody, ObsChunk, ObsMedia
from citeloom.domain.resources.uris import ObservableUri, is_child_or_self, parse_uri

from .observe import Observe, ResourcePlace, located


class ResourceLabels:
    """Reads, puts and removes labels.

    Raises InvalidUri, InvalidRequest, ProjectNotFound, NothingThere, StorageFailed.
    """

    def __init__(self, *, catalogue: Catalogue, labels: LabelStore, observe: Observe) -> None:
        self._labels = labels
        self._observe = observe
        self._catalogue = catalogue

    def __call__(self, uri: str) -> Sequence[ResourceLabel]:
        """All labels of the resource at ``uri`` and of its parts. A label taken from the text
        yields to one of the same name given by people."""
        place, parsed = located(self._catalogue, uri)
        given = [
            label
            for label in self._labels.labels(place.project.id, place.document_id)
            if is_child_or_self(parse_uri(label.target), parsed)
        ]
        return merge_labels(given, self._of_the_text(str(parsed), place))

    def put(self, uri: str, name: str, value: str | Sequence[str]) -> ResourceLabel:
        """Label the observable at ``uri``; a label of the same name is replaced."""
        place, target = self._target(uri)
        try:
            label = ResourceLabel(
                name=name, target=target, value=value if isinstance(value, str) else tuple(value)
            )
        except ValidationError as error:
            reason = str(error.errors()[0]["msg"]).removeprefix("Value error, ")
            raise InvalidRequest(f"label {name}: {reason}", parameter="name") from None
        self._observe(target)
        self._labels.put(place.project.id, place.document_id, label)
        return label

    def remove(self, uri: str, name: str) -> None:
        """Raises NothingThere if there is no such label given by people."""
        place, target = self._target(uri)
        try:
            known = snake_name(name)
        except ValueError as error:
            raise InvalidRequest(f"label {name}: {error}", parameter="name") from None
        if not self._labels.remove(place.project.id, target, known):
            raise NothingThere(f"{target}: nobody gave it a label {known}")

    def _target(self, uri: str) -> tuple[ResourcePlace, str]:
        """The resource, and the URI that is labelled: of a resource its default observable."""
        place, canonical = located(self._catalogue, uri)
        if isinstance(canonical, ObservableUri):
            return place, str(canonical)
        return place, self._observe(str(canonical)).uri

    def _of_the_text(self, uri: str, place: ResourcePlace) -> Iterator[ResourceLabel]:
        seen = self._observe(uri).observation
        if isinstance(seen, ObsMedia):
            yield ResourceLabel(name=PLACEHOLDER, target=seen.uri, value=seen.placeholder)
            return
        description = getattr(seen, DESCRIPTION, None)
        if description:
            yield ResourceLabel(name=DESCRIPTION, target=seen.uri, value=description)
        if not isinstance(seen, ObsBody | ObsChunk):
            return
        for one in seen.contents:
            if isinstance(one, Listed) and one.description:
                yield ResourceLabel(name=DESCRIPTION, target=one.uri, value=one.description)
        if isinstance(seen, ObsChunk):
            return
        if seen.chunk and seen.chunk.description:
            chunk = seen.chunk
            yield ResourceLabel(name=DESCRIPTION, target=chunk.uri, value=chunk.description or "")
        for picture in seen.media:
            yield ResourceLabel(
                name=PLACEHOLDER, target=picture.uri, value=picture.description or ""
            )
        citation = place.document.citation if place.document else None
        if citation and citation.tags and place.span is None:
            yield ResourceLabel(name=TAGS, target=seen.uri, value=citation.tags)
