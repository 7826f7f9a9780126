"""Re-embedding of a project's documents into another collection."""

from dataclasses import dataclass

from citeloom.application.index.collection import open_collection
from citeloom.application.index.passage_writer import PassageWriter
from citeloom.application.models.other_models import (
    CurrentFingerprints,
    complete_records,
    index_record,
)
from citeloom.application.ports.catalogue import (
    Catalogue,
    IndexedDocument,
    ProjectState,
    StoredDocument,
)
from citeloom.application.ports.index import Index
from citeloom.application.ports.ingest import BundleStore, Progress
from citeloom.application.ports.models import Embedder
from citeloom.application.ports.system import Clock
from citeloom.domain.documents.conversion import ConversionResult
from citeloom.domain.ingest.report import DocumentReport, DocumentStatus
from citeloom.domain.projects.project import ModelIndex

# Small documents share one flush of the index.
_FLUSH_SECONDS = 1.0


@dataclass(frozen=True, slots=True)
class ReembeddingServices:
    """Collaborators of a re-embedding. ``wait_seconds`` bounds the wait for a busy index."""

    catalogue: Catalogue
    index: Index
    bundles: BundleStore
    writer: PassageWriter
    clock: Clock
    wait_seconds: float = 30.0


class Reembedding:
    """Writes the documents of ``before`` into ``index``, from their stored conversions.

    The catalogue's record of a document is deleted before its passages change, and written
    after they are durable: an interrupted run is completed by the next.
    """

    def __init__(
        self,
        parts: ReembeddingServices,
        before: ProjectState,
        index: ModelIndex,
        embedder: Embedder,
        progress: Progress,
    ) -> None:
        self._parts = parts
        self._documents = before.documents
        self._target = before.project.on(index)
        self._wanted = CurrentFingerprints.of(parts.writer, before.project, index)
        self._embedder = embedder
        self._progress = progress
        self._noted: set[str] = set()
        self._indexed: dict[str, IndexedDocument] = {}
        self._unflushed: list[tuple[StoredDocument, IndexedDocument]] = []
        self._flushed_at = parts.clock.monotonic()
        self.embedded = self.cited = 0
        self.missing: tuple[str, ...] = ()

    def __call__(self) -> None:
        self._look()
        self._progress.begin(len(self._documents))
        for document in self._documents:
            if self._wanted.is_current_for(document, self._indexed.get(document.document_id)):
                self._report(document, DocumentStatus.UNCHANGED)
            else:
                self._write(document)
            if self._parts.clock.monotonic() - self._flushed_at >= _FLUSH_SECONDS:
                self._flush()
        self._flush()

    def updated(self, document: StoredDocument) -> StoredDocument:
        """The document as it is once the collection is in use."""
        indexed = self._indexed[document.document_id]
        written = {
            "chunks": indexed.chunks,
            "chunking": indexed.chunking,
            "embedding": indexed.embedding,
        }
        return document.model_copy(update=written)

    def _look(self) -> None:
        """Read which documents are complete in the collection; delete passages of unknown
        documents."""
        target = self._target
        indexed = self._parts.catalogue.indexed(target.id, target.collection)
        with open_collection(
            self._parts.index, target, self._parts.wait_seconds, writing=True
        ) as collection:
            counts = collection.counts()
            gone = set(counts) - {d.document_id for d in self._documents}
            if gone:
                collection.delete_documents(sorted(gone))
                collection.flush()
        self._noted = set(indexed)
        self._indexed = dict(complete_records(indexed, counts))

    def _write(self, document: StoredDocument) -> None:
        converted = self._parts.bundles.load(document.document_id)
        if converted is None:
            self.missing += (document.sources[0].path,)
            return
        if document.document_id in self._noted:
            target = self._target
            self._parts.catalogue.forget_indexed(target.id, target.collection, document.document_id)
        indexed = self._indexed.get(document.document_id)
        if indexed is not None and self._wanted.stages_match(document, indexed):
            self._cite(document, converted)
            chunks = indexed.chunks
        else:
            chunks = self._embed(document, converted)
        self._unflushed.append((document, index_record(document, self._wanted, chunks)))

    def _cite(self, document: StoredDocument, converted: ConversionResult) -> None:
        self._parts.writer.cite(
            self._target, converted, document.sources[0], document.citation, relabel=True
        )
        self.cited += 1

    def _embed(self, document: StoredDocument, converted: ConversionResult) -> int:
        chunks, _ = self._parts.writer.write(
            self._target,
            converted,
            document.sources[0],
            document.citation,
            self._embedder,
            self._progress,
        )
        self.embedded += 1
        return chunks

    def _flush(self) -> None:
        """Make passages durable, then record them in the catalogue."""
        waiting, self._unflushed = self._unflushed, []
        if waiting:
            self._parts.writer.flush(self._target)
        for document, written in waiting:
            self._parts.catalogue.put_indexed(self._target.id, self._target.collection, written)
            self._indexed[document.document_id] = written
            self._report(document, DocumentStatus.UPDATED)
        self._flushed_at = self._parts.clock.monotonic()

    def _report(self, document: StoredDocument, status: DocumentStatus) -> None:
        self._progress.done(
            DocumentReport(
                source=document.sources[0].path,
                document_id=document.document_id,
                status=status,
                citekey=document.citation.citekey if document.citation else None,
                chunks=self._indexed[document.document_id].chunks,
                pages=document.pages,
            )
        )
