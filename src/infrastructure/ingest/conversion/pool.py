"""Process pool ``ProcessConverter``: each conversion in a worker that can be killed.

A crash, a hang or a bad file costs one document. Importing this module is cheap: docling is
imported by the workers only.
"""

import os
import queue
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import deque
from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache, cached_property
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import IO

from citeloom.application.ports.ingest import ConversionJob, ConversionOutcome, Heard
from citeloom.domain.documents.conversion import ConversionResult
from citeloom.domain.errors import (
    CiteLoomError,
    ConfigurationError,
    ConversionFailed,
    ConversionTimeout,
    Unavailable,
)
from citeloom.domain.progress import checkpoint

from . import format_table
from .protocol import Header, Limits, Options, PageProgress, Phase, error_from_header, receive, send
from .worker import too_much_memory

# One thread a worker: there are several workers, and more threads made them slower.
_ENVIRONMENT = {
    "OMP_NUM_THREADS": "1",
    "OMP_THREAD_LIMIT": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "HF_HUB_OFFLINE": "1",
    "TOKENIZERS_PARALLELISM": "false",
    "TQDM_DISABLE": "1",
    "PYTHONUTF8": "1",
}

_NO_MEMORY = ("bad_alloc", "memory allocation of", "out of memory", "Out of memory")


@dataclass
class ConversionTask:
    """A job, its progress, and how often a worker crashed on it."""

    job: ConversionJob
    crashes: int = 0
    started: float = field(default_factory=time.monotonic)
    reached: PageProgress | None = None
    pages: int = 0
    ocr_pages: int = 0

    def begin(self) -> None:
        """Start the clock, at the first or second attempt."""
        self.started = time.monotonic()
        self.reached, self.pages, self.ocr_pages = None, 0, 0

    def advance(self, reached: PageProgress) -> None:
        self.reached = reached
        if reached.phase is Phase.OCR:
            self.ocr_pages = reached.total
        elif reached.phase is Phase.PAGES:
            self.pages = reached.total

    def elapsed(self) -> float:
        return time.monotonic() - self.started

    def limit(self, limits: Limits) -> float:
        """Seconds that it may take in all, by the pages known so far."""
        return limits.total(self.pages, self.ocr_pages)

    def deadline(self, limits: Limits) -> float:
        """When the task times out, as a whole or with the next page."""
        whole = self.started + self.limit(limits)
        wait = limits.until_next(self.reached) if self.reached else None
        return whole if wait is None else min(whole, time.monotonic() + wait)


@dataclass(frozen=True)
class WorkerEvent:
    """A message of ``child``; without a header, its output has ended: it is dead."""

    worker: "WorkerHandle"
    header: Header | None = None
    payload: bytes = b""


class WorkerHandle:
    """One worker process. Not thread-safe, but for the thread inside that listens to it."""

    def __init__(self, function: str, events: "queue.SimpleQueue[WorkerEvent]") -> None:
        self.task: ConversionTask | None = None
        self.deadline = 0.0
        self.ready = False
        self.served = 0
        self.rss_bytes = 0
        self.stderr_tail = ""
        self._said_before, self._first_words = 0, ""
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 (closed by kill)
        self._process = _start(function, self._errors)
        threading.Thread(target=self._listen, args=(events,), daemon=True).start()

    @property
    def pid(self) -> int:
        return self._process.pid

    def send_job(self, job: ConversionJob, options: Options, limits: Limits) -> None:
        """Send a job. If the worker has just died, its last event is on its way."""
        self._said_before = self._errors.seek(0, os.SEEK_END)
        message = {
            "source": str(job.source),
            "document_id": job.document_id,
            "password": job.password,
            "options": options.model_dump(mode="json"),
            "limits": limits.model_dump(mode="json"),
        }
        assert self._process.stdin is not None
        with suppress(OSError):
            send(self._process.stdin, message)

    def kill(self) -> None:
        """End the process at once and keep the tail of its standard error."""
        self._process.kill()
        self._process.wait()
        assert self._process.stdin is not None
        with suppress(OSError):
            self._process.stdin.close()
        if not self._errors.closed:
            size = self._errors.seek(0, os.SEEK_END)
            self._errors.seek(self._said_before)
            self._first_words = self._errors.read(2000).decode("utf-8", "replace")
            self._errors.seek(max(0, size - 2000))
            self.stderr_tail = self._errors.read().decode("utf-8", "replace")
            self._errors.close()

    def exit_reason(self) -> str:
        """How the process ended, in words."""
        status = self._process.returncode
        if status is None or status >= 0:
            return f"exit status {status}"
        name = signal.Signals(-status).name
        return f"{name}, most likely out of memory" if name == "SIGKILL" else name

    def ran_out_of_memory(self) -> bool:
        """Whether the process, which was killed, had ended itself for lack of memory: pdfium aborts
        without a word, C++ and Rust say so before."""
        if os.name != "posix" or self._process.returncode != -signal.SIGABRT:
            return False
        words = self._first_words.partition("Fatal Python error: Aborted")[0].strip()
        return not words or any(reason in words for reason in _NO_MEMORY)

    def _listen(self, events: "queue.SimpleQueue[WorkerEvent]") -> None:
        assert self._process.stdout is not None
        with self._process.stdout as stream:
            while (message := receive(stream)) is not None:
                events.put(WorkerEvent(self, *message))
        events.put(WorkerEvent(self))


