"""Synchronisation of annotations: changed annotations of library attachments."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol

from citeloom.application.ingest.annotate import AnnotationReport, Marked
from citeloom.application.ingest.report import IngestLog
from citeloom.application.library.entries import entry_key
from citeloom.application.library.holdings import Holding
from citeloom.application.ports.catalogue import Catalogue, StoredDocument
from citeloom.domain.library.snapshot import LibraryAnnotation, LibrarySnapshot
from citeloom.domain.projects.project import Project


class Annotator(Protocol):
    """Replaces the stored annotations of documents."""

    def outdated(
        self, project: Project, annotations: Mapping[str, Sequence[LibraryAnnotation]]
    ) -> Sequence[str]:
        """Ids of those documents whose stored or shown annotations are other ones."""

    def each(self, project: Project, marked: Iterable[Marked]) -> Sequence[AnnotationReport]:
        """One report a document, in their order."""


def marks_of(snapshot: LibrarySnapshot) -> Mapping[str, Sequence[LibraryAnnotation]]:
    """Annotations by the key of their attachment's entry."""
    marks: dict[str, list[LibraryAnnotation]] = defaultdict(list)
    for one in snapshot.annotations:
        marks[entry_key(one.library, one.attachment_key)].append(one)
    return marks


class AnnotationSync:
    """Annotates the documents that have other annotations than their attachments. What counts is
    what is stored with each document, not what an earlier sync noted: that may have been stopped
    anywhere. ``documents`` counts the documents whose annotations changed; ``undone`` are keys of
    entries whose annotations could not be stored."""

    def __init__(
        self,
        annotator: Annotator | None,
        catalogue: Catalogue,
        marks: Mapping[str, Sequence[LibraryAnnotation]],
    ) -> None:
        self._annotator = annotator
        self._catalogue = catalogue
        self._marks = marks
        self.documents = 0
        self.undone: set[str] = set()

    def __call__(
        self, project: Project, holdings: Iterable[Holding], log: IngestLog
    ) -> Mapping[str, StoredDocument]:
        """The new states of annotated documents, by id."""
        if self._annotator is None:
            return {}
        by_id = {holding.document_id: holding for holding in holdings}
        marks = {
            document_id: [one for key in holding.entries for one in self._marks.get(key, ())]
            for document_id, holding in by_id.items()
        }
        due: list[Marked] = []
        for document_id in self._annotator.outdated(project, marks):
            stored = self._catalogue.document(project.id, document_id)
            if stored is not None:
                due.append((stored, marks[document_id]))
        changed: dict[str, StoredDocument] = {}
        for report in self._annotator.each(project, due) if due else ():
            for warning in report.warning_texts():
                log.warn(warning)
            document_id = report.document.document_id
            if report.problem:
                self.undone.update(by_id[document_id].entries)
            elif report.changed:
                changed[document_id] = report.document
        self.documents = len(changed)
        return changed
