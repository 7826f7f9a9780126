"""Answers that wait for a job, and models loaded before the first question."""

import asyncio
import logging
import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Final

import anyio
import anyio.to_thread

from citeloom.application.ports.models import Embedder
from citeloom.domain.errors import CiteLoomError, ModelUnavailable
from citeloom.infrastructure.serving.lanes import Report

from .job import Advance, AnyView

# Seconds between two looks at how far a job is that somebody waits for.
_PULSE: Final = 0.5


@dataclass(frozen=True, slots=True)
class Pending:
    """``answer`` is due when the ``job`` has ended, or after so many ``seconds``."""

    job: AnyView
    seconds: float
    answer: Callable[[], Mapping[str, Any]]

    async def due(self, report: Report) -> None:
        """Returns when the answer is due; ``report`` hears each time that more is done."""
        loop, ended = asyncio.get_running_loop(), anyio.Event()

        def tell() -> None:
            with suppress(RuntimeError):  # the server has ended
                loop.call_soon_threadsafe(ended.set)

        told, deadline = 0.0, anyio.current_time() + self.seconds
        self.job.join(tell)
        try:
            while (left := deadline - anyio.current_time()) > 0:
                with anyio.move_on_after(min(_PULSE, left)):
                    await ended.wait()
                    return
                if self.job.is_elsewhere:
                    await anyio.to_thread.run_sync(self.job.refresh)
                progress = self.job.progress()
                if progress.status.is_end:
                    return
                if progress.done > told:
                    told = progress.done
                    await report(Advance(told, progress.total, progress.doing))
        finally:
            self.job.leave(tell)


_log: Final = logging.getLogger(__name__)


class WarmModels:
    """Loads each model once, however many calls request it at the same time."""

    def __init__(self, embedder: Callable[[str], Embedder]) -> None:
        self._embedder = embedder
        self._guard = threading.Lock()
        self._locks: dict[str, threading.Lock] = {}
        self._ready: set[str] = set()
        self._warming: threading.Thread | None = None
        self._load_seconds: list[float] = []

    def ready(self, name: str) -> None:
        """Returns when the model can embed. Raises ModelUnavailable."""
        with self._guard:
            lock = self._locks.setdefault(name, threading.Lock())
        with lock:
            if name not in self._ready:
                began = time.monotonic()
                embedder = self._embedder(name)
                embedder.tokens.count("warm")
                embedder.embed_query("warm")
                self._ready.add(name)
                self._load_seconds.append(time.monotonic() - began)

    @property
    def is_warming(self) -> bool:
        """Whether models are still being loaded in the background."""
        return self._warming is not None and self._warming.is_alive()

    @property
    def load_seconds(self) -> Sequence[float]:
        """The seconds that each loaded model took."""
        return tuple(self._load_seconds)

    def warm_up(self, names: Callable[[], Iterable[str]]) -> None:
        """Load these in the background; a model that fails reports it when it is used."""
        self._warming = threading.Thread(
            target=self._load, args=(names,), name="warm-up", daemon=True
        )
        self._warming.start()

    def settled(self, seconds: float) -> bool:
        """Whether nothing is loaded in the background, within ``seconds`` at the latest. The
        interpreter must not end while a library makes its own threads."""
        if self._warming is not None:
            self._warming.join(seconds)
        return self._warming is None or not self._warming.is_alive()

    def _load(self, names: Callable[[], Iterable[str]]) -> None:
        try:
            for name in names():
                with suppress(ModelUnavailable):
                    self.ready(name)
        except CiteLoomError as error:
            _log.warning("warm-up: %s", error)
        except Exception:
            _log.exception("warm-up")
