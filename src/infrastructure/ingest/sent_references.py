"""Reader of reference files that were sent to a server: each in a process that can be killed."""

import queue
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Final

from citeloom.application.ports.citation import ReferenceLibrary
from citeloom.domain.errors import ReferencesUnreadable
from citeloom.domain.progress import checkpoint
from citeloom.infrastructure.references.reader import FileReferenceReader

if TYPE_CHECKING:
    from .conversion.pool import WorkerEvent
    from .conversion.protocol import Limits, Options, Report

_FUNCTION: Final = "citeloom.infrastructure.ingest.sent_references:read_in_worker"
# Seconds between two checkpoints.
_PULSE: Final = 0.2


class SentFileReader(FileReferenceReader):
    """Reads files below ``sent`` in a worker with the memory and time of a paper, others here: they
    are a person's own, and a process costs a third of a second. Work that is given up ends the
    worker."""

    def __init__(self, sent: Path, bounds: "Callable[[], tuple[Options, Limits]]") -> None:
        super().__init__()
        self._sent = sent
        self._bounds = bounds

    def read(self, path: Path) -> ReferenceLibrary:
        if not path.is_relative_to(self._sent):
            return super().read(path)
        from citeloom.application.ports.ingest import ConversionJob

        from .conversion.pool import START_LIMIT, WorkerHandle
        from .conversion.protocol import error_from_header

        options, limits = self._bounds()
        events: queue.SimpleQueue[WorkerEvent] = queue.SimpleQueue()
        worker = WorkerHandle(_FUNCTION, events)
        try:
            worker.send_job(ConversionJob(source=path, document_id=""), options, limits)
            event = _answer(events, time.monotonic() + START_LIMIT + limits.document)
        finally:
            worker.kill()
        if event is None or event.header is None or "failed" in event.header:
            raise ReferencesUnreadable(
                f"{path.name}: reading it ended early ({worker.exit_reason()}); export the "
                "collections that this project needs",
                path=str(path),
            )
        if "error" in event.header:
            raise error_from_header(event.header["error"])
        return ReferenceLibrary.model_validate_json(event.payload)


def read_in_worker(
    source: Path,
    _document_id: str,
    _password: str | None,
    _options: "Options",
    _report: "Report",
) -> ReferenceLibrary:
    """Runs in the worker. Raises ReferencesUnreadable."""
    return FileReferenceReader().read(source)


def _answer(events: "queue.SimpleQueue[WorkerEvent]", deadline: float) -> "WorkerEvent | None":
    """The result, or the end of the worker; None at the deadline."""
    while time.monotonic() < deadline:
        checkpoint()
        try:
            event = events.get(timeout=_PULSE)
        except queue.Empty:
            continue
        if event.header is None or "ready" not in event.header:
            return event
    return None
