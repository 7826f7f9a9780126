"""Tasks of a cluster: functions that run on its workers, which need only CiteLoom.

A repeated task is harmless: results go by content to the same file, or to the caller.
"""

import gzip
import os
import sys
import tempfile
import time
from array import array
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from threading import Lock, Timer
from typing import Any

from citeloom.application.index.passage_writer import embedded_texts
from citeloom.application.ports.ingest import ConversionJob, ConversionOutcome, Heard
from citeloom.application.ports.models import Embedder
from citeloom.domain.documents.conversion import ConversionResult
from citeloom.domain.errors import CiteLoomError, ModelUnavailable, SourceChanged
from citeloom.domain.progress import Cancelled, cancellable, checkpoint
from citeloom.domain.projects.project import EmbeddingModel
from citeloom.infrastructure.ingest.chunking.structural import StructuralChunker
from citeloom.infrastructure.ingest.conversion.pool import ProcessConverter, WorkerRun
from citeloom.infrastructure.ingest.conversion.protocol import Limits, Options, error_to_header

from .requests import (
    TOPIC,
    ConversionAnswer,
    EmbedderSettings,
    RemoteConversion,
    RemoteEmbedding,
    SharedBundles,
    identity_of_this_process,
)

#: Seconds after which a process without documents ends.
IDLE_SECONDS = 60.0

#: Function, options and limits: documents with the same may have the same process.
_Key = tuple[str, str, str]


class _LaterJobs(Iterator[ConversionJob]):
    """Jobs to which later requests may add work."""

    def __init__(self) -> None:
        self.waiting: list[ConversionJob] = []

    def __next__(self) -> ConversionJob:
        if not self.waiting:
            raise StopIteration
        return self.waiting.pop()


class WarmConverter:
    """One conversion process, which converts one document after another."""

    def __init__(self, settings: ProcessConverter) -> None:
        self._jobs = _LaterJobs()
        self._run = WorkerRun(settings, self._jobs, None)
        self.idle_since = 0.0

    def convert(self, job: ConversionJob, on_pages: Heard) -> ConversionOutcome:
        """The outcome of a job. Raises Unavailable if the process cannot be started, and what
        stops the work at a checkpoint; then it is to be closed."""
        self._run.heard = on_pages
        self._jobs.waiting.append(job)
        return next(self._run.outcomes())

    def close(self) -> None:
        """End the process at once, also in the middle of a document."""
        self._run.close()


class WarmConverters:
    """The converters of one worker, as many as it has tasks at a time. Thread-safe."""

    def __init__(self) -> None:
        self._idle: dict[_Key, list[WarmConverter]] = {}
        self._guard = Lock()
        self._timer: Timer | None = None

    @contextmanager
    def borrowed(self, function: str, options: Options, limits: Limits) -> Iterator[WarmConverter]:
        """An idle converter with these settings, or a new one; after an error it is closed."""
        key = (function, options.model_dump_json(), limits.model_dump_json())
        with self._guard:
            waiting = self._idle.get(key)
            converter = waiting.pop() if waiting else None
        if converter is None:
            settings = ProcessConverter(limits=limits, options=options, function=function)
            converter = WarmConverter(settings)
        try:
            yield converter
        except BaseException:
            converter.close()
            raise
        converter.idle_since = time.monotonic()
        with self._guard:
            self._idle.setdefault(key, []).append(converter)
            self._arm()

    def _arm(self) -> None:
        if self._timer is None:
            self._timer = Timer(IDLE_SECONDS, self._close_old)
            self._timer.daemon = True
            self._timer.start()

    def close(self) -> None:
        """End the processes that are idle now."""
        self._close_idle(float("inf"))

    def _close_old(self) -> None:
        self._close_idle(time.monotonic() - IDLE_SECONDS)

    def _close_idle(self, since: float) -> None:
        with self._guard:
            old = [one for idle in self._idle.values() for one in idle if one.idle_since < since]
            self._idle = {
                key: rest
                for key, idle in self._idle.items()
                if (rest := [one for one in idle if one not in old])
            }
            if self._timer is not None:
                self._timer.cancel()
                self._timer = None
            if self._idle:
                self._arm()
        for converter in old:
            converter.close()


# Seconds between two events about pages: each goes through the scheduler.
_REPORT_EVERY = 1.0
# Results are short-lived: the fastest level.
_LEVEL = 1

#: Of this worker.
converters = WarmConverters()
_loading = Lock()


def convert(task: RemoteConversion) -> ConversionAnswer:
    """Convert a document in a process of its own, and cut it into the texts to embed."""
    settings = task.settings
    own = identity_of_this_process(settings.function, settings.options)
    if difference := settings.identity.difference(own):
        return ConversionAnswer(refused=difference)
    worker = _Worker(task.key)
    with worker.at_work(), _source_of(task) as source:
        if source is None:
            return ConversionAnswer(absent=True)
        try:
            outcome = _converted(task, source, worker)
            if task.content is None and isinstance(outcome.error, SourceChanged):
                return ConversionAnswer(absent=True)
            if outcome.result is None:
                assert outcome.error is not None, "an outcome has a result or an error"
                return ConversionAnswer(
                    error=error_to_header(outcome.error), seconds=outcome.seconds
                )
            return _answer(task, outcome, outcome.result)
        except Cancelled:
            raise
        except CiteLoomError as error:
            return ConversionAnswer(error=error_to_header(error))


