"""Pruning: removal of documents whose files no longer exist."""

from collections.abc import Callable

from citeloom.application.index.passage_writer import PassageWriter
from citeloom.application.index.removal import Remover
from citeloom.application.ingest.report import IngestLog
from citeloom.application.ports.catalogue import Catalogue, SourceStamp, StoredDocument
from citeloom.domain.projects.project import Project


class FilePruning:
    """Removes documents without remaining files, and the missing paths of others (a renamed
    file has its new path by then)."""

    def __init__(
        self,
        project: Project,
        *,
        catalogue: Catalogue,
        remover: Remover,
        writer: PassageWriter,
        log: IngestLog,
    ) -> None:
        self._project = project
        self._catalogue = catalogue
        self._remover = remover
        self._writer = writer
        self._log = log

    def __call__(self, is_gone: Callable[[str], bool]) -> None:
        removed: list[StoredDocument] = []
        for document in self._catalogue.documents(self._project.id):
            left = tuple(one for one in document.sources if not is_gone(one.path))
            if document.sources and not left:
                removed.append(document)
            elif left != document.sources:
                self._write_remaining(document, left)
        self._remover.documents(self._project, [d.document_id for d in removed])
        self._log.removed += len(removed)
        for document in removed:
            self._log.progress.notice(f"removed {document.sources[0].path}: the file is gone")

    def _write_remaining(self, document: StoredDocument, left: tuple[SourceStamp, ...]) -> None:
        """Write the remaining sources; the catalogue last, so that a repetition completes it."""
        remaining = document.model_copy(update={"sources": left})
        if left[0].path != document.sources[0].path:
            self._writer.place(self._project, remaining)
        self._catalogue.put_document(remaining, self._project.collection)
