"""Passages of one document: chunking, embedding and writing to the index."""

from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass
from itertools import islice
from typing import Self

from citeloom.application.index.annotation_passages import LocatedAnnotations, locate_annotations
from citeloom.application.index.collection import open_collection
from citeloom.application.index.passage_texts import quotes_of, sentence_spans
from citeloom.application.index.term_weights import SEPARATOR, sparse_text
from citeloom.application.ports.catalogue import SourceStamp, StoredDocument
from citeloom.application.ports.index import EmbeddedPassage, Index, Passage
from citeloom.application.ports.ingest import BundleStore, Chunker, IngestStage, Progress
from citeloom.application.ports.library import AnnotationStore
from citeloom.application.ports.models import Embedder, SparseEmbedder
from citeloom.application.ports.system import Clock
from citeloom.domain.citation.metadata import CitationMeta
from citeloom.domain.citation.page_labels import with_confirmed_labels
from citeloom.domain.documents.conversion import ConversionResult
from citeloom.domain.maps.document_map import map_document
from citeloom.domain.projects.embedding_model import EmbeddingModel
from citeloom.domain.projects.project import Project
from citeloom.domain.text.language import detect_language

# Changes when what the index keeps of a passage does.
PAYLOAD_VERSION = 3


@dataclass(frozen=True, slots=True)
class EmbeddedDocument:
    """A document with confirmed page labels, its passages with vectors, and its language."""

    document: ConversionResult
    passages: Sequence[EmbeddedPassage]
    language: str | None


