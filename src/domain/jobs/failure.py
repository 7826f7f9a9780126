"""Failures of jobs, as a record keeps them, and the errors that they were."""

from collections.abc import Iterator, Mapping
from dataclasses import asdict
from typing import Any, Final, Self

from pydantic import Field

from citeloom.domain.errors import CiteLoomError, Unavailable
from citeloom.domain.messages import NextStep, UserMessage
from citeloom.domain.value import Value

_UNREAD: Final = "the job failed; the server's log has the details"
_AGAIN: Final = {
    "ingest": "ingest the same again: it goes on",
    "verify": "verify the same draft again: it goes on",
    "review": "resume the session: it goes on",
}


class WorkerDied(Unavailable):
    """The process that worked on a job of this ``kind`` ended without a word."""

    code = "WORKER_DIED"

    def __init__(self, kind: str) -> None:
        again = _AGAIN.get(kind, "begin it again")
        super().__init__(
            f"the process that worked on it ended; what it had finished is kept. To go on, {again}"
        )


class JobFailure(Value):
    """What ended a job: the class of the error, its code, its sentence and its details."""

    error: str
    code: str
    text: str
    next_step: dict[str, Any] | None = None
    details: dict[str, Any] = Field(default_factory=dict)

    @classmethod
    def of(cls, error: Exception) -> Self:
        """What is not an error of the hierarchy is told as one that the log has."""
        if not isinstance(error, CiteLoomError):
            return cls(error=CiteLoomError.__name__, code=CiteLoomError.code, text=_UNREAD)
        step = error.next_step
        return cls(
            error=type(error).__name__,
            code=error.code,
            text=str(error.message),
            next_step=None if step is None else asdict(step),
            details=_plain(error.details),
        )

    def as_error(self) -> CiteLoomError:
        """The error again, of the same class where this process knows it."""
        kind = next((one for one in _kinds(CiteLoomError) if one.__name__ == self.error), None)
        if kind is None:
            kind = type(self.error, (CiteLoomError,), {"code": self.code})
        error = kind.__new__(kind, self.text)
        error.message = UserMessage(self.text, NextStep.of(self.next_step))
        error.details = dict(self.details)
        error.args = (self.text,)
        return error


def _kinds(kind: type[CiteLoomError]) -> Iterator[type[CiteLoomError]]:
    yield kind
    for one in kind.__subclasses__():
        yield from _kinds(one)


def _plain(details: Mapping[str, Any]) -> dict[str, Any]:
    """What JSON can say."""
    return {name: _value(value) for name, value in details.items()}


def _value(value: object) -> object:
    if isinstance(value, str | int | float | bool | None):
        return value
    if isinstance(value, Mapping):
        return {str(name): _value(part) for name, part in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [_value(part) for part in value]
    return str(value)
