"""One call of the cluster's converter: documents in flight, from task to outcome."""

import gzip
import itertools
import queue
import sys
from array import array
from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import CancelledError
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from pydantic import SecretStr

from citeloom.application.ports.ingest import ConversionJob, ConversionOutcome, Heard
from citeloom.domain.documents.conversion import ConversionResult
from citeloom.domain.errors import (
    CiteLoomError,
    ConversionFailed,
    DocumentTooLarge,
    ModelUnavailable,
    Unavailable,
)
from citeloom.domain.progress import checkpoint
from citeloom.domain.projects.project import EmbeddingModel
from citeloom.domain.text.phrasing import sized
from citeloom.infrastructure.ingest.conversion.protocol import error_from_header
from citeloom.infrastructure.ingest.conversion.sources import read_content
from citeloom.infrastructure.models.vectors import VectorCache, key_of

from . import tasks
from .connection import ClusterConnection
from .requests import ConversionAnswer, RemoteConversion, RemoteEmbedding, RunSettings

#: Bytes of a file that is sent; the scheduler holds those of all documents in flight.
MOST_SENT = 128 * 2**20


def content_to_send(job: ConversionJob, memory_mb: int) -> bytes:
    """The content of a document, which has its digest. Raises as the converter does where the file
    is missing, was changed or is too large, DocumentTooLarge also where it is not sent."""
    content = read_content(job.source, job.document_id, memory_mb)
    if len(content) > MOST_SENT:
        raise DocumentTooLarge(
            f"{job.source.name}: {sized(len(content))}, and the workers do not see {job.source}; "
            f"files up to {sized(MOST_SENT)} are sent: put larger ones on a path that workers see"
        )
    return content


#: Texts of one task: some seconds on one processor core.
TEXTS_A_TASK = 256


class RemoteVectors:
    """The texts that are to be embedded, and their vectors in ``cache``."""

    def __init__(self, cache: VectorCache) -> None:
        self._cache = cache

    def batches_to_embed(
        self, model: EmbeddingModel, texts: Sequence[str]
    ) -> Iterator[tuple[str, ...]]:
        """The texts without a vector, in batches of one task."""
        keys = [key_of(model.fingerprint, text) for text in texts]
        known = self._cache.vectors(keys, model.dimension)
        missing = (text for key, text in zip(keys, texts, strict=True) if key not in known)
        while batch := tuple(islice(missing, TEXTS_A_TASK)):
            yield batch

    def keep(self, model: EmbeddingModel, texts: Sequence[str], answer: bytes) -> None:
        """Put the vectors of an answer into the cache. Raises ModelUnavailable if they do not match
        the texts."""
        values = array("f")
        values.frombytes(answer)
        if sys.byteorder == "big":
            values.byteswap()
        size = model.dimension
        if len(values) != len(texts) * size:
            raise ModelUnavailable(
                f"{model.name}: a worker made {len(values)} numbers for {len(texts)} texts of "
                f"{size} dimensions; install the same version of CiteLoom on it"
            )
        vectors = {
            key_of(model.fingerprint, text): values[n * size : (n + 1) * size].tolist()
            for n, text in enumerate(texts)
        }
        self._cache.add(vectors)


#: How often a document is tried whose worker dies: twice more.
MOST_STARTS = 3
# Documents in flight for each task that runs: one runs, the other waits, is embedded or fetched.
_DOCUMENTS_A_SLOT = 2
# Seconds between two checkpoints while workers are busy.
_PULSE = 0.5


@dataclass
class DocumentInFlight:
    """A document between its first task and its outcome. ``tasks`` are those under way, by key;
    ``outcome`` waits for the last of them."""

    job: ConversionJob
    tasks: dict[str, "RemoteTask"] = field(default_factory=dict)
    outcome: ConversionOutcome | None = None


@dataclass
class RemoteTask:
    """A task of the cluster: how often it was started without an end, and by which worker last."""

    document: DocumentInFlight
    request: RemoteConversion | RemoteEmbedding
    starts: int = 0
    worker: str = "unknown"
    future: Any = None


@dataclass(frozen=True)
class TaskEnd:
    """The answer of a task, or its error."""

    key: str
    answer: ConversionAnswer | bytes | None = None
    error: BaseException | None = None


