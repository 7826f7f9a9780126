"""Requests with the header ``Idempotency-Key``: done once, answered each time.

After the Internet-Draft "The Idempotency-Key HTTP Header Field"
(draft-ietf-httpapi-idempotency-key-header-07), sections 2.1 and 2.7.
"""

import hashlib
import logging
import re
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, TypeVar

import anyio.to_thread
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from citeloom.domain.errors import CiteLoomError, InvalidRequest, StorageFailed
from citeloom.infrastructure.http.guards import HEADER, KEY, REPLAYED, keys_of
from citeloom.infrastructure.http.problems import problem_of, problem_response
from citeloom.infrastructure.serving.http import caller_of
from citeloom_server.application.answers import GivenAnswer, RequestKey

from .kept_answers import EarlierRequest, KeptAnswers
from .sql_answers import SqlAnswerRecord

if TYPE_CHECKING:
    from citeloom.infrastructure.composition.workspace import Stores
    from citeloom.infrastructure.serving.jobs.queue import Recorder

_log: Final = logging.getLogger(__name__)
T = TypeVar("T")
_KEY: Final = re.compile(KEY)
# Gone wrong, and perhaps done: a second try might do it twice.
_UNSURE: Final = (500, 504)


@dataclass(frozen=True, eq=False)
class RepeatedRequests:
    """ASGI middleware: a repeated request gets its answer from ``answers``, at any process of the
    library. A refusal has done nothing and frees its key. Access was checked before; a key belongs
    to one principal, with what it could see then. ``working`` is entered while a request is worked
    on, so others see that this process lives."""

    app: ASGIApp
    answers: KeptAnswers
    working: Callable[[], AbstractContextManager[None]]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if not (given := keys_of(scope)):
            await self.app(scope, receive, send)
            return
        request = Request(scope, receive, send)
        try:
            asked = _keyed(scope, given)
            known = await _in_thread(lambda: self.answers.begin(asked))
            body = _Body(receive)
            if known is None:
                await self._first(asked, body, scope, send)
            elif (response := await _again(request, asked, known, body)) is not None:
                await response(scope, receive, send)
        except CiteLoomError as error:
            await problem_of(request, error)(scope, receive, send)

    async def _first(self, asked: RequestKey, body: "_Body", scope: Scope, send: Send) -> None:
        """The answer is sent even if it cannot be kept: it says what was done, and the log explains
        why a repeated request will not be answered."""
        messages: list[Message] = []

        async def collect(message: Message) -> None:
            messages.append(message)
            if message["type"] == "http.response.body" and not message.get("more_body", False):
                try:
                    await self._settle(asked, body, messages)
                except StorageFailed as error:
                    _log.warning("%s: %s", HEADER, error)
                for one in messages:
                    await send(one)
                messages.clear()

        with self.working():
            await self.app(scope, body.receive, collect)

    async def _settle(self, asked: RequestKey, body: "_Body", messages: list[Message]) -> None:
        status: int = messages[0]["status"]
        is_done = 200 <= status < 300 or status in _UNSURE
        digest = await body.digest() if is_done else None
        if digest is None:
            await _in_thread(lambda: self.answers.forget(asked))
            return
        headers = tuple(
            (name.decode("latin-1"), value.decode("latin-1"))
            for name, value in messages[0]["headers"]
        )
        content = b"".join(one.get("body", b"") for one in messages[1:])
        answer = GivenAnswer(digest=digest, status=status, headers=headers, body=content)
        await _in_thread(lambda: self.answers.keep(asked, answer))


def repeated_requests(app: ASGIApp, stores: "Stores", recorder: "Recorder") -> RepeatedRequests:
    """The answers kept in the catalogue."""
    record = stores.other("answers", SqlAnswerRecord)
    answers = KeptAnswers(record, recorder.clock, recorder.worker)
    return RepeatedRequests(app, answers, recorder.working)


class _Body:
    """The body of a request, its digest taken while it passes."""

    def __init__(self, receive: Receive) -> None:
        self._receive = receive
        self._hash = hashlib.sha256()
        self._has_ended = False
        self._is_cut_off = False

    async def receive(self) -> Message:
        message = await self._receive()
        if message["type"] == "http.request":
            self._hash.update(message.get("body", b""))
            self._has_ended = not message.get("more_body", False)
        elif not self._has_ended:
            self._is_cut_off = True
        return message

    async def digest(self) -> str | None:
        """The digest of the whole body, whose rest is read; None for an incomplete body."""
        while not self._has_ended and not self._is_cut_off:
            await self.receive()
        return None if self._is_cut_off else self._hash.hexdigest()


def _keyed(scope: Scope, given: list[str]) -> RequestKey:
    """Raises InvalidRequest."""
    if len(given) > 1 or not _KEY.fullmatch(given[0]):
        raise InvalidRequest(
            f"{HEADER}: one string of 1 to 255 visible characters, such as "
            '"9f1c7c1e-6f0f-4a4e-8f55-1d7f3c7b0a11"',
            parameter=HEADER,
        )
    path: str = scope["path"]
    target = f"{scope['method']} {path}?{scope['query_string'].decode('latin-1')}"
    owner, key = caller_of(scope), given[0].strip('"')
    if owner.name:
        key = f"{owner.stamp} {key}"
    return RequestKey(owner=owner.name, key=key, target=target)


async def _again(
    request: Request, asked: RequestKey, known: EarlierRequest, body: _Body
) -> Response | None:
    """None, because the client is gone."""
    if known.target != asked.target:
        return _other_request(request)
    if known.is_lost:
        detail = (
            f"{HEADER}: the server ended while it worked on this request, or could not keep its "
            "answer; look whether it was done, and if not, send it with a new key"
        )
        return problem_response(request, 409, "OUTCOME_UNKNOWN", detail)
    if known.answer is None:
        detail = f"{HEADER}: the first request with this key is under way; send it again later"
        told = {"Retry-After": "1"}
        return problem_response(request, 409, "REQUEST_UNDER_WAY", detail, headers=told)
    if (digest := await body.digest()) is None:
        return None
    if digest != known.answer.digest:
        return _other_request(request)
    response = Response(known.answer.body, known.answer.status)
    response.raw_headers = [
        (name.encode("latin-1"), value.encode("latin-1")) for name, value in known.answer.headers
    ]
    response.headers[REPLAYED] = "true"
    return response


def _other_request(request: Request) -> Response:
    detail = f"{HEADER}: was sent with another request; make a new key for each, and send it again"
    return problem_response(request, 422, "IDEMPOTENCY_KEY_REUSED", detail)


async def _in_thread(work: Callable[[], T]) -> T:
    return await anyio.to_thread.run_sync(work)
