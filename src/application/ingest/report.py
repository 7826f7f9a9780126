"""Ingest report and pruning: what was done, and documents whose files no longer exist."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path, PurePath

from citeloom.application.index.collection import Remover
from citeloom.application.index.passage_writer import PassageWriter
from citeloom.application.ports.catalogue import Catalogue, SourceStamp, StoredDocument
from citeloom.application.ports.ingest import IngestJournal, JournalEntry, Progress
from citeloom.application.ports.system import Clock
from citeloom.domain.errors import CiteLoomError
from citeloom.domain.ingest import DocumentReport, DocumentStatus, IngestResult
from citeloom.domain.projects.project import Project


class IngestLog:
    """Collects the results of a run: one report for each source, in the order of completion."""

    def __init__(self, journal: IngestJournal, clock: Clock, progress: Progress) -> None:
        self._journal = journal
        self._clock = clock
        self.progress = progress
        self._started = clock.monotonic()
        self._id = clock.correlation_id()
        self._reports: dict[str, DocumentReport] = {}
        self._warnings: dict[str, None] = {}
        self._added = self._updated = 0
        self.converted = 0
        self.replaced = 0
        self.removed = 0
        self.reassigned = 0
        self.relabelled = 0

    @property
    def written(self) -> int:
        """Chunks put into the index so far."""
        return self._added + self._updated

    def warn(self, text: str) -> None:
        self._warnings[text] = None

    def report(self, project: Project, report: DocumentReport, *, written: int = 0) -> None:
        """``written`` are the chunks that this document put into the index."""
        self._reports[report.source] = report
        self.progress.done(report)
        if report.status is DocumentStatus.ADDED:
            self._added += written
        else:
            self._updated += written
            self.replaced += written > 0
        if report.status is not DocumentStatus.UNCHANGED:
            self._journal.append(self._document_record(project, report, written))

    @property
    def failed(self) -> frozenset[str]:
        """The sources that failed so far."""
        return frozenset(
            name for name, one in self._reports.items() if one.status is DocumentStatus.FAILED
        )

    def fail(
        self, project: Project, path: Path | str, error: Exception, seconds: float = 0.0
    ) -> None:
        """Report the error of one document; a foreign exception is named by its type."""
        name = PurePath(path).name
        unforeseen = CiteLoomError(f"{name}: {type(error).__name__}: {error}")
        known = error if isinstance(error, CiteLoomError) else unforeseen
        self.report(
            project,
            DocumentReport(
                source=str(path),
                status=DocumentStatus.FAILED,
                error=known.message,
                error_code=known.code,
                duration_seconds=round(seconds, 3),
            ),
        )

    def result(self, project: Project, chunks_total: int) -> IngestResult:
        """The result of the run; appends the run's journal entry."""
        reports = tuple(self._reports.values())
        result = IngestResult(
            project=project.id.value,
            documents=reports,
            documents_processed=len(reports),
            documents_converted=self.converted,
            documents_removed=self.removed,
            citations_updated=self.reassigned,
            page_labels_updated=self.relabelled,
            chunks_written=self.written,
            chunks_total=chunks_total,
            duration_seconds=round(self._clock.monotonic() - self._started, 3),
            embed_model=project.embedding_model.name,
            correlation_id=self._id,
            warnings=tuple(self._warnings),
        )
        self._journal.append(self._run_record(project, result))
        return result

    def _document_record(
        self, project: Project, report: DocumentReport, written: int
    ) -> JournalEntry:
        added = report.status is DocumentStatus.ADDED
        return JournalEntry(
            correlation_id=self._id,
            timestamp=self._clock.now(),
            project_id=project.id.value,
            doc_id=report.document_id,
            documents_processed=1,
            duration_seconds=report.duration_seconds,
            source_path=report.source,
            chunks_written=written,
            chunks_added=written if added else 0,
            chunks_updated=0 if added else written,
            warnings=report.warnings,
            errors=(report.error,) if report.error else (),
        )

    def _run_record(self, project: Project, result: IngestResult) -> JournalEntry:
        unchanged = (d for d in result.documents if d.status is DocumentStatus.UNCHANGED)
        return JournalEntry(
            correlation_id=self._id,
            timestamp=self._clock.now(),
            project_id=project.id.value,
            documents_processed=result.documents_processed,
            chunks_written=result.chunks_written,
            chunks_added=self._added,
            chunks_updated=self._updated,
            chunks_skipped=sum(d.chunks for d in unchanged),
            duration_seconds=result.duration_seconds,
            dense_model=project.embedding_model.fingerprint,
            sparse_model=project.sparse_model,
            reference_files=tuple(map(str, project.reference_files)),
            warnings=result.warnings,
            errors=tuple(d.error for d in result.failed if d.error),
        )


def report_of(
    source: str,
    stored: StoredDocument,
    status: DocumentStatus,
    also: tuple[str, ...] = (),
    *,
    seconds: float = 0.0,
) -> DocumentReport:
    """The report of a document as stored; ``also`` are further warnings."""
    held = stored.held
    return DocumentReport(
        source=source,
        document_id=stored.document_id,
        status=status,
        citekey=stored.citation.citekey if stored.citation else None,
        citation_source=stored.citation.source if stored.citation else None,
        chunks=stored.chunks,
        pages=stored.pages,
        warnings=stored.warnings + also,
        key_source=held.key_source if held else None,
        alternatives=held.alternatives if held else (),
        former_keys=held.former_keys if held else (),
        duration_seconds=seconds,
    )


@dataclass(frozen=True, slots=True)
class FilePruning:
    """Removes documents without remaining files, and the missing paths of others (a renamed
    file has its new path by then)."""

    project: Project
    catalogue: Catalogue
    remover: Remover
    writer: PassageWriter
    log: IngestLog

    def __call__(self, is_gone: Callable[[str], bool]) -> None:
        removed: list[StoredDocument] = []
        for document in self.catalogue.documents(self.project.id):
            left = tuple(one for one in document.sources if not is_gone(one.path))
            if document.sources and not left:
                removed.append(document)
            elif left != document.sources:
                self._write_remaining(document, left)
        self.remover.documents(self.project, [d.document_id for d in removed])
        self.log.removed += len(removed)
        for document in removed:
            self.log.progress.notice(f"removed {document.sources[0].path}: the file is gone")

    def _write_remaining(self, document: StoredDocument, left: tuple[SourceStamp, ...]) -> None:
        """Write the remaining sources; the catalogue last, so that a repetition completes it."""
        remaining = document.model_copy(update={"sources": left})
        if left[0].path != document.sources[0].path:
            self.writer.place(self.project, remaining)
        self.catalogue.put_document(remaining, self.project.collection)
