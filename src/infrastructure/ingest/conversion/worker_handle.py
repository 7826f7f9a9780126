"""Worker processes seen from the parent: start, jobs, messages, kill."""

import os
import queue
import signal
import subprocess
import sys
import tempfile
import threading
import time
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

from citeloom.application.ports.ingest import ConversionJob
from citeloom.infrastructure.ingest.conversion.limits import Limits
from citeloom.infrastructure.ingest.conversion.options import Options
from citeloom.infrastructure.ingest.conversion.progress import PageProgress, Phase
from citeloom.infrastructure.ingest.conversion.protocol import Header, receive, send

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
