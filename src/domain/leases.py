"""Leases: research sessions, jobs and requests with a key belong to the process that works on them,
which reports at intervals. After a silence others may end or take them."""

from datetime import datetime, timedelta
from typing import Final

#: Interval at which a process that works reports that it lives, and how long it may be silent.
HEARTBEAT: Final = timedelta(seconds=2)
DEAD_AFTER: Final = timedelta(seconds=20)


def is_silent(heard_at: datetime, now: datetime) -> bool:
    """Whether a process last heard at ``heard_at`` counts as dead."""
    return now - heard_at > DEAD_AFTER
