"""Metadata of resources: attributes, relations, labels.

The id of a relation is content-based: its kind and 32 hex digits of the sha256 of its canonical
JSON. It is indexed by both ends.
"""

import hashlib
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from enum import StrEnum
from typing import Annotated, Literal
from urllib.parse import urlsplit

from pydantic import AfterValidator, Field

from citeloom.domain.choices import RelationKind as RelationKind
from citeloom.domain.errors import InvalidUri
from citeloom.domain.value import Value

from .observations import (
    Entry,
    Listed,
    ObsBody,
    ObsChunk,
    ObsCollection,
    Observation,
    ObsMedia,
    fit_to_budget,
)
from .uris import ObservableUri, ResourceUri, parse_uri

_PLAIN = re.compile(r"https?://[^\s\x00-\x20\x7f\"<>\\^`{|}]+", re.IGNORECASE)
_HOST = re.compile(r"(?:[^\W_](?:[\w-]*[^\W_])?\.)*[^\W_](?:[\w-]*[^\W_])?\.?|\[[0-9a-f:.]+\]")
_SPACES = re.compile(r"[\s/_-]+")
_OTHER = re.compile(r"[^a-z0-9_]")
_NAME = re.compile(r"[a-z0-9]+(?:_[a-z0-9]+)*")
DESCRIPTION, PLACEHOLDER, TAGS = "description", "placeholder", "tags"
"""Automatic labels: sentences of the text, captions, the reference library's tags."""
MAX_VALUE = 10_000
"""Characters of a text."""
LabelText = Annotated[str, Field(max_length=MAX_VALUE)]
LabelTexts = Mapping[tuple[str, str], str]
"""Label texts by target URI and label name."""


def _web_url(text: str) -> str:
    if not _PLAIN.fullmatch(text):
        raise ValueError("a web address begins with https:// or http://, and holds no spaces")
    parts = urlsplit(text)
    host = parts.hostname or ""
    if not _HOST.fullmatch(f"[{host}]" if ":" in host else host):
        raise ValueError("the web address has no host")
    if parts.port is not None and not 0 < parts.port < 65536:
        raise ValueError("the port of the web address is not valid")
    return text


WebUrl = Annotated[str, AfterValidator(_web_url)]
"""An http or https address with a host; ``http`` stays ``http``."""


def parse_web_url(text: str) -> str:
    """``text`` itself. Raises InvalidUri if it is not a web address."""
    try:
        return _web_url(text)
    except ValueError as error:
        raise InvalidUri(text, str(error)) from None


class ResourceAttrs(Value):
    """``revision_data`` and ``revision_meta`` are tags that change with the content and with its
    metadata; ``citation_url`` is for people."""

    name: str
    mime_type: str | None = None
    description: str | None = None
    citation_url: WebUrl | None = None
    created_at: datetime | None = None
    updated_at: datetime | None = None
    revision_data: str | None = None
    revision_meta: str | None = None


class Refresh(StrEnum):
    """The parts to read again."""

    CONTENT = "content"
    METADATA = "metadata"


def stale(known: ResourceAttrs, now: ResourceAttrs) -> frozenset[Refresh]:
    """The parts of ``known`` that are out of date compared with ``now``. A changed tag shows it.
    Without tags of content and metadata, a changed time of update counts for both. Without anything
    to compare, all is out of date."""
    stale_parts = set()
    compared = False
    for refresh, before, after in (
        (Refresh.CONTENT, known.revision_data, now.revision_data),
        (Refresh.METADATA, known.revision_meta, now.revision_meta),
    ):
        if before is not None or after is not None:
            compared = True
            if before != after:
                stale_parts.add(refresh)
    if compared:
        return frozenset(stale_parts)
    if known.updated_at is not None and known.updated_at == now.updated_at:
        return frozenset()
    return frozenset(Refresh)


class LoadMode(StrEnum):
    """``auto`` reads stale parts again, ``force`` everything, ``none`` nothing."""

    AUTO = "auto"
    FORCE = "force"
    NONE = "none"


def to_refresh(
    mode: LoadMode, known: ResourceAttrs | None, now: ResourceAttrs
) -> frozenset[Refresh]:
    """The parts to read again: all of them if nothing is ``known``, unless reading is forbidden."""
    if mode is LoadMode.NONE:
        return frozenset()
    if mode is LoadMode.FORCE or known is None:
        return frozenset(Refresh)
    return stale(known, now)


def _knowledge(text: str) -> str:
    try:
        parse_uri(text)
    except InvalidUri as error:
        raise ValueError(error.message) from None
    return text


def _resource(text: str) -> str:
    _knowledge(text)
    if not isinstance(parse_uri(text), ResourceUri):
        raise ValueError(f"{text} is not a resource; leave out what begins with '$'")
    return text


def snake_name(text: str) -> str:
    """``Some Property`` as ``some_property``: lower case, blanks, slashes and hyphens as
    ``_``, all else dropped. Raises ValueError where nothing is left."""
    name = _OTHER.sub("", _SPACES.sub("_", text.strip().lower()))
    name = re.sub("_+", "_", name).strip("_")
    if not _NAME.fullmatch(name):
        raise ValueError(f"{text!r} has no letter a-z and no digit to make a name of")
    return name


AnyUri = Annotated[str, AfterValidator(_knowledge)]
OfResource = Annotated[str, AfterValidator(_resource)]


class _Relation(Value):
    @property
    def id(self) -> str:
        fields = self.model_dump(mode="json")
        canonical = json.dumps(fields, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
        return f"{fields['kind']}-{hashlib.sha256(canonical.encode()).hexdigest()[:32]}"


class RelationParent(_Relation):
    """``parent`` is a container of ``child``."""

    kind: Literal["parent"] = "parent"
    parent: OfResource
    child: OfResource

    @property
    def ends(self) -> tuple[str, str]:
        return self.parent, self.child


class RelationLink(_Relation):
    """The text of ``source`` mentions ``target``."""

    kind: Literal["link"] = "link"
    source: AnyUri
    target: AnyUri

    @property
    def ends(self) -> tuple[str, str]:
        return self.source, self.target


class RelationEmbed(_Relation):
    """``source`` shows ``target``."""

    kind: Literal["embed"] = "embed"
    source: AnyUri
    target: AnyUri

    @property
    def ends(self) -> tuple[str, str]:
        return self.source, self.target


class RelationMisc(_Relation):
    """``subkind`` is normalised to snake case, such as ``reviewed_by``."""

    kind: Literal["misc"] = "misc"
    subkind: Annotated[str, AfterValidator(snake_name)]
    source: OfResource
    target: OfResource

    @property
    def ends(self) -> tuple[str, str]:
        return self.source, self.target


Relation = Annotated[
    RelationParent | RelationLink | RelationEmbed | RelationMisc, Field(discriminator="kind")
]


def _observable(text: str) -> str:
    try:
        uri = parse_uri(text)
    except InvalidUri as error:
        raise ValueError(error.message) from None
    if not isinstance(uri, ObservableUri):
        raise ValueError(f"{text} is a resource; label what is seen of it, such as {text}/$body")
    return text


LabelName = Annotated[str, AfterValidator(snake_name), Field(max_length=100)]


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
