"""A thread that does something again and again."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Event, Thread


class ThreadPulse:
    @contextmanager
    def every(self, seconds: float, do: Callable[[], None]) -> Iterator[None]:
        over = Event()

        def run() -> None:
            while not over.wait(seconds):
                do()

        thread = Thread(target=run, name="pulse", daemon=True)
        thread.start()
        try:
            yield
        finally:
            over.set()
            thread.join()
