"""The verbs *ingest* and *annotate*: files to documents, and readers' annotations to passages.

The catalogue entry of a document is written last: an interrupted ingest is completed by running it
again.
"""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from citeloom.application.citation.assignment import ReferenceAssigner
from citeloom.application.citation.references import ReadReferences, read_references
from citeloom.application.index.passage_writer import PassageWriter
from citeloom.application.ports.catalogue import Catalogue, StoredDocument
from citeloom.application.ports.ingest import (
    BundleStore,
    FoundFile,
    FoundFiles,
    Progress,
    SilentProgress,
    SourceFiles,
)
from citeloom.application.ports.library import AnnotationStore
from citeloom.application.projects.projects import ProjectOpener
from citeloom.domain.annotations import Located
from citeloom.domain.documents.readable_folders import ReadableFolders
from citeloom.domain.errors import NoDocuments, ProjectNotFound
from citeloom.domain.ingest import IngestRequest, IngestResult
from citeloom.domain.library import LibraryAnnotation
from citeloom.domain.messages import Action, MessageText, NextStep, UserMessage, prefixed
from citeloom.domain.projects.project import Project, ProjectId
from citeloom.domain.text.phrasing import counted, listed
from citeloom.domain.value import Value

from .report import IngestLog
from .run import IngestServices, ingest_run


def confined(
    found: FoundFiles, within: ReadableFolders, files: SourceFiles
) -> tuple[FoundFiles, Sequence[Path]]:
    """The files in these folders, under their resolved paths, which are opened; and the paths left
    out."""
    kept: dict[Path, FoundFile] = {}
    left_out: list[Path] = []
    for file in found.files:
        real = files.resolved(file.path)
        if not within.admits(real):
            left_out.append(file.path)
        elif real == file.path:
            kept.setdefault(real, file)
        else:
            stamp = file.stamp and file.stamp.model_copy(update={"path": str(real)})
            kept.setdefault(real, file.model_copy(update={"path": real, "stamp": stamp}))
    return found.model_copy(update={"files": tuple(kept.values())}), left_out


def left_out_warning(paths: Sequence[Path]) -> str:
    """The warning that names left-out links, but not their targets."""
    return (
        f"{counted(len(paths), 'link')} out of the folders that may be read "
        f"{'was' if len(paths) == 1 else 'were'} left out: {listed([*map(str, paths)])}"
    )


def known_folders(catalogue: Catalogue, project_id: ProjectId) -> Sequence[Path]:
    """The folders of a project that were ingested; none of one that does not exist."""
    try:
        return catalogue.project(project_id).folders
    except ProjectNotFound:
        return ()


