"""Entity tags: an answer that the client has is not sent again (RFC 9110, section 8.8.3)."""

import hashlib
from collections.abc import Iterable

from fastapi import Request, Response


def etag_of(parts: Iterable[object]) -> str:
    """A strong tag of what an answer is made of."""
    text = "\n".join(map(str, parts))
    return f'"{hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]}"'


def is_known(request: Request, etag: str) -> bool:
    """Whether the client has it (``If-None-Match``)."""
    given = request.headers.get("if-none-match", "")
    tags = (tag.strip().removeprefix("W/") for tag in given.split(","))
    return given.strip() == "*" or etag in tags


def not_modified(etag: str) -> Response:
    return Response(status_code=304, headers={"ETag": etag})
