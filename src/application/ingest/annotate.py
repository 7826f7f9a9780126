"""The verb *annotate*: a reader's annotations of documents, stored and indexed."""

import hashlib
from collections.abc import Iterable, Mapping, Sequence

from citeloom.application.index.passage_writer import PassageWriter
from citeloom.application.ports.catalogue import Catalogue, StoredDocument
from citeloom.application.ports.ingest import BundleStore
from citeloom.application.ports.library import AnnotationStore
from citeloom.application.projects.opener import ProjectOpener
from citeloom.domain.annotations.annotation import Located
from citeloom.domain.library.snapshot import LibraryAnnotation
from citeloom.domain.messages import Action, MessageText, NextStep, UserMessage, prefixed
from citeloom.domain.projects.project import Project
from citeloom.domain.projects.project_id import ProjectId
from citeloom.domain.value import Value

# To be raised when annotations are located or stored in another way.
_VERSION = "annotations-1"
# Documents that share one flush of the index.
_AT_ONCE = 50
_MISSING = UserMessage(
    "its conversion is missing, so that annotations have no place", NextStep(Action.INGEST_AGAIN)
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


class Annotate:
    """Replaces the annotations of documents.

    Annotations are stored first, then indexed, and their digest is recorded last: an
    interrupted call is completed by the next. If the stored digest is equal, nothing else is
    read. Every rewrite of a document's passages includes its annotations.
    """

    def __init__(
        self,
        *,
        catalogue: Catalogue,
        bundles: BundleStore,
        annotations: AnnotationStore,
        writer: PassageWriter,
        projects: ProjectOpener,
    ) -> None:
        self._catalogue = catalogue
        self._bundles = bundles
        self._annotations = annotations
        self._writer = writer
        self._projects = projects

    def __call__(
        self, project: Project, stored: StoredDocument, annotations: Sequence[LibraryAnnotation]
    ) -> AnnotationReport:
        """``annotations`` are all annotations of the document, of all its attachments."""
        return self.each(project, [(stored, annotations)])[0]

    def outdated(
        self, project: Project, annotations: Mapping[str, Sequence[LibraryAnnotation]]
    ) -> list[str]:
        """Ids of those documents that have other annotations than these, or whose passages do not
        show them yet. ``annotations`` are by document id."""
        known = self._annotations.digests(project.id)
        return [one for one, marks in annotations.items() if _is_outdated(known.get(one), marks)]

    def each(self, project: Project, marked: Iterable[Marked]) -> list[AnnotationReport]:
        """The same for many documents, in their order; they share flushes of the index.

        A missing conversion is a ``problem`` of the report. Raises StorageFailed,
        EmbeddingModelMismatch, ModelUnavailable, ShardBusy, IndexUnavailable, ProjectChanged.
        """
        known = self._annotations.digests(project.id)
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
        document = self._bundles.load(stored.document_id)
        if document is None:
            return AnnotationReport(
                document=stored, changed=False, annotations=len(annotations), problem=_MISSING
            )
        project, embedder = self._projects.open(project_id)
        self._annotations.put(project.id, stored.document_id, annotations)
        for other in project.others:
            self._catalogue.forget_indexed(project.id, other.collection, stored.document_id)
        stored = self._catalogue.document(project.id, stored.document_id) or stored
        chunks, located = self._writer.annotate(project, document, stored, embedder)
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
        project = self._catalogue.project(project_id)
        self._writer.flush(project)
        for report, digest in written:
            document = report.document
            if self._catalogue.document(project_id, document.document_id) != document:
                self._catalogue.put_document(document, project.collection)
            self._annotations.record_digest(project_id, document.document_id, digest)


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
