"""The verb *ingest --zotero*: a project synchronised with a reference library."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from citeloom.application.citation.assignment import ReferenceAssigner
from citeloom.application.ingest.ingest import Annotate
from citeloom.application.ingest.plan import IngestTask, Need, StageFingerprints
from citeloom.application.ingest.report import IngestLog, report_of
from citeloom.application.ingest.run import IngestServices, ingest_run
from citeloom.application.ports.catalogue import UNFINISHED, UNSETTLED, SourceStamp, StoredDocument
from citeloom.application.ports.ingest import FoundFile, Progress, SilentProgress, SourceFiles
from citeloom.application.ports.library import (
    EntryKind,
    FollowedLibraries,
    Following,
    LibraryEntry,
    LibrarySource,
    LibraryStatus,
)
from citeloom.application.ports.models import Embedder
from citeloom.domain.errors import InvalidSource
from citeloom.domain.ingest import DocumentReport, DocumentStatus, IngestRequest, IngestResult
from citeloom.domain.library import (
    CONVERTER,
    DocumentRole,
    KeySource,
    LibraryItem,
    LibraryReport,
    LibraryScope,
    LibrarySnapshot,
    SyncRequest,
)
from citeloom.domain.projects.project import Project
from citeloom.domain.references.work_versions import RULE, WorkVersions
from citeloom.domain.text.phrasing import counted, listed

from .entries import (
    ABSENT,
    AttachmentFile,
    AttachmentFiles,
    FileState,
    Holding,
    Holdings,
    LibraryDocuments,
    StateBeforeSync,
    filed_items,
    gather,
    gather_items,
    item_of,
    key_of,
)
from .item_choice import LibraryAssigner
from .sync_state import (
    AnnotationSync,
    LibraryPruning,
    SyncStateRecorder,
    is_at_another_path,
    marks_of,
    removed_entries,
)


def scope_text(scope: LibraryScope) -> str:
    """``collections Thesis; tags ponds; groups Lab``, or ``your own library``."""
    groups = (
        ("collections", scope.collections),
        ("tags", scope.tags),
        ("without tags", scope.exclude_tags),
        ("groups", scope.groups),
    )
    parts = [f"{name} {', '.join(values)}" for name, values in groups if values]
    if scope.groups and scope.user:
        parts.append("your own library")
    return "; ".join(parts) or "your own library"


def warnings_of(snapshot: LibrarySnapshot, attachments: Sequence[AttachmentFile]) -> Iterator[str]:
    """Warnings about a snapshot, one for each kind of problem, with its count."""
    yield from snapshot.warnings
    if not snapshot.complete:
        yield "the library was not read completely; nothing was removed"
    missing = [
        one.problem for one in attachments if one.state in (FileState.MISSING, FileState.REFUSED)
    ]
    if missing:
        yield (
            f"{counted(len(missing), 'attachment')} not on this machine: {listed(missing)}; "
            "they are read as soon as they are there"
        )
    others = [one for one in attachments if one.state is FileState.OTHER_KIND]
    if others:
        names = [one.attachment.file_name or one.attachment.path or one.key for one in others]
        yield f"{counted(len(others), 'attachment')} of kinds that nothing is read of: " + (
            listed(names)
        )
    generated = [i.citation.citekey for i in snapshot.items if _is_generated(i)]
    if generated:
        yield (
            f"{counted(len(generated), 'item')} without citation key: keys were generated "
            f"({listed(generated)}); give them keys in Zotero, or with Better BibTeX"
        )


def generated_keys(items: Iterable[LibraryItem]) -> int:
    return sum(map(_is_generated, items))


def _is_generated(item: LibraryItem) -> bool:
    return item.key_source is KeySource.GENERATED


class LibraryRun:
    """Brings a snapshot into a project: files, notes, items without file, annotations; then
    removes what left the library."""

    def __init__(
        self,
        *,
        services: "LibrarySync",
        source: LibrarySource,
        snapshot: LibrarySnapshot,
        stages: StageFingerprints,
        project: Project,
        embedder: Embedder,
        log: IngestLog,
        request: SyncRequest,
    ) -> None:
        ingest = services.ingest
        self._catalogue = ingest.documents.catalogue
        self._indexing = ingest.indexing
        self._followed = services.followed
        self._annotate = services.annotate
        self._snapshot = snapshot
        self._project = project
        self._log = log
        self._progress = log.progress
        self._request = request
        self._items = {key_of(item): item for item in snapshot.items}
        self._works = WorkVersions(snapshot.items)
        known = services.followed.entries(project.id)
        stored = {d.document_id: d for d in self._catalogue.documents(project.id)}
        self._before = StateBeforeSync(stored, known, stages, request.force)
        self._attachment_files = AttachmentFiles(
            source, ingest.documents.files, ingest.converter.supports, known, stored.values()
        )
        self._seen = seen = set(self._items)
        seen.update(map(key_of, snapshot.attachments), map(key_of, snapshot.notes))
        self._left = removed_entries(known, seen, snapshot, prune=request.prune)
        left = {entry.key for entry in self._left}
        self._kept = [e for e in known.values() if e.key not in seen and e.key not in left]
        self._assigner = LibraryAssigner(
            self._works,
            elsewhere=frozenset(e.key.rpartition("/")[2] for e in self._kept),
            whole=snapshot.complete,
            without_item=ReferenceAssigner(None, self._catalogue, project.id),
        )
        self._run = ingest_run(
            ingest, project, embedder, self._assigner, log, _ingest_request(request)
        )
        self._handled: set[str] = set()
        self._marked = 0

    @property
    def settled(self) -> bool:
        """Whether the snapshot was complete and nothing is left for the next run to remove."""
        if self._request.prune is not False:
            return self._snapshot.complete
        stays = removed_entries(self._before.known, self._seen, self._snapshot, prune=None)
        return self._snapshot.complete and not stays

    @property
    def changed(self) -> bool:
        """Whether passages were written or removed."""
        return bool(self._log.written or self._log.removed or self._log.replaced)

    def chunks(self) -> int:
        """The number of passages of the project after the run."""
        changed = self.changed or self._marked
        before = self._before.stored.values()
        now = self._catalogue.documents(self._project.id) if changed else before
        return sum(document.chunks for document in now)

    def optimize(self) -> None:
        """Optimize or compact the index after writes or removals."""
        self._run.optimize()

    def __call__(self, following: Following) -> LibraryReport:
        """Files and notes, items without file, citations, annotations, removals."""
        attachments = self._attachment_files.with_states(self._snapshot.attachments)
        for warning in warnings_of(self._snapshot, attachments):
            self._log.warn(warning)
        marks = marks_of(self._snapshot)
        recorder = SyncStateRecorder(
            self._snapshot, attachments, marks, self._before.known, self._followed
        )
        filed_documents = gather(
            self._snapshot, self._items, attachments, self._attachment_files, self._before
        )
        recorder.begin(self._project, filed_documents.holdings, following)
        for path, reason in filed_documents.failures.items():
            error = InvalidSource(f"{path}: {reason}; check the file")
            self._log.fail(self._project, path, error)
        self._decide(filed_documents.holdings, {})
        self._convert(filed_documents)
        filed = frozenset(filed_items(filed_documents.holdings, self._log.failed, self._kept))
        unfiled_documents = gather_items(self._snapshot.items, self._works, filed, self._before)
        self._decide(
            unfiled_documents.holdings, _missing_files(unfiled_documents.holdings, attachments)
        )
        self._progress.begin(filed_documents.holdings.places + unfiled_documents.holdings.places)
        self._store_converted(filed_documents, unfiled_documents)
        annotation_sync = AnnotationSync(self._annotate, self._catalogue, marks)
        everything = filed_documents.holdings.with_those_of(unfiled_documents.holdings)
        self._cite_and_mark(everything, annotation_sync)
        entries = recorder.entries(everything, self._log.failed, annotation_sync.undone)
        self._prune(entries, following.begun if self.settled else ())
        recorder.finish(self._project, entries)
        for change in self._assigner.key_changes:
            self._progress.notice(f"key changed: {change.old} → {change.new}")
        return self._report(following, attachments)

    def _decide(self, holdings: Holdings, notes_of_document: Mapping[str, Sequence[str]]) -> None:
        """Assign the citations, with the former state of each document."""
        stored, known = self._before.stored, self._before.known
        before = {}
        for holding in holdings:
            former_ids = [known[key].document_id for key in holding.entries if key in known]
            ids = [holding.document_id, *filter(None, former_ids)]
            former = next((stored[one] for one in ids if one in stored), None)
            if former is not None:
                before[holding.document_id] = former
        self._assigner.decide(holdings, before, notes_of_document)

    def _convert(self, gathered: LibraryDocuments) -> None:
        files = [
            FoundFile(
                path=Path(stamp.path),
                stamp=stamp,
                named=True,
                digest=self._attachment_files.read(stamp.path),
            )
            for holding in gathered.holdings
            if holding.role is not DocumentRole.NOTE and self._is_due(holding)
            for stamp in holding.stamps
            if not stamp.is_absent
        ]
        if files:
            self._run.process(files, besides=gathered.holdings.places - len(files))

    def _is_due(self, holding: Holding) -> bool:
        """Whether a file must be processed: not current, or at a new path."""
        stored = self._before.stored.get(holding.document_id)
        present_stamps = [stamp for stamp in holding.stamps if not stamp.is_absent]
        due = bool(present_stamps) and (
            self._request.force
            or stored is None
            or not self._before.stages.is_current_for(stored)
            or any(one not in stored.sources for one in present_stamps)
        )
        if due:
            self._handled.add(holding.document_id)
        return due

    def _store_converted(self, *gathered: LibraryDocuments) -> None:
        """Store new and changed notes and items."""
        made = [
            (self._task(holding), one.made[holding.document_id])
            for one in gathered
            for holding in one.holdings
            if holding.document_id in one.made
        ]
        self._handled.update(document.doc_id for _, document in made)
        self._run.store_converted(made)

    def _task(self, holding: Holding) -> IngestTask:
        stamp, document_id = holding.stamps[0], holding.document_id
        entry = self._before.known.get(holding.entries[0])
        replaced = entry.document_id if entry else None
        is_replaced = replaced in self._before.stored and replaced != document_id
        return IngestTask(
            path=Path(stamp.path),
            need=Need.WORK,
            document_id=document_id,
            stamp=stamp,
            stored=self._before.stored.get(document_id),
            replaces=replaced if is_replaced else None,
        )

    def _cite(self, holding: Holding) -> tuple[StoredDocument, bool] | None:
        """Reassign the citation of a document not processed in this run: the document, and
        whether it changed; None for a processed one."""
        stored = self._before.stored.get(holding.document_id)
        if stored is None or holding.document_id in self._handled:
            return None
        if self._run.is_current(stored):
            return stored, False
        now = self._catalogue.document(self._project.id, holding.document_id)
        return self._run.reassign(now or stored)

    def _cite_and_mark(self, holdings: Holdings, annotation_sync: AnnotationSync) -> None:
        """Reassign citations and annotations of all documents, and report them."""
        cited = {holding.document_id: self._cite(holding) for holding in holdings}
        marked = annotation_sync(self._project, holdings, self._log)
        self._marked = annotation_sync.documents
        for holding in holdings:
            if (reassigned := cited[holding.document_id]) is None:
                continue
            changed = reassigned[1] or holding.document_id in marked
            stored = marked.get(holding.document_id, reassigned[0])
            status = DocumentStatus.UPDATED if changed else DocumentStatus.UNCHANGED
            for stamp in holding.stamps:
                self._log.report(self._project, report_of(stamp.path, stored, status))

    def _prune(self, entries: Sequence[LibraryEntry], begun: Iterable[str]) -> None:
        """Remove documents that left the library, and those of entries that became another
        document, also at paths that a stopped run had ``begun``."""
        known = self._before.known
        moved = [
            before
            for entry in entries
            if (before := known.get(entry.key)) is not None and _moved(before, entry)
        ]
        leave = LibraryPruning(
            catalogue=self._catalogue,
            remover=self._indexing.remover,
            writer=self._indexing.writer,
            followed=self._followed,
            log=self._log,
        )
        left = {entry.key for entry in self._left}
        leave(self._project, [*self._left, *moved], [*entries, *self._kept], left, begun)

    def _report(self, following: Following, attachments: Sequence[AttachmentFile]) -> LibraryReport:
        return _report(
            following,
            complete=self._snapshot.complete,
            documents_marked=self._marked,
            missing_files=sum(one.state in ABSENT for one in attachments),
            generated_keys=generated_keys(self._snapshot.items),
            key_changes=tuple(self._assigner.key_changes),
            rule=RULE if self._assigner.has_alternatives else None,
        )


def _report(following: Following, **more: Any) -> LibraryReport:
    """The report of a sync whose source, scope and counts are those of ``following``."""
    shared = following.model_dump(include=LibraryReport.model_fields.keys() - {"scope"})
    return LibraryReport(scope=following.scope, **shared, **more)


def _moved(before: LibraryEntry, after: LibraryEntry) -> bool:
    return before.document_id != after.document_id or is_at_another_path(before, after)


def _missing_files(
    holdings: Holdings, attachments: Iterable[AttachmentFile]
) -> dict[str, list[str]]:
    """Notes on missing files of items, by document id."""
    notes: dict[str, list[str]] = defaultdict(list)
    for one in attachments:
        item = item_of(one.attachment)
        if one.state in ABSENT and item and (document_id := holdings.of_entry(item)):
            notes[document_id].append(f"its file is not there: {one.place}")
    return notes


def _ingest_request(request: SyncRequest) -> IngestRequest:
    return IngestRequest(
        project_id=request.project_id,
        sources=(),
        model=request.model,
        sentences=request.sentences,
        force=request.force,
        password=request.password,
        passwords=request.passwords,
    )


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


@dataclass(frozen=True, slots=True)
class LibrarySync:
    """Synchronises a project with a scope of a library: adds, updates and prunes documents."""

    ingest: IngestServices
    followed: FollowedLibraries
    annotate: Annotate

    def __call__(
        self, source: LibrarySource, request: SyncRequest, progress: Progress | None = None
    ) -> IngestResult:
        """A bad document is a failed report; errors of the whole run are raised:
        LibraryUnavailable, InvalidRequest (unknown collection or group),
        EmbeddingModelMismatch, ModelUnavailable, ShardBusy, StorageFailed.
        """
        progress = progress or SilentProgress()
        log = IngestLog(self.ingest.journal, self.ingest.clock, progress)
        before = self.followed.following(request.project_id)
        scope = request.scope or (before.scope if before else LibraryScope())
        status = source.status()
        remembered = " (as remembered)" if request.scope is None and before else ""
        asks = "; it uses the network" if source.asks_network else ""
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
        if lacking := self.ingest.missing_passages(project):
            log.warn(lacking)
        today = self.ingest.indexing.writer.embedding_fingerprint(project, embedder.model)
        settings = _settings(self.ingest, today)
        if before is None or before.settings != settings:
            project = self.ingest.indexing.term_weights.recompute_stale(project, today)
        following = _following(status, scope, snapshot, self.ingest.clock.now())
        if before is not None:
            following = following.model_copy(update={"begun": before.begun})
        self.followed.follow(project.id, following)
        run = LibraryRun(
            services=self,
            source=source,
            snapshot=snapshot,
            stages=_stages(self.ingest, today),
            project=project,
            embedder=embedder,
            log=log,
            request=request,
        )
        report = run(following)
        progress.notice(summary_line(report))
        unfinished = before is None or not before.state or not project.retrieval.lengths.settled
        if run.changed or unfinished:
            self.ingest.indexing.term_weights.update_average(project)
        run.optimize()
        if run.settled:
            done = {"state": snapshot.state, "settings": settings, "begun": ()}
            self.followed.follow(project.id, following.model_copy(update=done))
        result = log.result(project, run.chunks())
        return result.model_copy(update={"library": report})

    def _open(self, request: SyncRequest) -> tuple[Project, Embedder, bool]:
        return self.ingest.projects.open_or_create(
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
        today = self.ingest.indexing.writer.embedding_fingerprint(project, embedder.model)
        if before.settings != _settings(self.ingest, today):
            return None
        stored = self.ingest.documents.catalogue.documents(project.id)
        entries = self.followed.entries(project.id)
        reports = unchanged_reports(entries, stored, self.ingest.documents.files)
        if reports is None:
            return None
        if lacking := self.ingest.missing_passages(project):
            log.warn(lacking)
        for report in reports:
            log.report(project, report)
        missing = sum(e.stamp is not None and e.stamp.is_absent for e in entries.values())
        if missing:
            log.warn(f"{counted(missing, 'attachment')} still not on this machine")
        result = log.result(project, sum(document.chunks for document in stored))
        library = _report(before, unchanged=True, missing_files=missing)
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
        chunking=services.indexing.writer.chunker.fingerprint,
        embedding=embedding,
    )


def _settings(services: IngestServices, embedding: str) -> str:
    """The fingerprints of converter, chunker and models."""
    return " ".join(
        [
            services.converter.fingerprint,
            CONVERTER,
            services.indexing.writer.chunker.fingerprint,
            embedding,
        ]
    )
