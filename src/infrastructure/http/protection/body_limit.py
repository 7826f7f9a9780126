"""Limit of the bytes of a request's body."""

import re
from typing import Final

from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from citeloom.infrastructure.http.problems import problem_response

_CODE: Final = "TOO_LARGE"


class BodyLimit:
    """An ASGI application before another: a body of more than ``most`` bytes is refused, whether
    its length is told or not. Those to paths that ``streamed`` fits are not read here: who answers
    them has a limit of its own."""

    def __init__(self, app: ASGIApp, most: int, streamed: re.Pattern[str]) -> None:
        self._app = app
        self._most = most
        self._streamed = streamed

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or self._streamed.fullmatch(scope["path"]):
            await self._app(scope, receive, send)
            return
        told = Headers(scope=scope).get("content-length", "")
        # Servers refuse what is no number.
        if told.isascii() and told.isdecimal() and int(told) > self._most:
            await self._refuse(scope, receive, send)
            return
        read, begun = 0, False

        async def limited() -> Message:
            nonlocal read
            message = await receive()
            read += len(message.get("body", b""))
            # The rest is not read: whoever reads the body sees it end here.
            return {"type": "http.disconnect"} if read > self._most else message

        async def sending(message: Message) -> None:
            nonlocal begun
            if read <= self._most:
                await send(message)
            elif not begun:
                begun = True
                await self._refuse(scope, receive, send)

        await self._app(scope, limited, sending)
        if read > self._most and not begun:
            await self._refuse(scope, receive, send)

    async def _refuse(self, scope: Scope, receive: Receive, send: Send) -> None:
        detail = f"the body has more than {self._most:,} bytes; send less at once"
        response = problem_response(Request(scope), 413, _CODE, detail)
        await response(scope, receive, send)
