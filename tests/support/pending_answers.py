"""Jobs and answers that wait for them, as a call has them, without a loop."""

import threading
from typing import Any

from citeloom.infrastructure.serving.jobs.job import AnyView
from citeloom.infrastructure.serving.jobs.pending import Pending


def ends(job: AnyView, seconds: float) -> bool:
    """Whether the job ends within so many seconds."""
    ended = threading.Event()
    job.join(ended.set)
    try:
        return ended.wait(seconds)
    finally:
        job.leave(ended.set)


def answered(found: dict[str, Any] | Pending) -> dict[str, Any]:
    """What a handler returned, after the time that it waits for its job."""
    if not isinstance(found, Pending):
        return found
    ends(found.job, found.seconds)
    return found.answer()
