"""Port of the vector index: collections of passages with dense and sparse vectors."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Protocol

from citeloom.domain.annotations import Annotation, Mark
from citeloom.domain.citation.metadata import CitationMeta
from citeloom.domain.documents.spans import CharSpan, Chunk, ChunkPosition
from citeloom.domain.projects.project import ServerCondition
from citeloom.domain.search.filters import Filter
from citeloom.domain.search.fusion import Scored
from citeloom.domain.value import Value


@dataclass(frozen=True, slots=True)
class SparseVector:
    """Term ids (``indices``, ascending, distinct) with their weights."""

    indices: Sequence[int]
    values: Sequence[float]


class Passage(Value):
    """The payload of a chunk in the index: all that a result shows, so that a query needs no
    other store. ``sentences`` are the spans of the sentences of ``chunk.text`` that have their
    own vectors, in order. ``title``, ``authors`` and ``year`` are the document's own, without its
    citation. ``annotation`` is set on passages of kind annotation; ``marks`` are
    the reader's marks in other passages."""

    chunk: Chunk
    title: str | None
    source_path: str
    language: str | None = None
    citation: CitationMeta | None = None
    authors: tuple[str, ...] = ()
    year: int | None = None
    sentences: tuple[CharSpan, ...] = ()
    annotation: Annotation | None = None
    marks: tuple[Mark, ...] = ()

    @property
    def searched(self) -> str:
        """The text of the sparse vector; of an annotation its quote and comment."""
        return self.annotation.text if self.annotation else self.chunk.text

    def embedding_text(self) -> str:
        """The text of the dense vector: chunk text with headings; for an annotation its quote
        and comment, or the marked text if both are empty."""
        if self.annotation is not None:
            return self.searched or self.chunk.text
        return self.chunk.embedding_text()


@dataclass(frozen=True, slots=True)
class EmbeddedPassage:
    """A passage with its vectors; dense ones have the dimension of the collection's model.
    ``sentences`` are the vectors of ``passage.sentences``, in their order."""

    passage: Passage
    dense: Sequence[float]
    sparse: SparseVector
    sentences: Sequence[Sequence[float]] = ()


class CollectionInfo(Value):
    """Counts and schema of a collection."""

    points: int
    documents: int
    indexed_fields: tuple[str, ...]


