"""The verb *ingest --zotero*: a project synchronised with a reference library."""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime

from citeloom.application.ingest.plan import StageFingerprints
from citeloom.application.ingest.report import IngestLog, report_of
from citeloom.application.ingest.services import IngestServices
from citeloom.application.library.messages import scope_text
from citeloom.application.library.run import LibraryRun, SyncServices
from citeloom.application.ports.catalogue import UNFINISHED, UNSETTLED, SourceStamp, StoredDocument
from citeloom.application.ports.ingest import Progress, SilentProgress, SourceFiles
from citeloom.application.ports.library import (
    EntryKind,
    Following,
    LibraryEntry,
    LibrarySource,
    LibraryStatus,
)
from citeloom.application.ports.models import Embedder
from citeloom.domain.ingest.report import DocumentReport, DocumentStatus, IngestResult
from citeloom.domain.library.item_documents import CONVERTER
from citeloom.domain.library.snapshot import LibraryScope, LibrarySnapshot
from citeloom.domain.library.sync import LibraryReport, SyncRequest
from citeloom.domain.projects.project import Project
from citeloom.domain.text.phrasing import counted


def unchanged_reports(
    entries: Mapping[str, LibraryEntry], stored: Sequence[StoredDocument], files: SourceFiles
) -> list[DocumentReport] | None:
    """A report for each document of the library; None if an entry or a document is unfinished, a
    document is missing or unsettled, or a file changed."""
    documents = {document.document_id: document for document in stored}
    expected: dict[str, SourceStamp] = {}
    reports = []
    for entry in entries.values():
        if not entry.digest:
            return None
        if entry.kind is EntryKind.ATTACHMENT and entry.stamp is not None:
            expected[entry.stamp.path] = entry.stamp
        if entry.document_id is None:
            continue
        document = documents.get(entry.document_id)
        if document is None or document.references_digest == UNSETTLED:
            return None
        if document.embedding == UNFINISHED:
            return None
        if entry.stamp is not None:
            report = report_of(entry.stamp.path, document, DocumentStatus.UNCHANGED)
            reports.append(report)
    stamps = files.stamps(expected)
    unchanged = all(
        stamps.get(path) == (None if stamp.is_absent else stamp) for path, stamp in expected.items()
    )
    return reports if unchanged else None


