"""Index place: server and layout of a project's index; quantization of its vectors."""

from enum import StrEnum
from urllib.parse import urlsplit

from pydantic import field_validator

from citeloom.domain.value import Value


class IndexLayout(StrEnum):
    """Layout on an index server: one collection for each project, or one for all projects of an
    embedding model."""

    PROJECT = "project"
    SHARED = "shared"


class VectorQuantization(StrEnum):
    """What of the vectors an index server keeps in memory to choose from: the vectors themselves,
    or one byte a number (a quarter)."""

    NONE = "none"
    SCALAR = "scalar"


class IndexPlace(Value):
    """An index server and a project's layout on it. ``url`` is ``http(s)://HOST[:PORT][/PATH]``,
    without trailing slash."""

    url: str
    layout: IndexLayout = IndexLayout.PROJECT

    @field_validator("url")
    @classmethod
    def _shaped(cls, value: str) -> str:
        return server_url(value)


def server_url(text: str) -> str:
    """The normalised URL of an index server. Raises ValueError for other schemes, and for a URL
    with user, query or fragment."""
    parts = urlsplit(text.strip())
    if parts.scheme.lower() not in ("http", "https") or not parts.hostname:
        raise ValueError("an index server is written http://HOST:PORT or https://HOST:PORT")
    if parts.username is not None or parts.query or parts.fragment:
        raise ValueError("the URL of an index server holds no user, no key and no query")
    return f"{parts.scheme.lower()}://{parts.netloc.lower()}{parts.path.rstrip('/')}"
