"""One converted document into passages, vectors and the index."""

from collections.abc import Sequence

from citeloom.application.mapping import map_document
from citeloom.application.ports.bundles import BundleStore
from citeloom.application.ports.catalogue import SourceStamp
from citeloom.application.ports.chunker import Chunker
from citeloom.application.ports.clock import Clock
from citeloom.application.ports.embedder import Embedder, SparseEmbedder
from citeloom.application.ports.index import EmbeddedPassage, Index, Passage
from citeloom.application.ports.progress import Progress, Stage
from citeloom.application.project_index import open_collection
from citeloom.domain.chunk import Chunk
from citeloom.domain.citation import CitationMeta
from citeloom.domain.conversion import ConversionResult
from citeloom.domain.language import detect_language
from citeloom.domain.page_labels import with_confirmed_labels
from citeloom.domain.project import Project

# Changes when what the index keeps of a passage does.
PAYLOAD_VERSION = 1


class PassageWriter:
    """Chunks, embeds and stores; what it has written is durable when it returns."""

    def __init__(
        self,
        *,
        index: Index,
        bundles: BundleStore,
        chunker: Chunker,
        sparse: SparseEmbedder,
        clock: Clock,
        wait_seconds: float,
    ) -> None:
        self._index = index
        self._bundles = bundles
        self._chunker = chunker
        self._sparse = sparse
        self._clock = clock
        self._wait = wait_seconds

    def embedding_fingerprint(self, embedder: Embedder) -> str:
        return f"{embedder.model.fingerprint}|{self._sparse.name}|payload-{PAYLOAD_VERSION}"

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
        """Returns the number of passages and the language of the document.

        Passages and map have the page labels that the citation's page range confirms.
        """
        document = with_confirmed_labels(document, citation.page if citation else None)
        progress.stage(source.path, Stage.CHUNKING)
        chunks = self._chunker.chunk(document, embedder.model, embedder.tokens)
        language = document.language or detect_language(document.plain_text)
        progress.stage(source.path, Stage.EMBEDDING)
        passages = self._embedded(chunks, document, source.path, language, citation, embedder)
        progress.stage(source.path, Stage.STORING)
        self._bundles.save_map(
            document.doc_id,
            map_document(
                document,
                source_path=source.path,
                source_size=source.size,
                created_at=self._clock.now(),
            ),
        )
        with open_collection(self._index, project, self._wait) as collection:
            collection.replace_document(document.doc_id, passages)
            collection.flush()
        return len(chunks), language

    def _embedded(
        self,
        chunks: Sequence[Chunk],
        document: ConversionResult,
        source_path: str,
        language: str | None,
        citation: CitationMeta | None,
        embedder: Embedder,
    ) -> list[EmbeddedPassage]:
        texts = [chunk.embedding_text() for chunk in chunks]
        dense = embedder.embed(texts)
        sparse = self._sparse.embed(texts, language)
        return [
            EmbeddedPassage(
                passage=Passage(
                    chunk=chunk,
                    title=document.title,
                    source_path=source_path,
                    language=language,
                    citation=citation,
                ),
                dense=vector,
                sparse=terms,
            )
            for chunk, vector, terms in zip(chunks, dense, sparse, strict=True)
        ]
