"""Observations: the content of an observable, and its rendering as text.

``description`` is a sentence taken from the text; ``uri`` is the observable's, as text.
``text_uncertain``: the stored text of a page of it differs from another reading of that page;
None where that is not known. For a language model an observation is rendered in elements, which
the escaped text cannot close; for people as it is.
"""

import re
from collections.abc import Iterable, Sequence
from typing import Annotated, Literal

from pydantic import Field

from citeloom.domain.text.sentences import cut_at_sentence
from citeloom.domain.text.words import count_tokens
from citeloom.domain.value import Value

_SHORTER = (80, 40, 20)
"""Successive limits of descriptions, in characters."""
_ELEMENT = 12
"""Tokens of an entry's markup."""
_DOCUMENT, _CHUNK = "document", "document-chunk"
# Characters that XML 1.0 cannot represent (section 2.2 of the recommendation).
_NO_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_FENCE = re.compile(r"`{3,}")


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


def fit_to_budget(entries: Sequence[Entry], max_tokens: int) -> tuple[Entry, ...]:
    """``entries`` with descriptions shortened, or finally dropped, to fit ``max_tokens``. No entry
    is left out."""
    shown = tuple(entries)
    for longest in (*_SHORTER, 0):
        if _tokens(shown) <= max_tokens:
            return shown
        shown = tuple(_shortened(one, longest) for one in entries)
    return shown


def _shortened(one: Entry, longest: int) -> Entry:
    if not isinstance(one, Listed) or one.description is None:
        return one
    description = cut_at_sentence(one.description, longest) if longest else None
    return one.model_copy(update={"description": description})


def _tokens(entries: Sequence[Entry]) -> int:
    return sum(
        _ELEMENT + count_tokens(f"{one.uri} {one.description or ''}")
        if isinstance(one, Listed)
        else count_tokens(one.title)
        for one in entries
    )


def render_info(seen: Observation) -> str:
    """One empty element with URI and description, without content."""
    if isinstance(seen, ObsBody):
        return _empty(_DOCUMENT, uri=seen.document, description=seen.description)
    if isinstance(seen, ObsChunk):
        return _empty(_CHUNK, uri=seen.uri, description=seen.description)
    if isinstance(seen, ObsCollection):
        return _empty("collection", uri=seen.uri, description=seen.description)
    if isinstance(seen, ObsMedia):
        return _empty("blob", uri=seen.uri, mimetype=seen.mime_type, description=seen.placeholder)
    tag = "file" if isinstance(seen, ObsFile) else "plain"
    return _empty(tag, uri=seen.uri, mimetype=seen.mime_type)


def render_body(seen: Observation) -> str:
    """The full content; long documents as a table of contents."""
    if isinstance(seen, ObsBody):
        inner = [_chunk(seen.chunk)] if seen.chunk else list(_entries(seen.contents))
        blobs = [_empty("blob", uri=one.uri, description=one.description) for one in seen.media]
        return _element(_DOCUMENT, [*inner, *blobs], uri=seen.document)
    if isinstance(seen, ObsChunk):
        return _element(_DOCUMENT, [_chunk(seen)], uri=seen.document)
    if isinstance(seen, ObsCollection):
        inner = [
            _empty("resource", uri=one.uri, description=one.description) for one in seen.resources
        ]
        return _element("collection", inner, uri=seen.uri)
    if isinstance(seen, ObsMedia):
        start = _start("blob", uri=seen.uri, mimetype=seen.mime_type)
        return f"{start}{_text(seen.placeholder)}</blob>"
    if isinstance(seen, ObsFile):
        return _empty("file", uri=seen.uri, mimetype=seen.mime_type, path=seen.path)
    return _plain(seen)


def plain_text(seen: Observation) -> str | None:
    """The same for people, without elements and escapes; None for a whole document."""
    if isinstance(seen, ObsPlain):
        return seen.text
    if isinstance(seen, ObsChunk):
        return "\n\n".join(_plain_entries(seen.contents)) if seen.contents else seen.text
    if isinstance(seen, ObsCollection):
        return "\n".join(f"- {one.description}  {one.uri}" for one in seen.resources)
    if isinstance(seen, ObsMedia):
        return seen.placeholder
    if isinstance(seen, ObsFile):
        return seen.path
    is_passage = seen.chunk is not None and seen.chunk.within is not None
    return seen.chunk.text if seen.chunk and is_passage else None


def _plain_entries(contents: Iterable[Entry]) -> Iterable[str]:
    for one in contents:
        if isinstance(one, Listed):
            yield f"- {one.description or ''}  {one.uri}"
        else:
            yield f"{'#' * min(one.level, 6)} {one.title}"


def _plain(seen: ObsPlain) -> str:
    """Fenced, with a fence longer than any in the text."""
    fence = max(("```", *(f"{run}`" for run in _FENCE.findall(seen.text))), key=len)
    language = seen.mime_type.partition("/")[2].partition(";")[0].removeprefix("x-")
    body = f"{fence}{language}\n{_text(seen.text)}\n{fence}"
    uncertain = _uncertain(seen.text_uncertain)
    return _element("plain", [body], uri=seen.uri, mimetype=seen.mime_type, text=uncertain)


def _chunk(seen: ObsChunk) -> str:
    inner = list(_entries(seen.contents)) if seen.contents else [_text(seen.text)]
    uncertain = _uncertain(seen.text_uncertain)
    return _element(_CHUNK, inner, uri=seen.uri, within=seen.within, text=uncertain)


def _uncertain(text_uncertain: bool | None) -> str | None:
    return "uncertain" if text_uncertain else None


def _entries(contents: Iterable[Entry]) -> Iterable[str]:
    for one in contents:
        if isinstance(one, Listed):
            yield _empty(_CHUNK, uri=one.uri, description=one.description)
        else:
            yield _text(f"{'#' * min(one.level, 6)} {one.title}")


def _element(tag: str, inner: Iterable[str], **attributes: str | None) -> str:
    return "\n".join([_start(tag, **attributes), *inner, f"</{tag}>"])


def _start(tag: str, **attributes: str | None) -> str:
    return f"<{tag}{_attributes(attributes)}>"


def _empty(tag: str, **attributes: str | None) -> str:
    return f"<{tag}{_attributes(attributes)} />"


def _attributes(attributes: dict[str, str | None]) -> str:
    return "".join(
        f' {name}="{_in_attribute(value)}"' for name, value in attributes.items() if value
    )


def _in_attribute(text: str) -> str:
    return _escaped(" ".join(_NO_XML.sub("", text).split())).replace('"', "&quot;")


def _text(text: str) -> str:
    return _escaped(_NO_XML.sub("\ufffd", text))


def _escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
