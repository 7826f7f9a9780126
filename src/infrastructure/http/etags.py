"""Entity tags: an answer that the client has is not sent again (RFC 9110, section 8.8.3)."""

import hashlib
from collections.abc import Iterable
from typing import Final

from fastapi import Request, Response
from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

_JSON: Final = "application/json"


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


class EntityTags:
    """An ASGI application before another: what it answers to GET with JSON is tagged by its bytes,
    and is not sent to a client that has it."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["method"] != "GET":
            await self._app(scope, receive, send)
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

        await self._app(scope, receive, tagged)


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
