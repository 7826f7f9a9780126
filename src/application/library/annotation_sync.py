"""Synchronisation of annotations: changed annotations of library attachments."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence, Set

from citeloom.application.ingest.annotate import AnnotationReport, Marked
from citeloom.application.ingest.report import IngestLog
from citeloom.application.library.entries import annotation_versions_digest, entry_key
from citeloom.application.library.holdings import Holding
from citeloom.application.ports.catalogue import Catalogue, StoredDocument
from citeloom.application.ports.library import LibraryEntry
from citeloom.domain.library.snapshot import LibraryAnnotation, LibrarySnapshot
from citeloom.domain.projects.project import Project

#: Replaces the stored annotations of documents.
Annotate = Callable[[Project, Iterable[Marked]], Sequence[AnnotationReport]]


def marks_of(snapshot: LibrarySnapshot) -> Mapping[str, Sequence[LibraryAnnotation]]:
    """Annotations by the key of their attachment's entry."""
    marks: dict[str, list[LibraryAnnotation]] = defaultdict(list)
    for one in snapshot.annotations:
        marks[entry_key(one.library, one.attachment_key)].append(one)
    return marks


class AnnotationSync:
    """Annotates documents whose annotations changed since the last sync, and those rewritten
    in this run. ``documents`` counts the documents whose annotations changed; ``undone`` are
    keys of entries whose annotations could not be stored."""

    def __init__(
        self,
        annotate: Annotate | None,
        catalogue: Catalogue,
        known: Mapping[str, LibraryEntry],
        marks: Mapping[str, Sequence[LibraryAnnotation]],
    ) -> None:
        self._annotate = annotate
        self._catalogue = catalogue
        self._known = known
        self._marks = marks
        self.documents = 0
        self.undone: set[str] = set()

    def __call__(
        self, project: Project, holdings: Iterable[Holding], written: Set[str], log: IngestLog
    ) -> Mapping[str, StoredDocument]:
        """The new states of annotated documents, by id. ``written`` are the ids of documents
        written in this run."""
        if self._annotate is None:
            return {}
        due: list[tuple[Holding, Marked]] = []
        for holding in holdings:
            marks = [one for key in holding.entries for one in self._marks.get(key, ())]
            if not self._differs(holding) and not (marks and holding.document_id in written):
                continue
            stored = self._catalogue.document(project.id, holding.document_id)
            if stored is not None:
                due.append((holding, (stored, marks)))
        changed: dict[str, StoredDocument] = {}
        reports = self._annotate(project, [marked for _, marked in due]) if due else ()
        for (holding, _), report in zip(due, reports, strict=True):
            for warning in report.warning_texts():
                log.warn(warning)
            if report.problem:
                self.undone.update(holding.entries)
            elif report.changed:
                changed[holding.document_id] = report.document
        self.documents = len(changed)
        return changed

    def _differs(self, holding: Holding) -> bool:
        known = (self._known.get(key) for key in holding.entries)
        before = [entry.annotations for entry in known if entry and entry.annotations]
        now = (annotation_versions_digest(self._marks.get(key, ())) for key in holding.entries)
        return before != [digest for digest in now if digest]
