"""Periodic calls from a background thread (port ``Heartbeat``)."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Event, Thread


class ThreadHeartbeat:
    @contextmanager
    def every(self, seconds: float, do: Callable[[], None]) -> Iterator[None]:
        stopped = Event()

        def run() -> None:
            while not stopped.wait(seconds):
                do()

        thread = Thread(target=run, name="pulse", daemon=True)
        thread.start()
        try:
            yield
        finally:
            stopped.set()
            thread.join()
