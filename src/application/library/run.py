"""Sync run: a library snapshot brought into a project."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from citeloom.application.ingest.plan import IngestTask, Need, StageFingerprints
from citeloom.application.ingest.report import IngestLog, report_of
from citeloom.application.ingest.run import ingest_run
from citeloom.application.ingest.services import IngestServices
from citeloom.application.library.annotation_sync import AnnotationSync, Annotator, marks_of
from citeloom.application.library.attachments import (
    ABSENT,
    AttachmentDigests,
    AttachmentFile,
    AttachmentFiles,
)
from citeloom.application.library.documents import (
    LibraryDocuments,
    StateBeforeSync,
    filed_items,
    gather,
    gather_items,
)
from citeloom.application.library.entries import item_of, key_of
from citeloom.application.library.holdings import Holding, Holdings
from citeloom.application.library.item_choice import LibraryAssigner
from citeloom.application.library.messages import generated_keys, warnings_of
from citeloom.application.library.pruning import LibraryPruning, removed_entries
from citeloom.application.library.sync_state import SyncStateRecorder, is_at_another_path
from citeloom.application.ports.catalogue import StoredDocument
from citeloom.application.ports.ingest import FoundFile
from citeloom.application.ports.library import (
    FollowedLibraries,
    Following,
    LibraryEntry,
    LibrarySource,
)
from citeloom.application.ports.models import Embedder
from citeloom.domain.errors import InvalidSource
from citeloom.domain.ingest.report import DocumentStatus
from citeloom.domain.ingest.request import IngestRequest
from citeloom.domain.library.holding import DocumentRole
from citeloom.domain.library.snapshot import LibrarySnapshot
from citeloom.domain.library.sync import LibraryReport, SyncRequest
from citeloom.domain.projects.project import Project
from citeloom.domain.references.work_versions import RULE, WorkVersions


@dataclass(frozen=True, slots=True)
class SyncServices:
    """Collaborators of a sync. ``annotator`` stores changed annotations; without it annotations
    are ignored."""

    ingest: IngestServices
    followed: FollowedLibraries
    annotator: Annotator | None = None


class LibraryRun:
    """Brings a snapshot into a project: files, notes, items without file, annotations; then
    removes what left the library."""

    def __init__(
        self,
        *,
        services: SyncServices,
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
        self._annotator = services.annotator
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
        )
        files = AttachmentDigests(ingest.documents.files, self._attachment_files)
        self._run = ingest_run(
            replace(ingest, documents=replace(ingest.documents, files=files)),
            project,
            embedder,
            self._assigner,
            log,
            _ingest_request(request),
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
        annotation_sync = AnnotationSync(self._annotator, self._catalogue, marks)
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
            FoundFile(path=Path(stamp.path), stamp=stamp, named=True)
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
            (self._task(holding), one.is_current_for[holding.document_id])
            for one in gathered
            for holding in one.holdings
            if holding.document_id in one.is_current_for
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
        if self._assigner.is_current(stored):
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
        return LibraryReport(
            source=following.source,
            place=following.place,
            scope=following.scope,
            complete=self._snapshot.complete,
            items=following.items,
            files=following.files,
            notes=following.notes,
            annotations=following.annotations,
            documents_marked=self._marked,
            missing_files=sum(one.state in ABSENT for one in attachments),
            generated_keys=generated_keys(self._snapshot.items),
            key_changes=tuple(self._assigner.key_changes),
            rule=RULE if self._assigner.has_alternatives else None,
        )


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
