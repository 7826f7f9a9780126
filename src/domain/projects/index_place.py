"""Index place: where the passages of a project are indexed, and in which layout."""

from enum import StrEnum
from urllib.parse import urlsplit

from pydantic import field_validator

from citeloom.domain.value import Value


class IndexLayout(StrEnum):
    """How projects lie on an index server: each in a collection of its own, or all those of
    an embedding model in one."""

    PROJECT = "project"
    SHARED = "shared"


class IndexPlace(Value):
    """An index server, and how a project lies on it. ``url`` is ``http(s)://HOST[:PORT][/PATH]``,
    without a slash at its end."""

    url: str
    layout: IndexLayout = IndexLayout.PROJECT

    @field_validator("url")
    @classmethod
    def _shaped(cls, value: str) -> str:
        return server_url(value)


def server_url(text: str) -> str:
    """The URL of an index server in the form in which two of them are compared. Raises
    ValueError for what is none, and for one that holds a secret."""
    parts = urlsplit(text.strip())
    if parts.scheme.lower() not in ("http", "https") or not parts.hostname:
        raise ValueError("an index server is written http://HOST:PORT or https://HOST:PORT")
    if parts.username is not None or parts.query or parts.fragment:
        raise ValueError("the URL of an index server holds no user, no key and no query")
    return f"{parts.scheme.lower()}://{parts.netloc.lower()}{parts.path.rstrip('/')}"
