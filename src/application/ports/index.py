"""Port: the vector index, one collection a project."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Protocol

from citeloom.domain.annotations.annotation import Annotation, Mark
from citeloom.domain.citation.metadata import CitationMeta
from citeloom.domain.documents.chunk import Chunk, ChunkPosition
from citeloom.domain.documents.spans import CharSpan
from citeloom.domain.search.filters import Filter
from citeloom.domain.value import Value


@dataclass(frozen=True, slots=True)
class SparseVector:
    """Term ids (ascending, distinct) with their weights."""

    indices: Sequence[int]
    values: Sequence[float]


class Passage(Value):
    """What the index keeps of a chunk: all that a result shows, so that a query needs no
    other store. ``citation`` is None where none was found. ``sentences`` are the spans of
    those sentences of ``chunk.text`` that have vectors of their own, in order. ``annotation``
    is set on passages of kind annotation, ``marks`` are those that a reader made in any
    other."""

    chunk: Chunk
    title: str | None
    source_path: str
    language: str | None = None
    citation: CitationMeta | None = None
    sentences: tuple[CharSpan, ...] = ()
    annotation: Annotation | None = None
    marks: tuple[Mark, ...] = ()

    @property
    def searched(self) -> str:
        """What it is found by, word for word: of an annotation its quote and comment."""
        return self.annotation.text if self.annotation else self.chunk.text

    def embedding_text(self) -> str:
        """What its dense vector is made of: the text under its headings; an annotation as it
        stands, or its place in the text where it says nothing."""
        if self.annotation is not None:
            return self.searched or self.chunk.text
        return self.chunk.embedding_text()


@dataclass(frozen=True, slots=True)
class EmbeddedPassage:
    """A passage with its vectors; the dense ones have the dimension of the project's model.
    ``sentences`` are as many as ``passage.sentences``, in their order."""

    passage: Passage
    dense: Sequence[float]
    sparse: SparseVector
    sentences: Sequence[Sequence[float]] = ()


@dataclass(frozen=True, slots=True)
class CandidatePassage:
    """A passage that was found, by its chunk id, with its raw scores. ``dense`` is the cosine
    similarity of the passage, ``sentence`` that of its best sentence, ``sparse`` the BM25
    score; None where it has no such score."""

    id: str
    dense: float | None
    sparse: float | None
    sentence: float | None = None


class CollectionInfo(Value):
    """Counts and schema of a collection."""

    points: int
    documents: int
    indexed_fields: tuple[str, ...]


class Collection(Protocol):
    """An open collection. Everything written is visible to the next read at once, and
    durable after ``flush``. Not to be used after its ``with``."""

    def replace_document(self, document_id: str, passages: Sequence[EmbeddedPassage]) -> None:
        """Write a document's passages and remove all others that it had. The new ones are
        there before the others go. Raises ValueError for vectors of another dimension."""

    def annotate(
        self,
        document_id: str,
        passages: Sequence[EmbeddedPassage],
        marks: Mapping[str, Sequence[Mark]],
    ) -> None:
        """Write a document's passages of kind annotation and remove all others of this kind
        that it had; give its other passages their marks, by chunk id, and those that are not
        named none, without vectors. What is the same is not written. Raises ValueError for
        vectors of another dimension."""

    def delete_documents(self, document_ids: Iterable[str]) -> None:
        """Remove all passages of these documents; unknown ids are no error."""

    def set_citation(
        self, document_id: str, citation: CitationMeta | None, source_path: str
    ) -> None:
        """Change a document's citation and path in all its passages, without vectors."""

    def set_page_labels(self, document_id: str, labels: Mapping[int, str | None]) -> bool:
        """Give a document's passages the printed labels of their pages, without vectors.

        ``labels`` are by page, from 1; ``labels_of`` says which a passage gets. Returns
        whether any had others; those that had these are not written.
        """

    def set_sparse(self, vectors: Mapping[str, SparseVector]) -> None:
        """Replace the sparse vectors of these passages, by chunk id, and nothing else; ids
        that are gone are left out."""

    def search(
        self,
        *,
        dense: Sequence[float] | None,
        sparse: SparseVector | None,
        filter: Filter,
        limit: int,
        among: AbstractSet[str] | None = None,
    ) -> list[CandidatePassage]:
        """The best ``limit`` passages of each side that was given (at most twice as many),
        those of the dense side first.

        With both sides, each candidate of the one is scored on the other as well: a
        ``dense`` score is set on every candidate then; ``sparse`` is None only if no query
        term occurs. With a dense vector, all candidates that have sentences are scored by
        them. The filter is applied inside the engine, and so is ``among``: with it only the
        passages of these chunk ids are searched.
        """

    def fetch(self, ids: Sequence[str]) -> list[Passage]:
        """The passages of these chunk ids, in this order; ids that are gone are left out."""

    def positions(self, ids: Sequence[str]) -> Mapping[str, ChunkPosition]:
        """Where these passages stand in their documents; ids that are gone are left out, and
        annotations, which stand beside the text."""

    def sentence_scores(
        self, dense: Sequence[float], ids: Sequence[str]
    ) -> Mapping[str, Sequence[float]]:
        """The cosine similarity of each sentence of these passages, in the order of
        ``Passage.sentences``; passages without sentences are left out."""

    def vectors(self, ids: Sequence[str]) -> Mapping[str, Sequence[float]]:
        """The dense vectors of these passages, of length 1; ids that are gone are left out."""

    def passages(self, document_id: str | None = None) -> Iterator[Passage]:
        """All passages, or those of one document, in the order of document and index."""

    def export(self, document_id: str | None = None) -> Iterator[EmbeddedPassage]:
        """``passages`` with all their vectors, as another collection can be given them: the
        dense ones of length 1, those of the sentences to about three digits."""

    def counts(self) -> Mapping[str, int]:
        """Passages by document id."""

    def info(self) -> CollectionInfo: ...

    def flush(self) -> None:
        """Make all writes durable (power loss included)."""

    def compact(self) -> bool:
        """Reclaim what removed passages left behind, if that is more than a twentieth of
        all; returns whether it did. A collection that was optimized is left to the next
        ``Index.optimize``, which does this as well. Until then they still count in the BM25
        statistics.
        Slow (seconds with 10,000 passages): for the end of an ingest that removed some."""


class Index(Protocol):
    """All collections of a workspace."""

    def open(
        self, collection: str, *, dimension: int, wait_seconds: float = 30.0
    ) -> AbstractContextManager[Collection]:
        """Open (creating if need be) a collection. Raises ShardBusy, naming the holder,
        when another process does not give it up within ``wait_seconds``, IndexUnavailable
        when it is damaged."""

    def exists(self, collection: str) -> bool: ...

    def optimize(
        self,
        collection: str,
        *,
        dimension: int,
        wait_seconds: float = 30.0,
        begun: Callable[[], None] | None = None,
    ) -> bool:
        """Do what keeps a collection that has grown large fast; whether there was anything to
        do. Queries and writes go on meanwhile. ``begun`` is called before what may take
        minutes. Raises what ``open`` does, and StorageFailed."""

    def drop(self, collection: str) -> None:
        """Delete a collection; an unknown one is no error."""

    def close(self) -> None:
        """Give up everything that is kept warm."""