class LibrarySync:
    """Synchronises a project with a scope of a library: adds, updates and prunes documents."""

    def __init__(self, services: SyncServices) -> None:
        self._services = services
        self._ingest = services.ingest
        self._followed = services.followed

    def __call__(
        self, source: LibrarySource, request: SyncRequest, progress: Progress | None = None
    ) -> IngestResult:
        """A bad document is a failed report; errors of the whole run are raised:
        LibraryUnavailable, InvalidRequest (unknown collection or group),
        EmbeddingModelMismatch, ModelUnavailable, ShardBusy, StorageFailed.
        """
        progress = progress or SilentProgress()
        log = IngestLog(self._ingest.journal, self._ingest.clock, progress)
        before = self._followed.following(request.project_id)
        scope = request.scope or (before.scope if before else LibraryScope())
        status = source.status()
        remembered = " (as remembered)" if request.scope is None and before else ""
        asks = "; it asks the network" if source.asks_network else ""
        progress.notice(
            f"{status.name} at {status.place}: {scope_text(scope)}{remembered}, read only{asks}"
        )
        everything = request.force or request.prune is True
        if before is not None and not everything and before.scope == scope:
            result = self._unchanged(before, status, request, log)
            if result is not None:
                return result
        snapshot = source.snapshot(scope)
        for notice in status.notices:
            log.warn(notice)
        project, embedder, created = self._open(request)
        if created:
            progress.notice(f"created project {project.id} with {embedder.model.name}")
        if lacking := self._ingest.missing_passages(project):
            log.warn(lacking)
        today = self._ingest.indexing.writer.embedding_fingerprint(project, embedder)
        settings = _settings(self._ingest, today)
        if before is None or before.settings != settings:
            project = self._ingest.indexing.term_weights.recompute_stale(project, today)
        following = _following(status, scope, snapshot, self._ingest.clock.now())
        if before is not None:
            following = following.model_copy(update={"begun": before.begun})
        self._followed.follow(project.id, following)
        run = LibraryRun(
            services=self._services,
            source=source,
            snapshot=snapshot,
            stages=_stages(self._ingest, today),
            project=project,
            embedder=embedder,
            log=log,
            request=request,
        )
        report = run(following)
        progress.notice(summary_line(report))
        unfinished = before is None or not before.state or not project.retrieval.lengths.settled
        if run.changed or unfinished:
            self._ingest.indexing.term_weights.update_average(project)
        run.optimize()
        if run.settled:
            done = {"state": snapshot.state, "settings": settings, "begun": ()}
            self._followed.follow(project.id, following.model_copy(update=done))
        result = log.result(project, run.chunks())
        return result.model_copy(update={"library": report})

    def _open(self, request: SyncRequest) -> tuple[Project, Embedder, bool]:
        return self._ingest.projects.open_or_create(
            request.project_id, request.model, sentences=request.sentences
        )

    def _unchanged(
        self, before: Following, status: LibraryStatus, request: SyncRequest, log: IngestLog
    ) -> IngestResult | None:
        """The result if library, files and settings are unchanged since the last finished run;
        None otherwise."""
        if not before.state or (before.source, before.place, before.state) != (
            status.name,
            status.place,
            status.state,
        ):
            return None
        project, embedder, _ = self._open(request)
        today = self._ingest.indexing.writer.embedding_fingerprint(project, embedder)
        if before.settings != _settings(self._ingest, today):
            return None
        stored = self._ingest.documents.catalogue.documents(project.id)
        entries = self._followed.entries(project.id)
        reports = unchanged_reports(entries, stored, self._ingest.documents.files)
        if reports is None:
            return None
        if lacking := self._ingest.missing_passages(project):
            log.warn(lacking)
        for report in reports:
            log.report(project, report)
        missing = sum(e.stamp is not None and e.stamp.is_absent for e in entries.values())
        if missing:
            log.warn(f"{counted(missing, 'attachment')} still not on this machine")
        result = log.result(project, sum(document.chunks for document in stored))
        library = LibraryReport(
            source=before.source,
            place=before.place,
            scope=before.scope,
            unchanged=True,
            items=before.items,
            files=before.files,
            notes=before.notes,
            annotations=before.annotations,
            missing_files=missing,
        )
        return result.model_copy(update={"library": library})


def _following(
    status: LibraryStatus, scope: LibraryScope, snapshot: LibrarySnapshot, now: datetime
) -> Following:
    return Following(
        source=status.name,
        place=status.place,
        scope=scope,
        items=len(snapshot.items),
        files=len(snapshot.attachments),
        notes=len(snapshot.notes),
        annotations=len(snapshot.annotations),
        synced_at=now,
    )


def summary_line(report: LibraryReport) -> str:
    """One line with source and counts."""
    numbers = (
        counted(report.items, "item"),
        counted(report.files, "attachment"),
        counted(report.notes, "note"),
        counted(report.annotations, "annotation"),
    )
    return f"{report.source} at {report.place}: {', '.join(numbers)}"


def _stages(services: IngestServices, embedding: str) -> StageFingerprints:
    is_current: Callable[[str], bool] = services.converter.is_current
    return StageFingerprints(
        is_current=lambda made: made == CONVERTER or is_current(made),
        chunking=services.indexing.writer.chunking_fingerprint,
        embedding=embedding,
    )


def _settings(services: IngestServices, embedding: str) -> str:
    """The fingerprints of converter, chunker and models."""
    return " ".join(
        [
            services.converter.fingerprint,
            CONVERTER,
            services.indexing.writer.chunking_fingerprint,
            embedding,
        ]
    )
