"""Who hears of calls of tools that were answered."""

from collections.abc import Callable
from typing import NamedTuple


class AnsweredCall(NamedTuple):
    """A call of ``tool``, which is empty where there is none of the name. ``outcome`` is ``done``,
    or the code of the error."""

    tool: str
    outcome: str
    seconds: float


class CallListeners:
    """Of one server; for the thread of its loop."""

    def __init__(self) -> None:
        self._listeners: list[Callable[[AnsweredCall], None]] = []

    def add(self, listener: Callable[[AnsweredCall], None]) -> None:
        self._listeners.append(listener)

    def tell(self, call: AnsweredCall) -> None:
        for listener in self._listeners:
            listener(call)