def _start(function: str, errors: IO[bytes]) -> "subprocess.Popen[bytes]":
    """Run ``worker`` in a new interpreter with this one's import path.

    The process is in a group of its own, so that Ctrl-C in the terminal does not reach it.
    """
    path = os.pathsep.join(entry or str(Path.cwd()) for entry in sys.path)
    command = [
        sys.executable,
        "-P",
        "-m",
        "citeloom.infrastructure.ingest.conversion.worker",
        function,
    ]
    environment = {**os.environ, **_ENVIRONMENT, "PYTHONPATH": path}
    pipe = subprocess.PIPE
    if sys.platform == "win32":
        flags = subprocess.CREATE_NEW_PROCESS_GROUP | subprocess.CREATE_NO_WINDOW
        return subprocess.Popen(
            command, stdin=pipe, stdout=pipe, stderr=errors, env=environment, creationflags=flags
        )
    return subprocess.Popen(
        command, stdin=pipe, stdout=pipe, stderr=errors, env=environment, start_new_session=True
    )


#: Version of the conversion rules: incremented when the same file would convert differently.
CONVERTER_VERSION = 23

#: Seconds that a worker may take to import the reader of PDFs; a slow disk takes many.
START_LIMIT = 180.0

# Seconds between two checkpoints while workers are busy.
_PULSE = 0.5

#: Key in a result's ``converter`` for the OCR engine that read some of its pages.
OCR = "ocr"

CONVERT_FUNCTION = "citeloom.infrastructure.ingest.conversion.convert:convert_file"


class ProcessConverter:
    """Converts all formats of ``format_table.FORMATS``; most but PDF through docling.

    ``jobs`` workers at once, each document within its ``limits``; a worker is replaced after
    ``recycle_after`` documents, since libraries leak memory. ``function`` names what the
    workers run, as ``package.module:function``.
    """

    def __init__(
        self,
        *,
        jobs: int = 1,
        limits: Limits | None = None,
        options: Options | None = None,
        recycle_after: int = 50,
        function: str = CONVERT_FUNCTION,
    ) -> None:
        if jobs < 1 or recycle_after < 1:
            raise ConfigurationError(
                f"conversion: jobs={jobs}, recycle_after={recycle_after}: "
                "both must be positive; correct the settings"
            )
        self.jobs = jobs
        self.limits = limits or Limits()
        self.options = options or Options()
        self.recycle_after = recycle_after
        self.function = function

    @property
    def fingerprint(self) -> str:
        parts = [f"{name}={distribution_version(name)}" for name in ("docling-slim", "pypdfium2")]
        if self.function != CONVERT_FUNCTION:
            parts.append(f"function={self.function}")
        if self.options.pdf != "native":
            parts.append(f"pdf={self.options.pdf}")
        return " ".join([*parts, f"rules={CONVERTER_VERSION}"])

    def is_current(self, fingerprint: str) -> bool:
        """See the port. Pages that no OCR has read are read once there is one; what was read
        stays when the engine has gone. See decision 0007."""
        converter, _, ocr = fingerprint.partition(f" {OCR}=")
        if converter != self.fingerprint:
            return False
        from .pdf.ocr.engine_choice import NO_OCR

        return not ocr or self._ocr in (ocr, NO_OCR)

    @property
    def capacity(self) -> str:
        return f"{self.options.memory_mb} MB {self.fingerprint}"

    @cached_property
    def _ocr(self) -> str:
        from .pdf.ocr.engine_choice import choose_engine

        return choose_engine(self.options).fingerprint

    @property
    def formats(self) -> Sequence[str]:
        return [one.name for one in format_table.FORMATS]

    def supports(self, source: Path) -> bool:
        return format_table.promised_format(source) is not None

    def convert(
        self, jobs: Iterable[ConversionJob], on_pages: Heard | None = None
    ) -> Generator[ConversionOutcome, None, None]:
        """See the port. Raises Unavailable if no worker can be started."""
        run = WorkerRun(self, iter(jobs), on_pages)
        try:
            yield from run.outcomes()
        finally:
            run.close()