class Ingest:
    """Finds changed files, converts, chunks, embeds, stores and cites them."""

    def __init__(self, services: IngestServices) -> None:
        self._services = services

    def __call__(self, request: IngestRequest, progress: Progress | None = None) -> IngestResult:
        """A bad document is a failed report; errors of the whole run are raised:
        InvalidSource, NoDocuments, ReferencesUnreadable, EmbeddingModelMismatch,
        ModelUnavailable, ShardBusy, StorageFailed.
        """
        progress = progress or SilentProgress()
        log = IngestLog(self._services.journal, self._services.clock, progress)
        request = self._with_known_folders(request, log)
        files = self._find(request, log)
        given = self._given(request.references)
        project, embedder, created = self._services.projects.open_or_create(
            request.project_id, request.model, sentences=request.sentences
        )
        if created:
            progress.notice(f"created project {project.id} with {embedder.model.name}")
        if missing := self._services.missing_passages(project):
            log.warn(missing)
        project, references = self._library(project, given, log)
        project = self._remembered(project, files.folders)
        today = self._services.indexing.writer.embedding_fingerprint(project, embedder.model)
        project = self._services.indexing.term_weights.recompute_stale(project, today)
        assigner = ReferenceAssigner(
            references.library,
            self._services.documents.catalogue,
            project.id,
            is_whole=references.is_whole,
        )
        run = ingest_run(self._services, project, embedder, assigner, log, request)
        if files.links:
            log.warn(_not_entered(files.links))
        run.process(files.files)
        run.reassign_remaining()
        gone = [*map(Path, request.gone), *(files.folders if request.prune else ())]
        if gone:
            run.prune(gone)
        self._services.indexing.term_weights.update_average(project)
        run.optimize()
        stored = self._services.documents.catalogue.documents(project.id)
        if created and log.failed and not stored:
            self._services.indexing.remover.project(project)
            log.warn(f"project {project.id} was not kept: no document could be ingested")
        return log.result(project, sum(document.chunks for document in stored))

    def _with_known_folders(self, request: IngestRequest, log: IngestLog) -> IngestRequest:
        """A request that names nothing is for the folders that were ingested before."""
        if request.sources or request.gone or request.references:
            return request
        known = known_folders(self._services.documents.catalogue, request.project_id)
        there = [one for one in known if self._services.documents.files.exists(str(one))]
        for folder in known:
            if folder not in there:
                log.warn(f"{folder}: the folder is not there; its documents stay as they are")
        return request.model_copy(update={"sources": tuple(map(str, there))})

    def _remembered(self, project: Project, folders: Sequence[Path]) -> Project:
        named = dict.fromkeys((*project.folders, *folders))
        outermost = tuple(
            one for one in named if not any(one != o and one.is_relative_to(o) for o in named)
        )
        if outermost != project.folders:
            project = project.model_copy(update={"folders": outermost})
            self._services.documents.catalogue.update_project(project)
        return project

    def _find(self, request: IngestRequest, log: IngestLog) -> FoundFiles:
        if not request.sources:
            if not request.references and not request.gone:
                raise NoDocuments(
                    "nothing to ingest: no folder was ingested before; name files, folders or a "
                    "reference file"
                )
            return FoundFiles(files=())
        files = self._services.documents.files.find(
            request.sources, self._services.converter.supports
        )
        left_out: Sequence[Path] = ()
        if request.within is not None:
            files, left_out = confined(files, request.within, self._services.documents.files)
            if left_out:
                log.warn(left_out_warning(left_out))
        if not files.files and not (request.prune and files.folders):
            other = ", ".join(f"{count} {suffix}" for suffix, count in files.skipped[:5])
            formats = ", ".join(self._services.converter.formats)
            raise NoDocuments(
                f"{', '.join(request.sources)}: no file that can be ingested"
                + (f" (skipped: {other})" if other else "")
                + (f"; {_not_entered(files.links)}" if files.links else "")
                + (f"; {left_out_warning(left_out)}" if left_out else "")
                + f"; formats: {formats}"
            )
        return files

    def _given(self, references: Sequence[str]) -> list[Path]:
        """The reference files that were named, all readable. Raises ReferencesUnreadable."""
        paths = [Path(one).expanduser().absolute() for one in references]
        for path in paths:
            self._services.references.read(path)
        return paths

    def _library(
        self, project: Project, given: Sequence[Path], log: IngestLog
    ) -> tuple[Project, ReadReferences]:
        """The project with the files that were named, and all its files as one library."""
        changed = project.with_references(given)
        if changed != project:
            self._services.documents.catalogue.update_project(changed)
        references = read_references(self._services.references, changed.reference_files)
        for reason in references.unread:
            log.warn(prefixed("citations stay as they are: ", reason))
        for warning in references.library.warnings if references.library else ():
            log.warn(warning)
        return changed, references


def _not_entered(links: Sequence[Path]) -> str:
    """Links to folders are not followed, which could lead in circles or to the whole disk."""
    is_one = len(links) == 1
    return (
        f"{counted(len(links), 'linked folder')} {'was' if is_one else 'were'} not entered: "
        f"{listed([*map(str, links)])}; to include {'it' if is_one else 'them'}, name "
        f"{'it' if is_one else 'them'} beside the folder"
    )


# To be raised when annotations are located or stored in another way.
_VERSION = "annotations-1"
# Documents that share one flush of the index.
_AT_ONCE = 50
_MISSING = UserMessage(
    "its conversion is missing, so annotations cannot be located", NextStep(Action.INGEST_AGAIN)
)
#: A document with all its annotations.
Marked = tuple[StoredDocument, Sequence[LibraryAnnotation]]
# Fields that a sync changes although the annotation is the same.
_UNSAID: dict[str, bool | set[str]] = {
    "version": True,
    "digest": True,
    "library": {"version", "name"},
}


class AnnotationReport(Value):
    """Result for the annotations of one document. ``document`` is its new state. ``located``
    counts annotations by the way they were located; ``lost`` are the keys of those that were
    not (no query finds them); ``warnings`` are by key. With a ``problem`` nothing was done."""

    document: StoredDocument
    changed: bool
    annotations: int
    located: Mapping[Located, int] = {}
    lost: tuple[str, ...] = ()
    warnings: Mapping[str, str] = {}
    problem: MessageText | None = None

    def warning_texts(self) -> list[str]:
        """Warnings for the reader, one sentence each."""
        document = self.document
        name = document.citation.citekey if document.citation else _path(document)
        if self.problem:
            return [prefixed(f"{name}: ", self.problem)]
        return [f"{name}: annotation {key}: {warning}" for key, warning in self.warnings.items()]


