"""Pages of lists by cursors, and entity tags of answers."""

import base64
import binascii
import hashlib
from collections.abc import Callable, Iterable, Sequence
from typing import Annotated, Any, Final, TypeVar

from fastapi import Depends, Query, Request, Response
from starlette.datastructures import Headers
from starlette.types import Message, Receive, Scope, Send

from citeloom.domain.errors import InvalidRequest
from citeloom.infrastructure.serving.http import HttpMiddleware

T = TypeVar("T")

Limit = Annotated[int, Query(ge=1, le=500, description="Entries per page.")]
Cursor = Annotated[
    str | None, Query(max_length=500, description="`next` of the page before this one.")
]


class Paging:
    """The requested page of a list."""

    def __init__(self, limit: Limit = 100, cursor: Cursor = None) -> None:
        self._limit = limit
        self._cursor = cursor

    def of(
        self, entries: Sequence[T], identity: Callable[[T], str], about: str
    ) -> tuple[Sequence[T], dict[str, Any]]:
        """The entries after the cursor's one, their number (``total``), and the cursor of the next
        page (``next``). ``about`` is the list's request, to which a cursor is bound. If the
        cursor's entry is gone, the page begins at the same number. Raises InvalidRequest."""
        asked = hashlib.sha256(about.encode("utf-8", "surrogatepass")).hexdigest()[:8]
        start = _start(entries, identity, self._cursor, asked) if self._cursor else 0
        end = start + self._limit
        shown, following = entries[start:end], None
        if end < len(entries):
            text = f"{asked} {end} {identity(shown[-1])}"
            following = base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")
        return shown, {"total": len(entries), "next": following}


Paged = Annotated[Paging, Depends()]


def _start(entries: Sequence[T], identity: Callable[[T], str], cursor: str, asked: str) -> int:
    try:
        text = base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)).decode()
        of, number, last = text.split(" ", 2)
        start = int(number)
    except (ValueError, binascii.Error):
        raise InvalidRequest(
            "cursor: not known; leave it out to start from the first page", parameter="cursor"
        ) from None
    if of != asked or start < 0:
        raise InvalidRequest(
            "cursor: of another list; keep the other parameters, or leave it out to begin",
            parameter="cursor",
        )
    after = [n for n, one in enumerate(entries, start=1) if identity(one) == last]
    return after[0] if after else min(start, len(entries))


_JSON: Final = "application/json"


def etag_of(parts: Iterable[object]) -> str:
    """A strong tag of the content of an answer."""
    text = "\n".join(map(str, parts))
    return f'"{hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]}"'


def is_known(request: Request, etag: str) -> bool:
    """Whether the client has it (``If-None-Match``)."""
    given = request.headers.get("if-none-match", "")
    tags = (tag.strip().removeprefix("W/") for tag in given.split(","))
    return given.strip() == "*" or etag in tags


def not_modified(etag: str) -> Response:
    return Response(status_code=304, headers={"ETag": etag})


class EntityTags(HttpMiddleware):
    """An ASGI application before another: what it answers to GET with JSON is tagged by its bytes,
    and is not sent to a client that has it."""

    async def handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["method"] != "GET":
            await self.app(scope, receive, send)
            return
        held: list[Message] = []

        async def tagged(message: Message) -> None:
            if message["type"] == "http.response.start" and _is_plain_json(message):
                held.append(message)
            elif not held:
                await send(message)
            else:
                held.append(message)
                if not message.get("more_body", False):
                    await _answer(Request(scope), held)(scope, receive, send)

        await self.app(scope, receive, tagged)


def _is_plain_json(start: Message) -> bool:
    headers = Headers(raw=start["headers"])
    media_type = headers.get("content-type", "").partition(";")[0]
    return start["status"] == 200 and media_type == _JSON and "etag" not in headers


def _answer(request: Request, messages: list[Message]) -> Response:
    content = b"".join(one.get("body", b"") for one in messages[1:])
    etag = f'"{hashlib.sha256(content).hexdigest()[:32]}"'
    if is_known(request, etag):
        return not_modified(etag)
    response = Response(content)
    response.raw_headers = list(messages[0]["headers"])
    response.headers["ETag"] = etag
    response.headers["Cache-Control"] = "private, no-cache"
    return response