class WorkerRun:
    """One call of ``convert``: its workers and their tasks. Where ``jobs`` may have more later,
    ``outcomes`` may be called again; the workers stay until ``close``."""

    def __init__(
        self, settings: ProcessConverter, jobs: Iterator[ConversionJob], on_pages: Heard | None
    ) -> None:
        self._settings = settings
        self.heard = on_pages
        self._fingerprint = settings.fingerprint
        self._jobs = jobs
        self._retries: deque[ConversionTask] = deque()
        self._workers: list[WorkerHandle] = []
        self._events: queue.SimpleQueue[WorkerEvent] = queue.SimpleQueue()
        self._failed_starts = 0

    def outcomes(self) -> Iterator[ConversionOutcome]:
        while True:
            self._dispatch()
            if not any(worker.task for worker in self._workers):
                return
            outcome = self._next()
            if outcome is not None:
                self._dispatch()  # workers go on while the caller works on this one
                yield outcome

    def close(self) -> None:
        for worker in self._workers:
            worker.kill()
        self._workers.clear()

    def _dispatch(self) -> None:
        """Give every idle worker a task, and start workers for further tasks."""
        for worker in [worker for worker in self._workers if worker.task is None]:
            if worker.served >= self._settings.recycle_after or self._is_large(worker):
                self._drop(worker)
            elif (task := self._next_task()) is not None:
                self._assign(worker, task)
        while len(self._workers) < self._settings.jobs:
            task = self._next_task()
            if task is None:
                return
            worker = WorkerHandle(self._settings.function, self._events)
            worker.task, worker.deadline = task, time.monotonic() + START_LIMIT
            self._workers.append(worker)

    def _is_large(self, worker: WorkerHandle) -> bool:
        """Whether a worker kept so much memory that too little is left for the next document."""
        return worker.rss_bytes > self._settings.options.memory_mb * 2**20 // 2

    def _next_task(self) -> ConversionTask | None:
        if self._retries:
            return self._retries.popleft()
        job = next(self._jobs, None)
        return ConversionTask(job) if job is not None else None

    def _assign(self, worker: WorkerHandle, task: ConversionTask) -> None:
        worker.task = task
        task.begin()
        worker.deadline = task.deadline(self._settings.limits)
        worker.send_job(task.job, self._settings.options, self._settings.limits)

    def _next(self) -> ConversionOutcome | None:
        """Wait for a message, the end of a worker or a deadline; return the outcome, if any."""
        busy = [worker for worker in self._workers if worker.task is not None]
        first = min(busy, key=lambda worker: worker.deadline)
        try:
            event = self._event(first.deadline)
        except queue.Empty:
            return self._expired(first)
        worker, task = event.worker, event.worker.task
        if worker not in self._workers:
            return None  # the last words of one that was killed
        if event.header is None:
            return self._ended(worker, task)
        if "failed" in event.header:
            raise Unavailable(
                f"conversion: the converter cannot be loaded ({event.header['failed']}); "
                "install CiteLoom again"
            )
        if task is None:
            return None
        if "ready" in event.header:
            self._failed_starts = 0
            worker.ready = True
            self._assign(worker, task)
            return None
        if "reached" in event.header:
            self._advance(worker, task, event.header)
            return None
        worker.task = None
        worker.served += 1
        worker.rss_bytes = event.header.get("rss_bytes") or 0
        return self._finished(task, event.header, event.payload)

    def _event(self, deadline: float) -> WorkerEvent:
        """Raises queue.Empty at the deadline."""
        while (left := deadline - time.monotonic()) > _PULSE:
            checkpoint()
            with suppress(queue.Empty):
                return self._events.get(timeout=_PULSE)
        return self._events.get(timeout=max(0.0, left))

    def _advance(self, worker: WorkerHandle, task: ConversionTask, header: Header) -> None:
        phase, page, done, total = header["reached"]
        reached = PageProgress(Phase(phase), page, done, total)
        task.advance(reached)
        worker.deadline = task.deadline(self._settings.limits)
        if self.heard is not None and reached.phase is not Phase.LAYOUT:
            self.heard(task.job, reached.done, reached.total)

    def _finished(self, task: ConversionTask, header: Header, payload: bytes) -> ConversionOutcome:
        result: ConversionResult | None = None
        error: CiteLoomError | None = None
        if "error" in header:
            error = error_from_header(header["error"])
        else:
            result = ConversionResult.model_validate_json(payload)
            converter = f"{self._fingerprint} {result.converter}".strip()
            result = result.model_copy(update={"converter": converter})
        return ConversionOutcome(
            job=task.job,
            result=result,
            error=error,
            seconds=header["seconds"],
            peak_rss_bytes=header["peak_rss_bytes"],
        )

    def _expired(self, worker: WorkerHandle) -> ConversionOutcome | None:
        task = worker.task
        if task is None or worker.deadline > time.monotonic():
            return None
        if not worker.ready:
            self._drop(worker)
            raise Unavailable(
                f"conversion: a worker did not start within {START_LIMIT:g} s; "
                "the machine is too busy, try again"
            )
        self._drop(worker)
        error = _too_slow(task, self._settings.limits)
        return ConversionOutcome(job=task.job, error=error, seconds=task.elapsed())

    def _ended(self, worker: WorkerHandle, task: ConversionTask | None) -> ConversionOutcome | None:
        if task is not None and worker.ready and worker.deadline <= time.monotonic():
            return self._expired(worker)
        self._drop(worker)
        if task is None:
            return None
        if not worker.ready:
            self._failed_starts += 1
            if self._failed_starts > 2:
                raise Unavailable(
                    f"conversion: workers die at their start ({worker.exit_reason()}); "
                    "free some memory, or install CiteLoom again",
                    stderr=worker.stderr_tail,
                )
            self._retries.append(task)
            return None
        task.crashes += 1
        if worker.ran_out_of_memory():
            error = too_much_memory(task.job.source.name, self._settings.options.memory_mb)
            return ConversionOutcome(job=task.job, error=error, seconds=task.elapsed())
        if task.crashes == 1:  # it may have been killed for the memory that another one took
            self._retries.append(task)
            return None
        failed = ConversionFailed(
            f"{task.job.source.name}: the converter crashed on it twice ({worker.exit_reason()}); "
            "the file may be damaged: open it and save or print it to a new file",
            exit_reason=worker.exit_reason(),
            stderr=worker.stderr_tail,
        )
        return ConversionOutcome(job=task.job, error=failed, seconds=task.elapsed())

    def _drop(self, worker: WorkerHandle) -> None:
        self._workers.remove(worker)
        worker.kill()


def _too_slow(task: ConversionTask, limits: Limits) -> ConversionTimeout:
    name, limit, reached = task.job.source.name, task.limit(limits), task.reached
    place = f"page {reached.page} of {task.pages}" if reached and reached.page else ""
    details = {"page": reached.page, "pages": task.pages} if reached and reached.page else {}
    if reached and task.elapsed() < limit:
        wait = limits.until_next(reached) or 0.0
        return ConversionTimeout(
            f"{name}: stuck after {place}: nothing for {wait:g} s; print the file to a new PDF "
            "without the pages that follow, or raise conversion.stall_seconds",
            timeout_seconds=wait,
            **details,
        )
    return ConversionTimeout(
        f"{name}: not converted after {limit:g} s{f' ({place} reached)' if place else ''}; "
        "raise conversion.timeout_seconds, or split the document",
        timeout_seconds=limit,
        **details,
    )


@cache
def distribution_version(distribution: str) -> str:
    """Read once: it is asked for with every document, and takes as long as to store one."""
    try:
        return version(distribution)
    except PackageNotFoundError:
        return "none"
