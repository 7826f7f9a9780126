"""What a reader marked in the files of a library, handed on where it changed."""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

from citeloom.application.annotating import AnnotationReport, Marked
from citeloom.application.ingest_log import IngestLog
from citeloom.application.ports.catalogue import Catalogue, StoredDocument
from citeloom.application.ports.following import Entry
from citeloom.application.syncing.entries import annotations_digest, entry_key
from citeloom.application.syncing.holdings import Holding
from citeloom.domain.library import LibraryAnnotation, LibrarySnapshot
from citeloom.domain.project import Project

#: Stores what a reader marked in documents, in place of what was stored of them before; a
#: report for each.
Annotate = Callable[[Project, Sequence[Marked]], Sequence[AnnotationReport]]


def marks_of(snapshot: LibrarySnapshot) -> Mapping[str, Sequence[LibraryAnnotation]]:
    """Annotations by the key of their attachment's entry."""
    marks: dict[str, list[LibraryAnnotation]] = defaultdict(list)
    for one in snapshot.annotations:
        marks[entry_key(one.library, one.attachment_key)].append(one)
    return marks


class Marking:
    """Annotates documents of which other marks are noted than there are now, and those that
    were written in this run.

    ``unmarked`` are the entries whose marks could not be stored: the next run tries again.
    """

    def __init__(
        self,
        annotate: Annotate | None,
        catalogue: Catalogue,
        known: Mapping[str, Entry],
        marks: Mapping[str, Sequence[LibraryAnnotation]],
    ) -> None:
        self._annotate = annotate
        self._catalogue = catalogue
        self._known = known
        self._marks = marks
        self.unmarked: set[str] = set()

    def __call__(
        self,
        project: Project,
        holdings: Iterable[Holding],
        written: Collection[str],
        log: IngestLog,
    ) -> Mapping[str, StoredDocument]:
        """The documents whose annotations changed, by id, as they are now. ``written`` are the
        ids of those that this run wrote."""
        if self._annotate is None:
            return {}
        due: list[Marked] = []
        entries: list[Sequence[str]] = []
        for holding in holdings:
            marks = [one for key in holding.entries for one in self._marks.get(key, ())]
            anew = bool(marks) and holding.document_id in written
            if not (anew or self._changed(holding)):
                continue
            stored = self._catalogue.document(project.id, holding.document_id)
            if stored is not None:
                due.append((stored, marks))
                entries.append(holding.entries)
        reports = self._annotate(project, due) if due else ()
        for keys, report in zip(entries, reports, strict=True):
            for warning in report.told():
                log.warn(warning)
            if report.problem:
                self.unmarked.update(keys)
        return {one.document.document_id: one.document for one in reports if one.changed}

    def _changed(self, holding: Holding) -> bool:
        known = (self._known.get(key) for key in holding.entries)
        before = [entry.annotations for entry in known if entry and entry.annotations]
        now = (annotations_digest(self._marks.get(key, ())) for key in holding.entries)
        return before != [digest for digest in now if digest]
