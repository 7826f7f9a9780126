"""Port of answers to requests with an idempotency key."""

from datetime import datetime
from typing import Protocol

from citeloom.domain.value import Value


class RequestKey(Value):
    """A key, its owner, and its request: ``target`` is the method and path."""

    owner: str = ""
    key: str
    target: str


class GivenAnswer(Value):
    """``digest`` is that of the request body."""

    digest: str
    status: int
    headers: tuple[tuple[str, str], ...]
    body: bytes


class KnownKey(Value):
    """A key that was sent before, with which ``target``. ``answer`` is None while it is not
    there; ``worker`` is the process that works on it, last heard at ``heard_at``."""

    target: str
    answer: GivenAnswer | None
    worker: str
    heard_at: datetime


class AnswerRecord(Protocol):
    """Answers that all processes of a catalogue give again. Each method is one transaction,
    durable when it returns; any may raise StorageFailed."""

    def begin(self, request: RequestKey, worker: str, at: datetime) -> KnownKey | None:
        """None if the key was not known; it is from now on, and its worker counts as alive. Of two
        concurrent calls one gets None. Old or excess answers are forgotten, but never those under
        way."""

    def keep(self, request: RequestKey, answer: GivenAnswer) -> None:
        """The answer to a request that was started."""

    def forget(self, request: RequestKey) -> None:
        """Frees the key, because nothing was done."""
