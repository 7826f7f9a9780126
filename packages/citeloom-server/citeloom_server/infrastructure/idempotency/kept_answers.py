"""Answers to requests with an idempotency key, as this process and all others of the library gave
them."""

from collections.abc import Callable
from threading import Lock
from typing import Final, NamedTuple

from citeloom.application.ports.system import Clock
from citeloom.domain.errors import StorageFailed
from citeloom.domain.leases import is_silent
from citeloom.infrastructure.system.locks import has_ended
from citeloom_server.application.answers import AnswerRecord, GivenAnswer, KnownKey, RequestKey

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
