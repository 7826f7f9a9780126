"""Resource attributes (name, times, revisions) and web URLs."""

import re
from datetime import datetime
from enum import StrEnum
from typing import Annotated
from urllib.parse import urlsplit

from pydantic import AfterValidator

from citeloom.domain.errors import InvalidUri
from citeloom.domain.value import Value

_PLAIN = re.compile(r"https?://[^\s\x00-\x20\x7f\"<>\\^`{|}]+", re.IGNORECASE)
_HOST = re.compile(r"(?:[^\W_](?:[\w-]*[^\W_])?\.)*[^\W_](?:[\w-]*[^\W_])?\.?|\[[0-9a-f:.]+\]")


def _web_url(text: str) -> str:
    if not _PLAIN.fullmatch(text):
        raise ValueError("a web address begins with https:// or http://, and holds no spaces")
    parts = urlsplit(text)
    host = parts.hostname or ""
    if not _HOST.fullmatch(f"[{host}]" if ":" in host else host):
        raise ValueError("the web address has no host")
    if parts.port is not None and not 0 < parts.port < 65536:
        raise ValueError("the web address has no such port")
    return text


WebUrl = Annotated[str, AfterValidator(_web_url)]
"""An http or https address with a host; ``http`` stays ``http``."""


def parse_web_url(text: str) -> str:
    """``text`` itself. Raises InvalidUri for what is no address of the web."""
    try:
        return _web_url(text)
    except ValueError as error:
        raise InvalidUri(text, str(error)) from None


class ResourceAttrs(Value):
    """``revision_data`` and ``revision_meta`` are tags that change with the content and with
    what is said about it; ``citation_url`` is for people."""

    name: str
    mime_type: str | None = None
    description: str | None = None
    citation_url: WebUrl | None = None
    created_at: datetime | None = None
    updated_at: datetime | None = None
    revision_data: str | None = None
    revision_meta: str | None = None


class Refresh(StrEnum):
    """What has to be read anew."""

    CONTENT = "content"
    METADATA = "metadata"


def stale(known: ResourceAttrs, now: ResourceAttrs) -> frozenset[Refresh]:
    """What of ``known`` is out of date where ``now`` is how things are.

    A changed tag tells which. Where there is no tag to compare, neither of the content nor
    of the rest, a changed time of update does, and then of both. What cannot be compared at
    all is taken to be out of date.
    """
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
    """``auto`` reads anew what is out of date, ``force`` everything, ``none`` nothing."""

    AUTO = "auto"
    FORCE = "force"
    NONE = "none"


def to_refresh(
    mode: LoadMode, known: ResourceAttrs | None, now: ResourceAttrs
) -> frozenset[Refresh]:
    """What is to be read anew: all of it where nothing is ``known``, unless nothing may be."""
    if mode is LoadMode.NONE:
        return frozenset()
    if mode is LoadMode.FORCE or known is None:
        return frozenset(Refresh)
    return stale(known, now)
