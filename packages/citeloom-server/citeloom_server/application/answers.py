"""Port of answers to requests with an idempotency key."""

from datetime import datetime
from typing import Protocol

from citeloom.domain.value import Value


class RequestKey(Value):
    """A key, of whom, and the request that it was sent with: ``target`` is its method and path."""

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
        """None: the key was not known, and is from now on; its worker lives at this time. Of two
        concurrent calls one gets None. Answers that are too old, or too many, are forgotten, and
        what is under way never for being too many."""

    def keep(self, request: RequestKey, answer: GivenAnswer) -> None:
        """The answer to a request that was started."""

    def forget(self, request: RequestKey) -> None:
        """Frees the key, because nothing was done."""

    def close(self) -> None:
        """Close connections; the next call opens them again."""
