"""Ingests as jobs."""

import logging
import threading
from collections.abc import Callable
from pathlib import PurePath
from typing import Final

from citeloom.application.ports.progress import Progress, Stage
from citeloom.domain.retrieval import DocumentReport, DocumentStatus, IngestRequest, IngestResult
from citeloom.infrastructure.mcp.jobs import Advance, Job, Jobs

TOOL: Final = "ingest_from_source"
# The share of a document that is done when it is converted; the rest is embedding, mostly.
_CONVERTED: Final = 0.5

IngestVerb = Callable[[IngestRequest, Progress], IngestResult]

_log: Final = logging.getLogger(__name__)


class IngestJob(Job[IngestRequest, IngestResult]):
    """One ingest; it is the ingest's own progress display.

    ``documents_total`` is None until the files have been looked at.
    """

    def __init__(
        self, request: IngestRequest, stopping: threading.Event, ingest: IngestVerb
    ) -> None:
        super().__init__(request, stopping)
        self.documents_done = 0
        self.documents_failed = 0
        self.documents_total: int | None = None
        self.doing: str | None = None
        self._parts: dict[str, float] = {}
        self._ingest = ingest

    def work(self) -> IngestResult:
        return self._ingest(self.asked, self)

    def advance(self) -> Advance:
        """In documents, those that are begun in parts."""
        done = self.documents_done + sum(list(self._parts.values()))
        if self.documents_total is not None:
            done = min(done, self.documents_total)
        return Advance(done, self.documents_total, self.doing)

    def begin(self, documents: int) -> None:
        self.go_on()
        self.documents_total = documents

    def stage(self, source: str, stage: Stage) -> None:
        self.go_on()
        self.doing = f"{stage.value} {PurePath(source).name}"
        self._parts[source] = 0.0 if stage is Stage.CONVERTING else _CONVERTED

    def pages(self, source: str, done: int, total: int) -> None:
        self.go_on()
        self.doing = f"{Stage.CONVERTING.value} {PurePath(source).name}, page {done} of {total}"
        self._parts[source] = _CONVERTED * done / max(total, 1)

    def done(self, report: DocumentReport) -> None:
        self._parts.pop(report.source, None)
        self.documents_done += 1
        self.documents_failed += report.status is DocumentStatus.FAILED

    def notice(self, text: str) -> None:
        _log.info("ingest %s: %s", self.id, text)


def ingests(ingest: IngestVerb) -> Jobs[IngestRequest, IngestJob]:
    return Jobs(TOOL, lambda request, stopping: IngestJob(request, stopping, ingest))
