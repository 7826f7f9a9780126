"""Observations: the content of an observable.

``description`` is a sentence taken from the text; ``uri`` is the observable's, as text.
``text_uncertain``: the stored text of a page of it differs from another reading of that page;
None where that is not known.
"""

from typing import Annotated, Literal

from pydantic import Field

from citeloom.domain.value import Value


class Listed(Value):
    """A resource or observable that an observation lists."""

    uri: str
    description: str | None = None
    tokens: int | None = Field(default=None, ge=0)


class SectionTitle(Value):
    """A heading in a table of contents whose section was split into the following parts."""

    title: str
    level: int = Field(ge=1)


Entry = Listed | SectionTitle


class ObsBody(Value):
    """A document: its only part, or the table of contents of its parts in reading order; and
    its pictures."""

    kind: Literal["body"] = "body"
    uri: str
    document: str
    description: str | None = None
    chunk: "ObsChunk | None" = None
    contents: tuple[Entry, ...] = ()
    media: tuple[Listed, ...] = ()


class ObsChunk(Value):
    """A part of a document as Markdown; or, for a split section, its parts. A passage is verbatim,
    ``within`` a part of its document (or all of it)."""

    kind: Literal["chunk"] = "chunk"
    uri: str
    document: str
    description: str | None = None
    text: str = ""
    text_uncertain: bool | None = None
    within: str | None = None
    contents: tuple[Entry, ...] = ()


class ObsMedia(Value):
    """A picture; ``placeholder`` is its text alternative."""

    kind: Literal["media"] = "media"
    uri: str
    mime_type: str
    placeholder: str


class ObsCollection(Value):
    """The resources of a container, sorted by URI."""

    kind: Literal["collection"] = "collection"
    uri: str
    description: str | None = None
    resources: tuple[Listed, ...] = ()


class ObsFile(Value):
    """A file on disk."""

    kind: Literal["file"] = "file"
    uri: str
    path: str
    mime_type: str


class ObsPlain(Value):
    """Text as stored, with its ``mime_type``."""

    kind: Literal["plain"] = "plain"
    uri: str
    mime_type: str
    text: str
    text_uncertain: bool | None = None


Observation = Annotated[
    ObsBody | ObsChunk | ObsMedia | ObsCollection | ObsFile | ObsPlain,
    Field(discriminator="kind"),
]
