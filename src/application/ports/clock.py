"""Port: time and names that nobody else has."""

from datetime import datetime
from typing import Protocol


class Clock(Protocol):
    def now(self) -> datetime:
        """The time, in UTC."""

    def monotonic(self) -> float:
        """Seconds from some fixed moment."""

    def correlation_id(self) -> str:
        """A name for one run, never given twice."""