def embed(task: RemoteEmbedding) -> bytes:
    """The vectors of texts, one after another, as little-endian 32-bit floats. Raises
    ModelUnavailable where the model is not on the worker, or is another of its name."""
    worker = _Worker(task.key)
    vectors = array("f")
    with worker.at_work(), cancellable(worker.check):
        embedder = _embedder(task.model, task.settings.embedder)
        for vector in embedder.embed(task.texts):
            checkpoint()
            vectors.extend(vector)
    if sys.byteorder == "big":
        vectors.byteswap()
    return vectors.tobytes()


class _Worker:
    """The Dask worker that runs the task ``key``."""

    def __init__(self, key: str) -> None:
        import distributed

        self._worker = distributed.get_worker()
        self._key = key
        self._told = 0.0

    @contextmanager
    def at_work(self) -> Iterator[None]:
        """Report to the client, before and after, which task a death would be blamed on."""
        self._tell_and_wait({"key": self._key, "began": str(self._worker.address)})
        yield
        self._tell_and_wait({"key": self._key, "ended": True})

    def _tell_and_wait(self, message: dict[str, Any]) -> None:
        """Once this returns the scheduler has the message, however soon the worker dies."""
        import distributed

        log_event = self._worker.scheduler.log_event
        distributed.utils.sync(self._worker.loop, log_event, topic=TOPIC, msg=message)

    def heard(self, _job: ConversionJob, done: int, total: int) -> None:
        now = time.monotonic()
        if now - self._told >= _REPORT_EVERY:
            self._told = now
            self._worker.log_event(TOPIC, {"key": self._key, "pages": [done, total]})

    def check(self) -> None:
        """Raises Cancelled once nobody waits for the task, because Dask would let it run."""
        state = self._worker.state.tasks.get(self._key)
        if state is None or state.state != "executing":
            raise Cancelled


@contextmanager
def _source_of(task: RemoteConversion) -> Iterator[Path | None]:
    """The file to convert; None where this worker cannot read it."""
    if task.content is not None:
        with tempfile.TemporaryDirectory(prefix="citeloom-") as folder:
            path = Path(folder) / Path(task.source).name
            path.write_bytes(task.content)
            yield path
        return
    path = Path(task.source)
    yield path if _is_readable(path) else None


def _is_readable(path: Path) -> bool:
    try:
        with path.open("rb"):
            return True
    except OSError:
        return False


def _converted(task: RemoteConversion, source: Path, worker: _Worker) -> ConversionOutcome:
    settings = task.settings
    password = task.password.get_secret_value() if task.password else None
    job = ConversionJob(source=source, document_id=task.document_id, password=password)
    with (
        cancellable(worker.check),
        converters.borrowed(settings.function, settings.options, settings.limits) as converter,
    ):
        return converter.convert(job, worker.heard)


def _answer(
    task: RemoteConversion, outcome: ConversionOutcome, result: ConversionResult
) -> ConversionAnswer:
    texts: list[str] = []
    if task.embedding is not None:
        model = task.embedding.model
        embedder = _embedder(model, task.settings.embedder.for_cutting())
        chunks = StructuralChunker().chunk(result, model, embedder.tokens)
        texts = embedded_texts(chunks, sentences=task.embedding.sentences)
    shared = task.settings.shared
    bundled = shared is not None and _is_seen(shared)
    if shared is not None and bundled:
        shared.store().save(result, result.converter)
    return ConversionAnswer(
        bundled=bundled,
        result=b"" if bundled else gzip.compress(result.model_dump_json().encode(), _LEVEL),
        texts=texts,
        seconds=outcome.seconds,
        peak_rss_bytes=outcome.peak_rss_bytes,
    )


def _is_seen(shared: SharedBundles) -> bool:
    """Whether this worker sees the folder that is meant, as the same user: what another one
    writes may be closed to the reader."""
    marker = shared.folder / shared.marker
    try:
        is_same = marker.read_text("utf-8") == shared.nonce
        is_own = os.name == "nt" or marker.stat().st_uid == os.getuid()
    except OSError:
        return False
    return is_same and is_own


def _embedder(model: EmbeddingModel, settings: EmbedderSettings) -> Embedder:
    with _loading:
        embedder = _made(model.name, settings)
        if embedder.model.fingerprint != model.fingerprint:
            raise ModelUnavailable(
                f"{model.name}: a worker has {embedder.model.fingerprint}, the project "
                f"{model.fingerprint}; put the same weights on it"
            )
    return embedder


@cache
def _made(name: str, settings: EmbedderSettings) -> Embedder:
    from citeloom.infrastructure.models.embedding.catalogue import embedder_named

    return embedder_named(
        name, threads=settings.threads, cache=settings.cache, device=settings.device
    )
