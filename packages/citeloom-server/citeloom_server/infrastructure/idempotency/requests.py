"""Requests with the header ``Idempotency-Key``: done once, answered each time.

After the Internet-Draft "The Idempotency-Key HTTP Header Field"
(draft-ietf-httpapi-idempotency-key-header-07), sections 2.1 and 2.7.
"""

import base64
import hashlib
import json
import logging
import re
import zlib
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from threading import Lock
from typing import TYPE_CHECKING, Final, NamedTuple, TypeVar

import anyio.to_thread
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from citeloom.application.ports.system import Clock
from citeloom.domain.errors import CiteLoomError, InvalidRequest, StorageFailed
from citeloom.domain.leases import is_silent
from citeloom.infrastructure.http.guards import HEADER, KEY, REPLAYED, keys_of
from citeloom.infrastructure.http.problems import problem_of, problem_response
from citeloom.infrastructure.serving.http import caller_of
from citeloom.infrastructure.storage.database.database import (
    Row,
    Transaction,
    insert_into,
    time_text,
)
from citeloom.infrastructure.storage.database.store import SqlStore
from citeloom.infrastructure.storage.jobs import changing, hear
from citeloom.infrastructure.system.locks import has_ended
from citeloom_server.application.answers import AnswerRecord, GivenAnswer, KnownKey, RequestKey

if TYPE_CHECKING:
    from citeloom.infrastructure.composition.workspace import Stores
    from citeloom.infrastructure.serving.jobs.queue import Recorder


# Keys whose answers could not be stored that are remembered.
_MOST_LOST: Final = 1000


class EarlierRequest(NamedTuple):
    """A key that was sent before, with which ``target``. ``answer`` is None while it is not there;
    ``is_lost``: it will never be, from a process that has ended or as it could not be stored."""

    target: str
    answer: GivenAnswer | None
    is_lost: bool


class KeptAnswers:
    """Safe for several threads; ``worker`` is this process. All methods raise StorageFailed."""

    def __init__(self, record: AnswerRecord, clock: Clock, worker: str) -> None:
        self._record = record
        self._clock = clock
        self._worker = worker
        self._lock = Lock()
        # Keys whose answers could not be stored: the record says nothing of that.
        self._lost: dict[tuple[str, str], None] = {}

    def begin(self, request: RequestKey) -> EarlierRequest | None:
        """None: the key was not known, and is from now on."""
        now = self._clock.now()
        known = self._record.begin(request, self._worker, now)
        name = (request.owner, request.key)
        if known is None:
            self._lost.pop(name, None)
            return None
        is_lost = known.answer is None and self._is_lost(name, known)
        return EarlierRequest(known.target, known.answer, is_lost)

    def keep(self, request: RequestKey, answer: GivenAnswer) -> None:
        """The answer to a request that was started. Where it cannot be stored, it is lost."""
        self._settle(request, lambda: self._record.keep(request, answer))

    def forget(self, request: RequestKey) -> None:
        """Nothing was done: the key is free again. Where that cannot be stored, its answer is
        lost."""
        self._settle(request, lambda: self._record.forget(request))

    def _is_lost(self, name: tuple[str, str], known: KnownKey) -> bool:
        if known.worker == self._worker:
            return name in self._lost
        return is_silent(known.heard_at, self._clock.now()) or has_ended(known.worker)

    def _settle(self, request: RequestKey, write: Callable[[], None]) -> None:
        try:
            write()
        except StorageFailed:
            with self._lock:
                self._lost[request.owner, request.key] = None
                while len(self._lost) > _MOST_LOST:
                    del self._lost[next(iter(self._lost))]
            raise


#: How long an answer is kept, and how many; the oldest are forgotten first.
KEPT_FOR: Final = timedelta(days=1)
MOST: Final = 1000
# Held while a key is taken: of equal ones that come at once, one is.
_BEGINNING: Final = "given_answers"
_NEVER: Final = datetime.min.replace(tzinfo=UTC)
_ROW_KEY: Final = "owner = :owner AND key = :key"


class SqlAnswerRecord(SqlStore):
    def begin(self, request: RequestKey, worker: str, at: datetime) -> KnownKey | None:
        with changing(self._database) as transaction:
            transaction.hold(_BEGINNING)
            _forget_old(transaction, at)
            hear(transaction, worker, at)
            rows = transaction.rows(
                "SELECT given_answers.*, workers.heard_at AS heard_at FROM given_answers "
                f"LEFT JOIN workers ON workers.id = given_answers.worker WHERE {_ROW_KEY}",
                _named(request),
            )
            if rows:
                return _known(rows[0])
            row = {
                **_named(request),
                "target": request.target,
                "worker": worker,
                "begun_at": time_text(at),
            }
            transaction.run(insert_into("given_answers", row), row)
        return None

    def keep(self, request: RequestKey, answer: GivenAnswer) -> None:
        body = base64.b64encode(zlib.compress(answer.body, 1)).decode()
        row = {
            **_named(request),
            "digest": answer.digest,
            "status": answer.status,
            "headers": json.dumps(answer.headers),
            "body": body,
        }
        with changing(self._database) as transaction:
            transaction.run(
                "UPDATE given_answers SET digest = :digest, status = :status, headers = :headers, "
                f"body = :body WHERE {_ROW_KEY}",
                row,
            )

    def forget(self, request: RequestKey) -> None:
        with changing(self._database) as transaction:
            transaction.run(f"DELETE FROM given_answers WHERE {_ROW_KEY}", _named(request))


def _named(request: RequestKey) -> dict[str, str]:
    return {"owner": request.owner, "key": request.key}


def _known(row: Row) -> KnownKey:
    answer = None
    if row["digest"] is not None:
        answer = GivenAnswer(
            digest=row["digest"],
            status=row["status"],
            headers=tuple((name, value) for name, value in json.loads(row["headers"])),
            body=zlib.decompress(base64.b64decode(row["body"])),
        )
    heard_at = datetime.fromisoformat(row["heard_at"]) if row["heard_at"] else _NEVER
    return KnownKey(target=row["target"], answer=answer, worker=row["worker"], heard_at=heard_at)


def _forget_old(transaction: Transaction, now: datetime) -> None:
    transaction.run(
        "DELETE FROM given_answers WHERE begun_at <= :before", {"before": time_text(now - KEPT_FOR)}
    )
    newest = "SELECT begun_at FROM given_answers WHERE digest IS NOT NULL ORDER BY begun_at DESC"
    transaction.run(
        f"DELETE FROM given_answers WHERE digest IS NOT NULL AND begun_at <= "
        f"({newest} LIMIT 1 OFFSET :most)",
        {"most": MOST - 1},
    )


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
