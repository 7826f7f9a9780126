"""System clock and correlation ids."""

import time
from datetime import UTC, datetime
from uuid import uuid4


class SystemClock:
    def now(self) -> datetime:
        return datetime.now(UTC)

    def monotonic(self) -> float:
        return time.monotonic()

    def correlation_id(self) -> str:
        return uuid4().hex