class Collection(Protocol):
    """An open collection, valid within its ``with``. Writes are visible to the next read at
    once, and durable after ``flush``. Missing chunk ids are left out of results."""

    def replace_document(self, document_id: str, passages: Sequence[EmbeddedPassage]) -> None:
        """Write a document's passages, then remove its former ones. Raises ValueError for
        vectors of another dimension."""

    def annotate(
        self,
        document_id: str,
        passages: Sequence[EmbeddedPassage],
        marks: Mapping[str, Sequence[Mark]],
    ) -> None:
        """Replace a document's passages of kind annotation and set the marks of its other
        passages, by chunk id (no marks for those that are not named); vectors of the latter stay.
        Unchanged passages are not written. Raises ValueError for vectors of another
        dimension."""

    def delete_documents(self, document_ids: Iterable[str]) -> None:
        """Remove all passages of these documents; unknown ids are ignored."""

    def set_citation(
        self, document_id: str, citation: CitationMeta | None, source_path: str
    ) -> None:
        """Change citation and path in all passages of a document; vectors stay."""

    def set_page_labels(self, document_id: str, labels: Mapping[int, str | None]) -> bool:
        """Set the printed page labels of a document's passages; vectors stay.

        ``labels`` are by page, from 1; ``labels_of`` assigns them to a passage. Returns whether
        any passage changed; unchanged ones are not written.
        """

    def set_sparse(self, vectors: Mapping[str, SparseVector]) -> None:
        """Replace the sparse vectors of these passages, by chunk id; missing ids are ignored."""

    def search(
        self,
        *,
        dense: Sequence[float] | None,
        sparse: SparseVector | None,
        filter: Filter,
        limit: int,
        among: AbstractSet[str] | None = None,
    ) -> list[Scored]:
        """The best ``limit`` passages by each given vector (at most twice ``limit``), those of
        the dense vector first.

        With both vectors each candidate of one is scored by the other too: then every candidate
        has a ``dense`` score, and ``sparse`` is None only if no query term occurs in it. With a
        dense vector, candidates with sentences have a ``sentence`` score. Filter and ``among``
        (search only these chunk ids) are applied inside the engine.
        """

    def fetch(self, ids: Sequence[str]) -> list[Passage]:
        """The passages of these chunk ids, in this order; missing ids are left out."""

    def positions(self, ids: Sequence[str]) -> Mapping[str, ChunkPosition]:
        """Positions of passages in their documents; missing ids and annotations are left out."""

    def sentence_scores(
        self, dense: Sequence[float], ids: Sequence[str]
    ) -> Mapping[str, Sequence[float]]:
        """The cosine similarity of each sentence of these passages to ``dense``, in the order
        of ``Passage.sentences``; passages without sentences are left out."""

    def vectors(self, ids: Sequence[str]) -> Mapping[str, Sequence[float]]:
        """The dense vectors of these passages, of length 1; missing ids are left out."""

    def passages(self, document_id: str | None = None) -> Iterator[Passage]:
        """All passages, or those of one document, ordered by document and chunk index."""

    def export(self, document_id: str | None = None) -> Iterator[EmbeddedPassage]:
        """``passages`` with all their vectors, for transfer to another collection: dense
        vectors of length 1, those of sentences to about three digits."""

    def counts(self) -> Mapping[str, int]:
        """Number of passages by document id."""

    def count(self) -> int:
        """Number of passages."""

    def info(self) -> CollectionInfo: ...

    def flush(self) -> None:
        """Make all writes durable, also against power loss."""

    def compact(self) -> bool:
        """Reclaim the space of removed passages if they are more than a twentieth of all;
        returns whether it did. An optimized collection is left to the next ``Index.optimize``,
        which compacts too. Until then removed passages still count in the BM25 statistics.
        Takes seconds with 10,000 passages: meant for the end of an ingest."""


class Index(Protocol):
    """All collections of a workspace."""

    def open(
        self, collection: str, *, dimension: int, writing: bool = False
    ) -> AbstractContextManager[Collection]:
        """Open a collection, creating it if missing. With ``writing`` no other process writes to
        it during the block; without, the caller changes no passage. Raises ShardBusy, with the
        holder, if another process does not release it in time, and IndexUnavailable if it is
        damaged."""

    def exists(self, collection: str) -> bool: ...

    def optimize(
        self, collection: str, *, dimension: int, on_start: Callable[[], None] | None = None
    ) -> bool:
        """Build the search graph of a collection that has outgrown its last one; returns whether
        that was due. Queries go on meanwhile; a write ends the work, for the next call to start it
        again. ``on_start`` is called before the work, which may take minutes. Raises what ``open``
        does, and StorageFailed."""

    def renewal(self, collection: str, *, dimension: int) -> "AbstractContextManager[Index]":
        """An index in which the collection is empty; at the end of the block it takes the place
        of the one here, damaged or gone, which stays as it is until then, and for good if the
        block raises. Others wait for the collection meanwhile. A server's collection is given
        as it is, to be written over. Raises ShardBusy, StorageFailed."""

    def condition(self, collection: str, *, try_write: bool = False) -> ServerCondition | None:
        """The server's state of a collection; None in the workspace, and without a collection.
        ``try_write``: also tries a change that changes nothing. Raises IndexUnavailable, which
        names the missing parts."""

    def drop(self, collection: str) -> None:
        """Delete a collection; an unknown one is ignored."""

    def close(self) -> None:
        """Close all collections that are kept open between calls."""
