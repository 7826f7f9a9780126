"""Port: something that is done again and again beside everything else."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Protocol


class Pulse(Protocol):
    def every(self, seconds: float, do: Callable[[], None]) -> AbstractContextManager[None]:
        """While the block runs, ``do`` is called every ``seconds`` (the first time after as
        many), beside it and never twice at a time; when the block is left, it is not called any
        more. ``do`` raises nothing."""