@dataclass(frozen=True, slots=True, kw_only=True)
class Annotate:
    """Replaces the annotations of documents.

    Annotations are stored first, then indexed, and their digest is recorded last: an
    interrupted call is completed by the next. If the stored digest is equal, nothing else is
    read. Every rewrite of a document's passages includes its annotations.
    """

    catalogue: Catalogue
    bundles: BundleStore
    annotations: AnnotationStore
    writer: PassageWriter
    projects: ProjectOpener

    def __call__(
        self, project: Project, stored: StoredDocument, annotations: Sequence[LibraryAnnotation]
    ) -> AnnotationReport:
        """``annotations`` are all annotations of the document, of all its attachments."""
        return self.each(project, [(stored, annotations)])[0]

    def outdated(
        self, project: Project, annotations: Mapping[str, Sequence[LibraryAnnotation]]
    ) -> list[str]:
        """Ids of the documents whose annotations differ from these, or whose passages do not show
        them yet. ``annotations`` are by document id."""
        known = self.annotations.digests(project.id)
        return [one for one, marks in annotations.items() if _is_outdated(known.get(one), marks)]

    def each(self, project: Project, marked: Iterable[Marked]) -> list[AnnotationReport]:
        """The same for many documents, in their order; they share flushes of the index.

        A missing conversion is a ``problem`` of the report. Raises StorageFailed,
        EmbeddingModelMismatch, ModelUnavailable, ShardBusy, IndexUnavailable, ProjectChanged.
        """
        known = self.annotations.digests(project.id)
        reports: list[AnnotationReport] = []
        unflushed: list[tuple[AnnotationReport, str]] = []
        for stored, annotations in marked:
            if not _is_outdated(known.get(stored.document_id), annotations):
                report = AnnotationReport(
                    document=stored, changed=False, annotations=len(annotations)
                )
            else:
                report = self._show(project.id, stored, annotations)
            reports.append(report)
            if report.changed:
                unflushed.append((report, annotation_content_digest(annotations)))
            if len(unflushed) == _AT_ONCE:
                self._flush(project.id, unflushed)
                unflushed = []
        self._flush(project.id, unflushed)
        return reports

    def _show(
        self,
        project_id: ProjectId,
        stored: StoredDocument,
        annotations: Sequence[LibraryAnnotation],
    ) -> AnnotationReport:
        """Store the annotations of a document and index them."""
        document = self.bundles.load(stored.document_id)
        if document is None:
            return AnnotationReport(
                document=stored, changed=False, annotations=len(annotations), problem=_MISSING
            )
        project, embedder = self.projects.open(project_id)
        self.annotations.put(project.id, stored.document_id, annotations)
        for other in project.others:
            self.catalogue.forget_indexed(project.id, other.collection, stored.document_id)
        stored = self.catalogue.document(project.id, stored.document_id) or stored
        chunks, located = self.writer.annotate(project, document, stored, embedder)
        ways = [annotation.located for _, annotation in located.annotations]
        return AnnotationReport(
            document=stored.model_copy(update={"chunks": chunks}),
            changed=True,
            annotations=len(annotations),
            located={way: ways.count(way) for way in Located if way in ways},
            lost=tuple(located.lost),
            warnings=dict(located.warnings),
        )

    def _flush(
        self, project_id: ProjectId, written: Sequence[tuple[AnnotationReport, str]]
    ) -> None:
        """Make passages durable, then record documents and digests."""
        if not written:
            return
        project = self.catalogue.project(project_id)
        self.writer.flush(project)
        for report, digest in written:
            document = report.document
            if self.catalogue.document(project_id, document.document_id) != document:
                self.catalogue.put_document(document, project.collection)
            self.annotations.record_digest(project_id, document.document_id, digest)


def _is_outdated(before: str | None, annotations: Sequence[LibraryAnnotation]) -> bool:
    if before is None:
        return bool(annotations)
    return before != annotation_content_digest(annotations)


def annotation_content_digest(annotations: Sequence[LibraryAnnotation]) -> str:
    """A digest independent of order and of the fields that every sync changes."""
    bodies = sorted(one.model_dump_json(exclude=_UNSAID) for one in annotations)
    return hashlib.sha256("\n".join([_VERSION, *bodies]).encode()).hexdigest()


def _path(document: StoredDocument) -> str:
    return document.path or document.document_id
