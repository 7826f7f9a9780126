"""Bodies that are too long: refused before anything is done."""

import asyncio
import re

import pytest
from starlette.responses import PlainTextResponse
from starlette.types import Message, Receive, Scope, Send

from citeloom.infrastructure.http.guards import BodyLimit

LIMIT = 100


def answered(path: str, told: str, chunks: list[bytes], *, reads: bool) -> tuple[int, bool]:
    """The status, and whether the application did what was asked."""
    done = False
    left = [*chunks]
    statuses: list[int] = []

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        nonlocal done
        message: Message = {"type": "http.request", "more_body": reads}
        while message["type"] == "http.request" and message.get("more_body"):
            message = await receive()
        if message["type"] == "http.request":
            done = True
            await PlainTextResponse("removed")(scope, receive, send)

    async def receive() -> Message:
        body = left.pop(0)
        return {"type": "http.request", "body": body, "more_body": bool(left)}

    async def send(message: Message) -> None:
        if message["type"] == "http.response.start":
            statuses.append(message["status"])

    headers = [(b"content-length", told.encode())] if told else []
    scope: Scope = {"type": "http", "method": "DELETE", "path": path, "headers": headers}
    asyncio.run(BodyLimit(app, LIMIT, re.compile("/uploads/.+"))(scope, receive, send))
    (status,) = statuses
    return status, done


@pytest.mark.parametrize("reads", [False, True])
def test_nothing_is_done_for_a_body_that_says_that_it_is_too_long(reads: bool) -> None:
    assert answered("/projects/a", "101", [b"x"], reads=reads) == (413, False)


def test_a_body_that_grows_too_long_ends_where_it_is_read() -> None:
    assert answered("/projects/a", "", [b"x" * 60, b"x" * 60], reads=True) == (413, False)


@pytest.mark.parametrize("told", ["", "100"])
def test_a_body_of_the_greatest_length_is_taken(told: str) -> None:
    assert answered("/projects/a", told, [b"x" * 60, b"x" * 40], reads=True) == (200, True)


def test_an_upload_has_a_limit_of_its_own() -> None:
    assert answered("/uploads/a.pdf", "1000", [b"x" * 1000], reads=True) == (200, True)
