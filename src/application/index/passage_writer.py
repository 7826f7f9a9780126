"""Passages of one document: chunking, embedding, term weights, annotations, index.

Term weights: BM25 sparse vectors of a project, kept current with its average passage length. BM25
normalises term weights by passage length against the mean of the project. The mean is measured
again when the project has grown or shrunk by half, so that the total cost stays linear in the
passages ingested. If it drifted by a tenth, all sparse vectors are recomputed from the stored text,
without conversion or dense vectors.

The catalogue records the recomputation before the first passage changes and after the last: an
interrupted run is completed by the next.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Final, Self

from citeloom.application.ports.catalogue import Catalogue, SourceStamp, StoredDocument
from citeloom.application.ports.index import EmbeddedPassage, Index, Passage
from citeloom.application.ports.ingest import BundleStore, Chunker, IngestStage, Progress
from citeloom.application.ports.library import AnnotationStore
from citeloom.application.ports.models import Embedder, SparseEmbedder, SparseText, TokenCounter
from citeloom.application.ports.system import Clock
from citeloom.domain.annotations import (
    Annotation,
    AnnotationLocator,
    AnnotationPlace,
    Located,
    Mark,
    mark_of,
)
from citeloom.domain.citation.metadata import CitationMeta, labels_of, with_confirmed_labels
from citeloom.domain.documents.conversion import ConversionResult
from citeloom.domain.documents.spans import CharSpan, Chunk, ChunkKind, annotation_chunk_id
from citeloom.domain.library import LibraryAnnotation
from citeloom.domain.maps.document_map import map_document
from citeloom.domain.projects.project import EmbeddingModel, Lengths, Project
from citeloom.domain.text.sentences import quotable_spans
from citeloom.domain.text.words import detect_language

from .collection import open_collection


@dataclass(frozen=True, slots=True)
class LocatedAnnotations:
    """Annotations located in a document. ``annotations`` are chunks of their own, in reading
    order, numbered after the chunks of the text; ``marks`` are by the id of the marked chunk.
    ``warnings`` are by the annotation's key; ``lost`` are the keys of annotations that were not
    located and have no chunk."""

    annotations: Sequence[tuple[Chunk, Annotation]]
    marks: Mapping[str, Sequence[Mark]]
    warnings: Mapping[str, str]
    lost: Sequence[str]


def locate_annotations(
    document: ConversionResult,
    annotations: Sequence[LibraryAnnotation],
    chunks: Sequence[Chunk],
    model: EmbeddingModel,
    tokens: TokenCounter,
) -> LocatedAnnotations:
    """Locate annotations in a document. ``chunks`` are the chunks of its text. An annotation
    that marks two chunks (chunks may overlap) refers to the one with more of the marked
    text."""
    locator = AnnotationLocator(document) if annotations else None
    placed: list[tuple[AnnotationPlace, LibraryAnnotation]] = []
    warnings: dict[str, str] = {}
    lost = []
    for annotation in annotations:
        place = locator.place(annotation) if locator else None
        if place is None:
            lost.append(annotation.key)
            warnings[annotation.key] = _nowhere(annotation, document)
            continue
        placed.append((place, annotation))
        if place.warning:
            warnings[annotation.key] = place.warning
    placed.sort(key=lambda pair: (pair[0].span.start, pair[0].span.end, pair[1].key))
    annotated_chunks, marks = [], defaultdict(list)
    next_idx = max((chunk.chunk_idx for chunk in chunks), default=-1) + 1
    for idx, (place, annotation) in enumerate(placed, start=next_idx):
        marked = _marked(place, chunks)
        mark = mark_of(annotation, place.page)
        for chunk in marked:
            marks[chunk.id].append(mark)
        chunk = _chunk(document, place, annotation, idx, model, tokens)
        marked_id = marked[0].id if marked else None
        annotated_chunks.append(
            (chunk, Annotation(**dict(mark), located=place.located, chunk_id=marked_id))
        )
    return LocatedAnnotations(
        annotations=annotated_chunks, marks=dict(marks), warnings=warnings, lost=lost
    )


def _chunk(
    document: ConversionResult,
    place: AnnotationPlace,
    annotation: LibraryAnnotation,
    idx: int,
    model: EmbeddingModel,
    tokens: TokenCounter,
) -> Chunk:
    section = document.structure.section_path_at(place.span.start)
    before = [b for b in document.blocks if b.span.start <= place.span.start]
    text = document.text_of(place.span)
    return Chunk(
        id=annotation_chunk_id(
            document.doc_id, annotation.library.path, annotation.key, model.fingerprint
        ),
        doc_id=document.doc_id,
        chunk_idx=idx,
        text=text,
        char_span=place.span,
        page_span=place.page_span,
        page_labels=labels_of(place.page_span, document.structure.labels),
        regions=place.regions,
        section_path=section.segments if section else (),
        paragraph=document.paragraph_at(max(0, len(before) - 1)),
        kind=ChunkKind.ANNOTATION,
        tokens=tokens.count(text),
    )


def _marked(place: AnnotationPlace, chunks: Sequence[Chunk]) -> list[Chunk]:
    """The chunks that overlap the marked text, the largest overlap first."""
    if place.located is Located.PAGE:
        return []
    shares = [(_overlap(place, chunk), chunk) for chunk in chunks]
    shares.sort(key=lambda pair: (-pair[0], pair[1].chunk_idx))
    return [chunk for share, chunk in shares if share]


def _overlap(place: AnnotationPlace, chunk: Chunk) -> int:
    """The number of common characters, white space excluded."""
    start = max(place.span.start, chunk.char_span.start)
    end = min(place.span.end, chunk.char_span.end)
    if start >= end:
        return 0
    offset = chunk.char_span.start
    return len("".join(chunk.text[start - offset : end - offset].split()))


def _nowhere(annotation: LibraryAnnotation, document: ConversionResult) -> str:
    if annotation.page is None or not document.page_count:
        return "its words are not in the document's text"
    return (
        f"it is on page {annotation.page} of a file with {document.page_count} pages, and its "
        "words were not found for certain on another page"
    )


def sentence_spans(chunk: Chunk) -> tuple[CharSpan, ...]:
    """Spans of the quotable sentences; none in tables, reference lists and figures, whose rows,
    entries and labels are not quotable alone."""
    if chunk.kind in (ChunkKind.TABLE, ChunkKind.REFERENCE, ChunkKind.FIGURE):
        return ()
    return tuple(CharSpan(start=start, end=end) for start, end in quotable_spans(chunk.text))


def quotes_of(chunk: Chunk, spans: Iterable[CharSpan]) -> list[str]:
    """The texts of the sentences at these spans of a chunk."""
    return [chunk.text[span.start : span.end] for span in spans]


def embedded_texts(chunks: Sequence[Chunk], *, sentences: bool) -> list[str]:
    """All texts of a document without annotations that are embedded, each once."""
    texts = [chunk.embedding_text() for chunk in chunks]
    if sentences:
        texts += [quote for chunk in chunks for quote in quotes_of(chunk, sentence_spans(chunk))]
    return list(dict.fromkeys(texts))


# Separates the parts of a document's embedding fingerprint: dense model, sparse model, payload.
SEPARATOR: Final = "|"
_GROWTH: Final = 1.5
_DRIFT: Final = 0.1
_BATCH: Final = 500


def sparse_text(passage: Passage) -> SparseText:
    """The BM25 fields of a passage. Title and headings at the beginning of the text are
    removed from the body, so that they are not counted twice."""
    chunk, title = passage.chunk, passage.title or ""
    body = passage.searched or chunk.text
    for heading in (title, *chunk.section_path):
        after = body.removeprefix(heading)
        if after != body and (not after or after[0].isspace()):
            body = after.lstrip()
    nearest = chunk.section_path[-chunk.context_headings :] if chunk.context_headings else ()
    headings = [heading for heading in nearest if heading != title]
    return SparseText(
        body=f"{chunk.table_header}\n{body}" if chunk.table_header else body,
        headings="\n".join(headings),
        title=title,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class TermWeights:
    """Recomputes the sparse vectors of a project when that is due."""

    catalogue: Catalogue
    index: Index
    sparse: SparseEmbedder

    def recompute_stale(self, project: Project, fingerprint: str) -> Project:
        """Recompute the sparse vectors of documents whose embedding fingerprint differs from
        ``fingerprint``, the current one, only in the sparse model. Returns the project as it is
        now."""
        documents = self.catalogue.documents(project.id)
        stale = [d for d in documents if _other_words_only(d.embedding, fingerprint)]
        for part in _parts(stale if self.index.exists(project.collection) else []):
            self._recompute(project, part)
            for document in part:
                renewed = document.model_copy(update={"embedding": fingerprint})
                self.catalogue.put_document(renewed, project.collection)
        name = self.sparse.name
        others = [d for d in documents if d not in stale and name not in _split(d.embedding)]
        if project.sparse_model != name and not others:
            project = project.model_copy(update={"sparse_model": name})
            self.catalogue.update_project(project)
        return project

    def update_average(self, used: Project) -> bool:
        """After a run that wrote with the average length of ``used``: measure the mean and
        recompute the sparse vectors, if due. Returns whether they were recomputed."""
        project = self.catalogue.project(used.id)
        if not self.index.exists(project.collection):
            return False
        lengths = project.retrieval.lengths
        documents = self.catalogue.documents(project.id)
        if lengths.settled and _is_due(sum(d.chunks for d in documents), lengths.measured):
            lengths = self._measured(project, documents)
            project = self._save(project, lengths)
        if lengths.settled and lengths.average == used.retrieval.lengths.average:
            return False
        # Also where another run changed the average while this one wrote with the old one.
        project = self._save(project, lengths.model_copy(update={"settled": False}))
        for part in _parts(documents):
            self._recompute(project, part)
        self._save(project, lengths.model_copy(update={"settled": True}))
        return True

    def _measured(self, project: Project, documents: Sequence[StoredDocument]) -> Lengths:
        total = count = 0
        for part in _parts(documents):
            with open_collection(self.index, project) as collection:
                for document in part:
                    for passage in collection.passages(document.document_id):
                        body = sparse_text(passage).body
                        total += self.sparse.length(body, passage.language)
                        count += 1
        before = project.retrieval.lengths
        mean = max(1.0, total / count) if count else before.average
        drifted = abs(mean - before.average) > _DRIFT * before.average
        return Lengths(
            average=round(mean, 1) if drifted else before.average,
            measured=sum(d.chunks for d in documents),
            settled=not drifted,
        )

    def _save(self, project: Project, lengths: Lengths) -> Project:
        if lengths == project.retrieval.lengths:
            return project
        retrieval = project.retrieval.model_copy(update={"lengths": lengths})
        project = project.model_copy(update={"retrieval": retrieval})
        self.catalogue.update_project(project)
        return project

    def _recompute(self, project: Project, documents: Sequence[StoredDocument]) -> None:
        average = project.retrieval.lengths.average
        with open_collection(self.index, project, writing=True) as collection:
            for document in documents:
                vectors = {}
                for passage in collection.passages(document.document_id):
                    text = sparse_text(passage)
                    (vector,) = self.sparse.embed([text], passage.language, average)
                    vectors[passage.chunk.id] = vector
                collection.set_sparse(vectors)
            collection.flush()


def _parts(documents: Sequence[StoredDocument]) -> Iterator[list[StoredDocument]]:
    """Batches of documents; between them the index is released for other processes."""
    part: list[StoredDocument] = []
    for document in documents:
        part.append(document)
        if sum(d.chunks for d in part) >= _BATCH:
            yield part
            part = []
    if part:
        yield part


def _is_due(passages: int, measured: int) -> bool:
    return passages > _GROWTH * measured or _GROWTH * passages < measured


def _other_words_only(stored: str, today: str) -> bool:
    before, now = _split(stored), _split(today)
    return before != now and before[:1] + before[2:] == now[:1] + now[2:]


def _split(fingerprint: str) -> list[str]:
    return fingerprint.split(SEPARATOR)


# Changes when what the index keeps of a passage does.
PAYLOAD_VERSION = 4


@dataclass(frozen=True, slots=True)
class EmbeddedDocument:
    """A document with confirmed page labels, its passages with vectors, and its language."""

    document: ConversionResult
    passages: Sequence[EmbeddedPassage]
    language: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class PassageWriter:
    """Chunks, embeds and stores documents; writes are durable after ``flush``."""

    index: Index
    bundles: BundleStore
    annotations: AnnotationStore
    chunker: Chunker
    sparse: SparseEmbedder
    clock: Clock

    def over(self, index: Index) -> Self:
        """The same writer on another index."""
        return replace(self, index=index)

    def embedding_fingerprint(self, project: Project, model: EmbeddingModel) -> str:
        parts = [model.fingerprint, self.sparse.name, f"payload-{PAYLOAD_VERSION}"]
        if not project.retrieval.sentences:
            parts.append("no-sentences")
        return SEPARATOR.join(parts)

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
        chunks = self.chunker.chunk(document, embedder.model, embedder.tokens)
        language = document.language or detect_language(document.plain_text)
        progress.stage(source.path, IngestStage.EMBEDDING)
        stored = self.annotations.annotations(project.id, document.doc_id)
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
        with open_collection(self.index, project, writing=True) as collection:
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
        annotations = self.annotations.annotations(project.id, document.doc_id)
        with open_collection(self.index, project) as collection:
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
        sparse = self.sparse.embed(map(sparse_text, passages), language, average)
        embedded = [
            EmbeddedPassage(passage=passage, dense=vectors[passage.chunk.id], sparse=terms)
            for passage, terms in zip(passages, sparse, strict=True)
        ]
        with open_collection(self.index, project, writing=True) as collection:
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
        with open_collection(self.index, project, writing=True) as collection:
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
        with open_collection(self.index, project, writing=True) as collection:
            collection.set_citation(document.document_id, document.citation, path)
            collection.flush()

    def save_map(self, document: ConversionResult, source: SourceStamp) -> None:
        """Write the map of a document, whose labels are confirmed."""
        self.bundles.save_map(
            document.doc_id,
            map_document(
                document,
                source_path=source.path,
                source_size=source.size,
                created_at=self.clock.now(),
            ),
        )

    def flush(self, project: Project) -> None:
        """Make writes durable; to be called before the catalogue records them."""
        with open_collection(self.index, project) as collection:
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
        sparse = self.sparse.embed(words, language, average_length)
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