class PassageWriter:
    """Chunks, embeds and stores documents; writes are durable after ``flush``."""

    def __init__(
        self,
        *,
        index: Index,
        bundles: BundleStore,
        annotations: AnnotationStore,
        chunker: Chunker,
        sparse: SparseEmbedder,
        clock: Clock,
        wait_seconds: float,
    ) -> None:
        self._index = index
        self._bundles = bundles
        self._annotations = annotations
        self._chunker = chunker
        self._sparse = sparse
        self._clock = clock
        self._wait = wait_seconds

    def over(self, index: Index) -> Self:
        """The same writer on another index."""
        writer = copy(self)
        writer._index = index
        return writer

    def embedding_fingerprint(self, project: Project, embedder: Embedder) -> str:
        return self.fingerprint_of(project, embedder.model)

    def fingerprint_of(self, project: Project, model: EmbeddingModel) -> str:
        parts = [model.fingerprint, self._sparse.name, f"payload-{PAYLOAD_VERSION}"]
        if not project.retrieval.sentences:
            parts.append("no-sentences")
        return SEPARATOR.join(parts)

    @property
    def sparse_model(self) -> str:
        return self._sparse.name

    @property
    def chunking_fingerprint(self) -> str:
        return self._chunker.fingerprint

    def write(
        self,
        project: Project,
        document: ConversionResult,
        source: SourceStamp,
        citation: CitationMeta | None,
        embedder: Embedder,
        progress: Progress,
    ) -> tuple[int, str | None]:
        """Embed a document with its stored annotations and store it with its map. Returns the
        number of passages and the language of the document."""
        made = self.embed(project, document, source, citation, embedder, progress)
        self.store(project, made, source, progress)
        return len(made.passages), made.language

    def embed(
        self,
        project: Project,
        document: ConversionResult,
        source: SourceStamp,
        citation: CitationMeta | None,
        embedder: Embedder,
        progress: Progress,
    ) -> EmbeddedDocument:
        """The passages of a document and of its stored annotations; nothing is written.

        Passages and map get the page labels that the citation's page range confirms.
        """
        document = with_confirmed_labels(document, citation)
        progress.stage(source.path, IngestStage.CHUNKING)
        chunks = self._chunker.chunk(document, embedder.model, embedder.tokens)
        language = document.language or detect_language(document.plain_text)
        progress.stage(source.path, IngestStage.EMBEDDING)
        stored = self._annotations.annotations(project.id, document.doc_id)
        located = locate_annotations(document, stored, chunks, embedder.model, embedder.tokens)
        passages = [
            Passage(
                chunk=chunk,
                title=document.title,
                authors=document.authors,
                year=document.year,
                source_path=source.path,
                language=language,
                citation=citation,
                sentences=sentence_spans(chunk) if project.retrieval.sentences else (),
                marks=tuple(located.marks.get(chunk.id, ())),
            )
            for chunk in chunks
        ]
        passages += _annotations(located, document, source.path, language, citation)
        average = project.retrieval.lengths.average
        embedded = self._embedded(passages, language, embedder, average)
        return EmbeddedDocument(document, embedded, language)

    def store(
        self, project: Project, made: EmbeddedDocument, source: SourceStamp, progress: Progress
    ) -> None:
        """Write the map and the passages of a document; durable after ``flush``."""
        progress.stage(source.path, IngestStage.STORING)
        self.save_map(made.document, source)
        with open_collection(self._index, project, self._wait, writing=True) as collection:
            collection.replace_document(made.document.doc_id, made.passages)

    def annotate(
        self,
        project: Project,
        document: ConversionResult,
        stored: StoredDocument,
        embedder: Embedder,
    ) -> tuple[int, LocatedAnnotations]:
        """Update a document's annotation passages and the marks of its text passages to the
        stored annotations; durable after ``flush``. Only changed annotations are embedded.
        Returns the number of all passages and the located annotations."""
        document = with_confirmed_labels(document, stored.citation)
        annotations = self._annotations.annotations(project.id, document.doc_id)
        with open_collection(self._index, project, self._wait) as collection:
            indexed = list(collection.passages(document.doc_id))
            before = {p.chunk.id: p.embedding_text() for p in indexed if p.annotation}
            known_vectors = collection.vectors(list(before))
        chunks = [p.chunk for p in indexed if p.annotation is None]
        located = locate_annotations(document, annotations, chunks, embedder.model, embedder.tokens)
        path = stored.path or stored.document_id
        language = stored.language
        passages = _annotations(located, document, path, language, stored.citation)
        texts = {p.chunk.id: p.embedding_text() for p in passages}
        changed_texts = {id: text for id, text in texts.items() if before.get(id) != text}
        vectors = {
            **known_vectors,
            **dict(zip(changed_texts, embedder.embed(changed_texts.values()), strict=True)),
        }
        average = project.retrieval.lengths.average
        sparse = self._sparse.embed(map(sparse_text, passages), language, average)
        embedded = [
            EmbeddedPassage(passage=passage, dense=vectors[passage.chunk.id], sparse=terms)
            for passage, terms in zip(passages, sparse, strict=True)
        ]
        with open_collection(self._index, project, self._wait, writing=True) as collection:
            collection.annotate(document.doc_id, embedded, located.marks)
        return len(chunks) + len(passages), located

    def cite(
        self,
        project: Project,
        document: ConversionResult,
        source: SourceStamp,
        citation: CitationMeta | None,
        *,
        relabel: bool,
    ) -> bool:
        """Change the citation of a written document: payloads change, nothing is embedded.

        With ``relabel``, passages and map get the page labels that the citation confirms.
        Returns whether any page label changed.
        """
        document = with_confirmed_labels(document, citation)
        with open_collection(self._index, project, self._wait, writing=True) as collection:
            collection.set_citation(document.doc_id, citation, source.path)
            changed = relabel and collection.set_page_labels(
                document.doc_id, document.structure.labels
            )
            collection.flush()
        if relabel:
            self.save_map(document, source)
        return changed

    def place(self, project: Project, document: StoredDocument) -> None:
        """Write the document's first path to its passages, after that path changed."""
        path = document.sources[0].path
        with open_collection(self._index, project, self._wait, writing=True) as collection:
            collection.set_citation(document.document_id, document.citation, path)
            collection.flush()

    def save_map(self, document: ConversionResult, source: SourceStamp) -> None:
        """Write the map of a document, whose labels are confirmed."""
        self._bundles.save_map(
            document.doc_id,
            map_document(
                document,
                source_path=source.path,
                source_size=source.size,
                created_at=self._clock.now(),
            ),
        )

    def flush(self, project: Project) -> None:
        """Make writes durable; to be called before the catalogue records them."""
        with open_collection(self._index, project, self._wait) as collection:
            collection.flush()

    def _embedded(
        self,
        passages: Sequence[Passage],
        language: str | None,
        embedder: Embedder,
        average_length: float,
    ) -> list[EmbeddedPassage]:
        texts = [passage.embedding_text() for passage in passages]
        quotes = [quote for p in passages for quote in quotes_of(p.chunk, p.sentences)]
        # One stream, so that the embedder can sort all of it by length.
        vectors = embedder.embed([*texts, *quotes])
        dense = list(islice(vectors, len(texts)))
        words = map(sparse_text, passages)
        sparse = self._sparse.embed(words, language, average_length)
        return [
            EmbeddedPassage(
                passage=passage,
                dense=vector,
                sparse=terms,
                sentences=list(islice(vectors, len(passage.sentences))),
            )
            for passage, vector, terms in zip(passages, dense, sparse, strict=True)
        ]


def _annotations(
    located: LocatedAnnotations,
    document: ConversionResult,
    path: str,
    language: str | None,
    citation: CitationMeta | None,
) -> list[Passage]:
    """Passages of the annotations that have any text to search."""
    return [
        Passage(
            chunk=chunk,
            title=document.title,
            authors=document.authors,
            year=document.year,
            source_path=path,
            language=language,
            citation=citation,
            annotation=annotation,
        )
        for chunk, annotation in located.annotations
        if annotation.text or chunk.text
    ]
