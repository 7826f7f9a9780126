"""The verb *annotate*: a reader's marks in a document become evidence beside its passages."""

import hashlib
from collections.abc import Mapping, Sequence

from citeloom.application.opening import ProjectOpener
from citeloom.application.ports.annotations import AnnotationStore
from citeloom.application.ports.bundles import BundleStore
from citeloom.application.ports.catalogue import Catalogue, StoredDocument
from citeloom.application.storing import PassageWriter
from citeloom.domain.annotation import Located
from citeloom.domain.library import LibraryAnnotation
from citeloom.domain.project import Project
from citeloom.domain.values import Value

# Changes when annotations are found or kept in another way.
_VERSION = "annotations-1"
# What a sync counts up although nothing was changed.
_UNSAID: dict[str, bool | set[str]] = {
    "version": True,
    "digest": True,
    "library": {"version", "name"},
}


class AnnotationReport(Value):
    """What was done with a document's annotations. ``document`` is as it is now. ``located``
    counts them by how they were found; ``lost`` are the keys of those that have no place in
    the document (they cannot be found by a query); ``warnings`` are by key. With a
    ``problem`` nothing was done."""

    document: StoredDocument
    changed: bool
    annotations: int
    located: Mapping[Located, int] = {}
    lost: tuple[str, ...] = ()
    warnings: Mapping[str, str] = {}
    problem: str | None = None

    def told(self) -> list[str]:
        """A sentence for each thing that the reader should know."""
        document = self.document
        name = document.citation.citekey if document.citation else _path(document)
        if self.problem:
            return [f"{name}: {self.problem}"]
        return [f"{name}: annotation {key}: {said}" for key, said in self.warnings.items()]


class Annotate:
    """Replaces the annotations of a document.

    They are stored first, then shown by the index, and noted as shown last: what was
    interrupted is done by the next call. Where nothing changed, nothing but the stored digest
    is looked at. Whatever writes the document's passages anew, writes its annotations too.
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
        """``annotations`` are all that the document has, of whatever attachment.

        A conversion that is missing is told as ``problem``. Raises StorageFailed,
        EmbeddingModelMismatch, ModelUnavailable, ShardBusy, IndexUnavailable, ProjectChanged.
        """
        digest = annotations_digest(annotations)
        before = self._annotations.digest(project.id, stored.document_id)
        if before == digest or (before is None and not annotations):
            return AnnotationReport(document=stored, changed=False, annotations=len(annotations))
        project, embedder = self._projects.open(project.id)
        document = self._bundles.load(stored.document_id)
        if document is None:
            missing = (
                "its conversion is missing, so that annotations have no place; run "
                "`citeloom ingest` on it with --force"
            )
            return AnnotationReport(
                document=stored, changed=False, annotations=len(annotations), problem=missing
            )
        self._annotations.put(project.id, stored.document_id, annotations)
        for other in project.others:
            self._catalogue.forget_indexed(project.id, other.collection, stored.document_id)
        stored = self._catalogue.document(project.id, stored.document_id) or stored
        chunks, found = self._writer.annotate(project, document, stored, embedder)
        if chunks != stored.chunks:
            stored = stored.model_copy(update={"chunks": chunks})
            self._catalogue.put_document(stored, project.collection)
        self._annotations.settle(project.id, stored.document_id, digest)
        ways = [annotation.located for _, annotation in found.annotations]
        return AnnotationReport(
            document=stored,
            changed=True,
            annotations=len(annotations),
            located={way: ways.count(way) for way in Located if way in ways},
            lost=tuple(found.lost),
            warnings=dict(found.warnings),
        )


def annotations_digest(annotations: Sequence[LibraryAnnotation]) -> str:
    """The same for the same annotations in any order, however often they were synced."""
    bodies = sorted(one.model_dump_json(exclude=_UNSAID) for one in annotations)
    return hashlib.sha256("\n".join([_VERSION, *bodies]).encode()).hexdigest()


def _path(document: StoredDocument) -> str:
    return document.sources[0].path if document.sources else document.document_id
