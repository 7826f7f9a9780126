"""One pass over a project: each document that a collection has not, or not as it is today."""

from dataclasses import dataclass

from citeloom.application.index.collection import open_collection
from citeloom.application.index.passage_writer import PassageWriter
from citeloom.application.models.other_models import Wanted, noted, whole
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

# Small documents share the time that it takes to make the index durable.
_SETTLE_SECONDS = 1.0


@dataclass(frozen=True, slots=True)
class ReembeddingParts:
    """Ports and steps, wired once. ``wait_seconds`` bounds the wait for a busy index."""

    catalogue: Catalogue
    index: Index
    bundles: BundleStore
    writer: PassageWriter
    clock: Clock
    wait_seconds: float = 30.0


class Reembedding:
    """Writes the documents of ``before`` into ``index``, from their stored conversions.

    A document is noted in the catalogue after its passages are durable, and what was noted of
    it is forgotten before they are touched: a run that was killed is finished by the next.
    """

    def __init__(
        self,
        parts: ReembeddingParts,
        before: ProjectState,
        index: ModelIndex,
        embedder: Embedder,
        progress: Progress,
    ) -> None:
        self._parts = parts
        self._documents = before.documents
        self._target = before.project.on(index)
        self._wanted = Wanted.of(parts.writer, before.project, index)
        self._embedder = embedder
        self._progress = progress
        self._noted: set[str] = set()
        self._there: dict[str, IndexedDocument] = {}
        self._unsettled: list[tuple[StoredDocument, IndexedDocument]] = []
        self._settled_at = parts.clock.monotonic()
        self.embedded = self.cited = 0
        self.missing: tuple[str, ...] = ()

    def __call__(self) -> None:
        self._look()
        self._progress.begin(len(self._documents))
        for document in self._documents:
            if self._wanted.in_step(document, self._there.get(document.document_id)):
                self._report(document, DocumentStatus.UNCHANGED)
            else:
                self._write(document)
            if self._parts.clock.monotonic() - self._settled_at >= _SETTLE_SECONDS:
                self._settle()
        self._settle()

    def updated(self, document: StoredDocument) -> StoredDocument:
        """The document as it is once the collection is in use."""
        there = self._there[document.document_id]
        written = {
            "chunks": there.chunks,
            "chunking": there.chunking,
            "embedding": there.embedding,
        }
        return document.model_copy(update=written)

    def _look(self) -> None:
        """What is wholly there; what is of no document any more goes."""
        target = self._target
        there = self._parts.catalogue.indexed(target.id, target.collection)
        with open_collection(self._parts.index, target, self._parts.wait_seconds) as collection:
            counts = collection.counts()
            gone = set(counts) - {d.document_id for d in self._documents}
            if gone:
                collection.delete_documents(sorted(gone))
                collection.flush()
        self._noted = set(there)
        self._there = dict(whole(there, counts))

    def _write(self, document: StoredDocument) -> None:
        converted = self._parts.bundles.load(document.document_id)
        if converted is None:
            self.missing += (document.sources[0].path,)
            return
        if document.document_id in self._noted:
            target = self._target
            self._parts.catalogue.forget_indexed(target.id, target.collection, document.document_id)
        there = self._there.get(document.document_id)
        if there is not None and self._wanted.made(document, there):
            self._cite(document, converted)
            chunks = there.chunks
        else:
            chunks = self._embed(document, converted)
        self._unsettled.append((document, noted(document, self._wanted, chunks)))

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

    def _settle(self) -> None:
        """Passages first, then the catalogue: what it notes is wholly there."""
        waiting, self._unsettled = self._unsettled, []
        if waiting:
            self._parts.writer.settle(self._target)
        for document, written in waiting:
            self._parts.catalogue.put_indexed(self._target.id, self._target.collection, written)
            self._there[document.document_id] = written
            self._report(document, DocumentStatus.UPDATED)
        self._settled_at = self._parts.clock.monotonic()

    def _report(self, document: StoredDocument, status: DocumentStatus) -> None:
        self._progress.done(
            DocumentReport(
                source=document.sources[0].path,
                document_id=document.document_id,
                status=status,
                citekey=document.citation.citekey if document.citation else None,
                chunks=self._there[document.document_id].chunks,
                pages=document.pages,
            )
        )
