"""Relations between resources and observables.

The id of a relation is content-based: its kind and 32 hex digits of the sha256 of its canonical
JSON. It is indexed by both ends.
"""

import hashlib
import json
import re
from enum import StrEnum
from typing import Annotated, Literal

from pydantic import AfterValidator, Field

from citeloom.domain.errors import InvalidUri
from citeloom.domain.resources.uris import ResourceUri, parse_uri
from citeloom.domain.value import Value

_SPACES = re.compile(r"[\s/_-]+")
_OTHER = re.compile(r"[^a-z0-9_]")
_NAME = re.compile(r"[a-z0-9]+(?:_[a-z0-9]+)*")


def _knowledge(text: str) -> str:
    try:
        parse_uri(text)
    except InvalidUri as error:
        raise ValueError(error.message) from None
    return text


def _resource(text: str) -> str:
    _knowledge(text)
    if not isinstance(parse_uri(text), ResourceUri):
        raise ValueError(f"{text} is no resource; leave out what begins with '$'")
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


class RelationKind(StrEnum):
    """``parent`` contains a child, ``link`` mentions its target, ``embed`` shows it; ``misc`` is
    given by ``subkind``."""

    PARENT = "parent"
    LINK = "link"
    EMBED = "embed"
    MISC = "misc"


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
