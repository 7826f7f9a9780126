"""System clock, periodic calls, and the end of a process that has threads."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from uuid import uuid4


class SystemClock:
    def now(self) -> datetime:
        return datetime.now(UTC)

    def monotonic(self) -> float:
        return time.monotonic()

    def correlation_id(self) -> str:
        return uuid4().hex


@contextmanager
def thread_heartbeat(seconds: float, do: Callable[[], None]) -> Iterator[None]:
    """See the port ``Heartbeat``; by a thread."""
    stopped = threading.Event()

    def run() -> None:
        while not stopped.wait(seconds):
            do()

    thread = threading.Thread(target=run, name="pulse", daemon=True)
    thread.start()
    try:
        yield
    finally:
        stopped.set()
        thread.join()


def threads_end(deadline: float) -> bool:
    """Whether the threads that the interpreter would wait for end before ``deadline``, a time of
    ``time.monotonic``, in seconds."""
    for thread in threading.enumerate():
        if thread is not threading.main_thread() and not thread.daemon:
            thread.join(max(0.0, deadline - time.monotonic()))
            if thread.is_alive():
                return False
    return True