class ClusterRun:
    """Keeps the workers busy with a bounded number of documents; a document costs itself alone."""

    def __init__(
        self,
        connection: ClusterConnection,
        settings: RunSettings,
        jobs: Iterator[ConversionJob],
        heard: Heard | None,
        vectors: RemoteVectors | None,
    ) -> None:
        self._connection = connection
        self._settings = settings
        self._jobs = jobs
        self._heard = heard
        self._vectors = vectors
        self._sends = False
        self._documents: dict[int, DocumentInFlight] = {}
        self._tasks: dict[str, RemoteTask] = {}
        self._ready: deque[ConversionOutcome] = deque()
        self._events: queue.SimpleQueue[TaskEnd | dict[str, Any]] = queue.SimpleQueue()
        self._numbers = itertools.count()

    def outcomes(self) -> Iterator[ConversionOutcome]:
        self._connection.listen(self._events.put)
        while True:
            self._begin_documents()
            if not self._documents and not self._ready:
                return
            outcome = self._ready.popleft() if self._ready else self._next()
            if outcome is not None:
                self._begin_documents()  # workers go on while the caller works on this one
                yield outcome

    def close(self) -> None:
        """Cancel what is under way; workers end the processes of these conversions."""
        self._connection.cancel([task.future for task in self._tasks.values()])
        self._tasks.clear()
        self._documents.clear()

    def _begin_documents(self) -> None:
        most = max(1, self._connection.slots(gpu=self._needs_gpu)) * _DOCUMENTS_A_SLOT
        while len(self._documents) + len(self._ready) < most:
            if (job := next(self._jobs, None)) is None:
                return
            document = DocumentInFlight(job)
            self._documents[id(document)] = document
            self._convert(document, sends=self._sends)

    @property
    def _needs_gpu(self) -> bool:
        return self._settings.embedder.gpu and self._vectors is not None

    def _convert(self, document: DocumentInFlight, *, sends: bool) -> None:
        job = document.job
        content = None
        if sends:
            try:
                content = content_to_send(job, self._settings.options.memory_mb)
            except CiteLoomError as error:
                self._fail(document, error)
                return
            self._sends = True
        request = RemoteConversion(
            settings=self._settings,
            key=self._key("convert", job),
            document_id=job.document_id,
            source=str(job.source),
            content=content,
            password=None if job.password is None else SecretStr(job.password),
            embedding=job.embedding if self._vectors is not None else None,
        )
        self._submit(RemoteTask(document, request))

    def _key(self, what: str, job: ConversionJob) -> str:
        """A name that no task had: Dask would give the answer of that one."""
        number = next(self._numbers)
        return f"citeloom-{what}-{self._settings.run}-{number}-{job.document_id[:16]}"

    def _submit(self, task: RemoteTask) -> None:
        request = task.request
        self._tasks[request.key] = task.document.tasks[request.key] = task
        embeds = isinstance(request, RemoteEmbedding)
        task.future = self._connection.submit(
            tasks.embed if embeds else tasks.convert,
            request,
            request.key,
            embeds=embeds,
            gpu=embeds and self._needs_gpu,
        )
        task.future.add_done_callback(self._fetch)

    def _fetch(self, future: Any) -> None:
        """Take over an answer; called in a thread of the client."""
        try:
            self._events.put(TaskEnd(future.key, answer=future.result()))
        except BaseException as error:
            self._events.put(TaskEnd(future.key, error=error))

    def _next(self) -> ConversionOutcome | None:
        """Wait for the end of a task or a message of a worker; the outcome, if any."""
        checkpoint()
        try:
            event = self._events.get(timeout=_PULSE)
        except queue.Empty:
            return None
        if isinstance(event, dict):
            self._take_message(event)
            return None
        if (task := self._tasks.pop(event.key, None)) is None:
            return None  # of a document that has failed
        del task.document.tasks[event.key]
        if event.error is not None:
            return self._ended(task, event.error)
        if isinstance(event.answer, ConversionAnswer):
            return self._converted(task, event.answer)
        assert isinstance(event.answer, bytes), "a task answers with a conversion or with vectors"
        return self._embedded(task, event.answer)

    def _take_message(self, message: dict[str, Any]) -> None:
        task = self._tasks.get(message["key"])
        if task is None:
            return
        if "began" in message:
            task.starts += 1
            task.worker = message["began"]
            if task.starts > MOST_STARTS:
                self._fail(task.document, _deadly(task))
        elif "ended" in message:
            task.starts = 0  # should its answer be lost now, then by the death of another one
        elif self._heard is not None:
            self._heard(task.document.job, *message["pages"])

    def _ended(self, task: RemoteTask, error: BaseException) -> ConversionOutcome | None:
        if type(error).__name__ == "KilledWorker":
            if task.starts >= MOST_STARTS:
                return self._failed(task.document, _deadly(task))
            # It waited, or its answer did, on workers that died of others: the scheduler counts
            # that too.
            key = self._key("again", task.document.job)
            task.request = task.request.model_copy(update={"key": key})
            self._submit(task)
            return None
        if isinstance(error, CancelledError):
            raise self._connection.lost()
        if isinstance(error, Unavailable):
            raise error
        name = task.document.job.source.name
        failed = ConversionFailed(
            f"{name}: the worker {task.worker} failed on it ({type(error).__name__}: {error}); "
            "see the worker's log"
        )
        return self._failed(task.document, failed)

    def _converted(self, task: RemoteTask, answer: ConversionAnswer) -> ConversionOutcome | None:
        document = task.document
        if answer.refused:
            raise self._connection.refusal(task.worker, answer.refused)
        if answer.absent:
            self._convert(document, sends=True)
            return None
        if answer.error is not None:
            error = error_from_header(answer.error)
            if isinstance(error, Unavailable):
                raise error
            return self._failed(document, error, answer.seconds)
        result = self._result_of(task, answer)
        if result is None:
            return None
        document.outcome = ConversionOutcome(
            job=document.job,
            result=result,
            seconds=answer.seconds,
            peak_rss_bytes=answer.peak_rss_bytes,
        )
        if self._vectors is not None and document.job.embedding is not None:
            model = document.job.embedding.model
            for texts in self._vectors.batches_to_embed(model, answer.texts):
                key = self._key("embed", document.job)
                request = RemoteEmbedding(
                    settings=self._settings, key=key, model=model, texts=texts
                )
                self._submit(RemoteTask(document, request))
        return self._finished(document)

    def _result_of(self, task: RemoteTask, answer: ConversionAnswer) -> ConversionResult | None:
        """The conversion; None if the worker must send it instead."""
        if not answer.bundled:
            return ConversionResult.model_validate_json(gzip.decompress(answer.result))
        shared = self._settings.shared
        if shared is not None:
            bundles = shared.store()
            if (result := bundles.load(task.document.job.document_id)) is not None:
                return result
        # A network share may show a new file late: then this run does without it.
        self._settings = self._settings.model_copy(update={"shared": None})
        self._convert(task.document, sends=self._sends)
        return None

    def _embedded(self, task: RemoteTask, answer: bytes) -> ConversionOutcome | None:
        assert isinstance(task.request, RemoteEmbedding), "vectors are of texts"
        assert self._vectors is not None, "nothing is embedded without a place for the vectors"
        self._vectors.keep(task.request.model, task.request.texts, answer)
        return self._finished(task.document)

    def _finished(self, document: DocumentInFlight) -> ConversionOutcome | None:
        """The outcome of a document, once none of its tasks is under way."""
        if document.tasks or document.outcome is None:
            return None
        del self._documents[id(document)]
        return document.outcome

    def _failed(
        self, document: DocumentInFlight, error: CiteLoomError, seconds: float = 0.0
    ) -> ConversionOutcome:
        """The outcome of a document that is given up, with all its tasks."""
        self._connection.cancel([task.future for task in document.tasks.values()])
        for key in document.tasks:
            self._tasks.pop(key, None)
        del self._documents[id(document)]
        return ConversionOutcome(job=document.job, error=error, seconds=seconds)

    def _fail(self, document: DocumentInFlight, error: CiteLoomError) -> None:
        self._ready.append(self._failed(document, error))


def _deadly(task: RemoteTask) -> ConversionFailed:
    what = "embedded" if isinstance(task.request, RemoteEmbedding) else "converted"
    return ConversionFailed(
        f"{task.document.job.source.name}: {MOST_STARTS} workers died while it was {what} (the "
        f"last one {task.worker}); look at their logs, give them more memory, or leave it out",
        worker=task.worker,
    )
