"""What a reader marked in the files of a library, handed on where it changed."""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence

from citeloom.application.annotating import AnnotationReport
from citeloom.application.ingest_log import IngestLog
from citeloom.application.ports.catalogue import Catalogue, StoredDocument
from citeloom.application.ports.following import Entry
from citeloom.application.syncing.entries import annotations_digest, entry_key
from citeloom.application.syncing.holdings import Holding
from citeloom.domain.library import LibraryAnnotation, LibrarySnapshot
from citeloom.domain.project import Project

#: Stores what a reader marked in a document, in place of what was stored of it before.
Annotate = Callable[[Project, StoredDocument, Sequence[LibraryAnnotation]], AnnotationReport]
_SHOWN = 5


def marks_of(snapshot: LibrarySnapshot) -> Mapping[str, Sequence[LibraryAnnotation]]:
    """Annotations by the key of their attachment's entry."""
    marks: dict[str, list[LibraryAnnotation]] = defaultdict(list)
    for one in snapshot.annotations:
        marks[entry_key(one.library, one.attachment_key)].append(one)
    return marks


class Marking:
    """Annotates documents of which other marks are noted than there are now, and those that
    were written in this run. ``documents`` counts those whose annotations changed."""

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
        self._lost: list[str] = []
        self.documents = 0

    def mark(self, project: Project, holding: Holding, *, written: bool) -> StoredDocument | None:
        """The document as it is now, if its annotations changed."""
        marks = [one for key in holding.entries for one in self._marks.get(key, ())]
        if self._annotate is None or not (self._changed(holding) or (written and marks)):
            return None
        stored = self._catalogue.document(project.id, holding.document_id)
        if stored is None:
            return None
        done = self._annotate(project, stored, marks)
        if not done.changed:
            return None
        self.documents += 1
        self._lost += [f"{holding.stamps[0].path} ({key})" for key in done.lost]
        return done.document

    def tell(self, log: IngestLog) -> None:
        """Warn of marks that have no place in their documents."""
        if self._lost:
            more = f" and {len(self._lost) - _SHOWN} more" if len(self._lost) > _SHOWN else ""
            log.warn(
                f"{len(self._lost)} annotations have no place in the text of their files: "
                f"{', '.join(self._lost[:_SHOWN])}{more}"
            )

    def _changed(self, holding: Holding) -> bool:
        known = (self._known.get(key) for key in holding.entries)
        before = [entry.annotations for entry in known if entry and entry.annotations]
        now = (annotations_digest(self._marks.get(key, ())) for key in holding.entries)
        return before != [digest for digest in now if digest]
