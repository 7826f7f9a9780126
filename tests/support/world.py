"""A whole CiteLoom in memory, over real files in a temporary folder."""

import dataclasses
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from support.builders import SteadyClock

from citeloom.application.index.passage_writer import PassageWriter
from citeloom.application.index.placed_index import PlacedIndex
from citeloom.application.index.relocation import Mover
from citeloom.application.index.removal import Remover
from citeloom.application.index.term_weights import Weigher
from citeloom.application.ingest.annotate import Annotate
from citeloom.application.ingest.ingest import Ingest
from citeloom.application.ingest.services import IngestParts
from citeloom.application.maps.map_lookup import MapLookup
from citeloom.application.models.migration import Migration
from citeloom.application.models.reembedding import ReembeddingParts
from citeloom.application.ports.catalogue import StoredDocument
from citeloom.application.ports.index import Index
from citeloom.application.ports.ingest import ConversionJob, ConversionOutcome, Heard
from citeloom.application.projects.inspection import Inspect
from citeloom.application.projects.opener import ProjectOpener
from citeloom.application.projects.projects import Projects
from citeloom.application.projects.repair import Repair
from citeloom.application.search.query import Query
from citeloom.application.search.reranking import Reranking
from citeloom.application.search.searcher import Searcher
from citeloom.application.validation.validate import Validate
from citeloom.domain.documents.conversion import ConversionResult
from citeloom.domain.ingest.report import IngestResult
from citeloom.domain.ingest.request import IngestRequest
from citeloom.domain.projects.embedding_model import EmbeddingModel
from citeloom.domain.projects.fusion_policy import DEFAULT_POLICY, FusionPolicy
from citeloom.domain.projects.index_place import IndexPlace
from citeloom.domain.projects.project_id import ProjectId
from citeloom.domain.search.filters import Filter, parse_clause
from citeloom.domain.search.fusion import Mode
from citeloom.domain.search.request import QueryRequest, QueryResult
from citeloom.infrastructure.in_memory.converter import PlainTextConverter
from citeloom.infrastructure.in_memory.embedder import HashingEmbedder
from citeloom.infrastructure.in_memory.index import InMemoryIndex
from citeloom.infrastructure.in_memory.references import InMemoryReferenceReader
from citeloom.infrastructure.in_memory.stores import (
    InMemoryAnnotationStore,
    InMemoryAuditLog,
    InMemoryBundleStore,
    InMemoryCatalogue,
)
from citeloom.infrastructure.ingest.chunking.structural import StructuralChunker
from citeloom.infrastructure.ingest.source_files import LocalFiles
from citeloom.infrastructure.models.embedding.bm25 import Bm25Embedder
from citeloom.infrastructure.references.retraction_watch import RetractionWatchReader

HERE = ProjectId.parse("thesis")
PONDS = """# Ponds cool the street

Oriana Szélkuti, doi:10.5555/ponds

## Methods

We measured air temperature beside four ponds on summer evenings.

## Results

The cooling falls with distance and is gone at one hundred metres.
"""
GRIDS = """# Grid, random or transect

Halvard Quillenbrook, doi:10.5555/grids

## Results

The square grid has the smallest error at every sample size.
"""


class CountingConverter:
    """The plain converter; ``seen`` are the files it was given. ``failing`` names raise."""

    def __init__(self) -> None:
        self.seen: list[str] = []
        self.version = 1
        self._inner = PlainTextConverter()

    @property
    def fingerprint(self) -> str:
        return f"{self._inner.fingerprint}:{self.version}"

    def is_current(self, fingerprint: str) -> bool:
        return fingerprint == self.fingerprint

    def supports(self, source: Path) -> bool:
        return self._inner.supports(source)

    def convert(
        self, jobs: Iterable[ConversionJob], heard: Heard | None = None
    ) -> Iterator[ConversionOutcome]:
        for job in jobs:
            self.seen.append(job.source.name)
            for outcome in self._inner.convert([job]):
                result = outcome.result
                if result is not None:
                    result = result.model_copy(update={"converter": self.fingerprint})
                yield outcome.model_copy(update={"result": result})


class CountingEmbedder(HashingEmbedder):
    """``embedded`` counts the texts."""

    embedded = 0

    def embed(self, texts: Iterable[str]) -> Iterator[Sequence[float]]:
        for text in texts:
            self.embedded += 1
            yield self.embed_query(text)


@dataclass
class World:
    """All verbs over one set of stores. ``folder`` holds the files."""

    folder: Path
    catalogue: InMemoryCatalogue = field(default_factory=InMemoryCatalogue)
    bundles: InMemoryBundleStore = field(default_factory=InMemoryBundleStore)
    index: Index = field(default_factory=InMemoryIndex)
    annotations: InMemoryAnnotationStore = field(default_factory=InMemoryAnnotationStore)
    audit: InMemoryAuditLog = field(default_factory=InMemoryAuditLog)
    references: InMemoryReferenceReader = field(default_factory=InMemoryReferenceReader)
    converter: CountingConverter = field(default_factory=CountingConverter)
    clock: SteadyClock = field(default_factory=SteadyClock)
    chunker: StructuralChunker = field(default_factory=StructuralChunker)
    place: IndexPlace | None = None
    servers: dict[str, InMemoryIndex] = field(default_factory=dict)
    embedders: dict[str, CountingEmbedder] = field(default_factory=dict)
    sparse: Bm25Embedder = field(default_factory=Bm25Embedder)
    reranking: Reranking | None = None
    policy: FusionPolicy = DEFAULT_POLICY

    def embedder(self, name: str) -> CountingEmbedder:
        return self.embedders.setdefault(name, CountingEmbedder(name))

    @property
    def embedded(self) -> int:
        return sum(one.embedded for one in self.embedders.values())

    @property
    def opener(self) -> ProjectOpener:
        return ProjectOpener(
            catalogue=self.catalogue,
            embedder=self.embedder,
            sparse=self.sparse,
            clock=self.clock,
            default_model="hashing",
            place=self.place,
            taken=self.placed.holds,
        )

    @property
    def writer(self) -> PassageWriter:
        return PassageWriter(
            index=self.index,
            bundles=self.bundles,
            annotations=self.annotations,
            chunker=self.chunker,
            sparse=self.sparse,
            clock=self.clock,
            wait_seconds=1,
        )

    @property
    def weigher(self) -> Weigher:
        return Weigher(
            catalogue=self.catalogue, index=self.index, sparse=self.sparse, wait_seconds=1
        )

    @property
    def remover(self) -> Remover:
        return Remover(
            catalogue=self.catalogue, index=self.index, bundles=self.bundles, wait_seconds=1
        )

    def ingest_parts(self) -> IngestParts:
        return IngestParts(
            catalogue=self.catalogue,
            bundles=self.bundles,
            index=self.index,
            converter=self.converter,
            files=LocalFiles(),
            references=self.references,
            writer=self.writer,
            weigher=self.weigher,
            remover=self.remover,
            projects=self.opener,
            audit=self.audit,
            clock=self.clock,
        )

    def ingest_verb(self) -> Ingest:
        return Ingest(self.ingest_parts())

    def ingest(self, *sources: Path | str, **request: Any) -> IngestResult:
        given = tuple(str(source) for source in sources) or (str(self.folder),)
        values: dict[str, Any] = {"project_id": HERE, "sources": given}
        return self.ingest_verb()(IngestRequest(**values | request))

    def searcher(self) -> Searcher:
        reranking = self.reranking
        return Searcher(
            catalogue=self.catalogue,
            index=self.index,
            embedder=self.embedder,
            sparse=self.sparse,
            fusion=self.policy,
            reranking=(lambda: reranking) if reranking else None,
        )

    def query(self, text: str, *filters: str, **request: Any) -> QueryResult:
        clauses = tuple(parse_clause(one) for one in filters)
        verb = Query(catalogue=self.catalogue, searcher=self.searcher())
        values: dict[str, Any] = {
            "project_id": HERE,
            "query_text": text,
            "filter": Filter(clauses=clauses),
            "mode": Mode.HYBRID,
        }
        return verb(QueryRequest(**values | request))

    @property
    def inspect(self) -> Inspect:
        return Inspect(catalogue=self.catalogue, index=self.index)

    @property
    def repair(self) -> Repair:
        return Repair(
            catalogue=self.catalogue,
            index=self.index,
            bundles=self.bundles,
            writer=self.writer,
            projects=self.opener,
        )

    @property
    def annotate(self) -> Annotate:
        return Annotate(
            catalogue=self.catalogue,
            bundles=self.bundles,
            annotations=self.annotations,
            writer=self.writer,
            projects=self.opener,
        )

    @property
    def projects(self) -> Projects:
        return Projects(
            catalogue=self.catalogue,
            remover=self.remover,
            writer=self.writer,
            mover=Mover(catalogue=self.catalogue, index=self.placed, wait_seconds=1),
        )

    @property
    def placed(self) -> PlacedIndex:
        if isinstance(self.index, PlacedIndex):
            return self.index
        return PlacedIndex(catalogue=self.catalogue, local=self.index, server=self.server)

    @property
    def at_its_place(self) -> "World":
        """The same library, where each project is looked for where it lives."""
        return dataclasses.replace(self, index=self.placed)

    def server(self, place: IndexPlace, model: EmbeddingModel) -> InMemoryIndex:
        return self.servers.setdefault(place.url, InMemoryIndex())

    @property
    def migration(self) -> Migration:
        parts = ReembeddingParts(
            catalogue=self.catalogue,
            index=self.index,
            bundles=self.bundles,
            writer=self.writer,
            clock=self.clock,
        )
        return Migration(
            catalogue=self.catalogue, remover=self.remover, parts=parts, weigher=self.weigher
        )

    @property
    def structure(self) -> MapLookup:
        return MapLookup(catalogue=self.catalogue, bundles=self.bundles)

    @property
    def validate(self) -> Validate:
        return Validate(
            catalogue=self.catalogue,
            index=self.index,
            bundles=self.bundles,
            references=self.references,
            retractions=RetractionWatchReader(),
            files=LocalFiles(),
            embedder=self.embedder,
            writer=self.writer,
        )

    # What lies where

    def write(self, name: str, text: str) -> Path:
        """A file, with a time of its own each time it is written."""
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        os.utime(path, ns=(self._tick(), self._tick()))
        return path

    _written = 0

    def _tick(self) -> int:
        self._written += 1
        return 1_700_000_000_000_000_000 + self._written * 1_000_000_000

    def cite(self, *items: Mapping[str, Any], path: Path = Path("/library.json")) -> str:
        self.references.put(path, items)
        return str(path)

    def stored(self) -> Sequence[StoredDocument]:
        return self.catalogue.documents(HERE)

    def conversion(self, document_id: str) -> ConversionResult:
        found = self.bundles.load(document_id)
        assert found is not None
        return found

    def chunk_ids(self) -> list[str]:
        """What the index of the project holds."""
        project = self.catalogue.project(HERE)
        with self.index.open(
            project.collection, dimension=project.embedding_model.dimension
        ) as collection:
            return [passage.chunk.id for passage in collection.passages()]


def an_item(citekey: str, doi: str, year: int = 2020, **more: Any) -> dict[str, Any]:
    """A CSL-JSON item."""
    return {
        "id": citekey,
        "type": "article-journal",
        "title": f"The paper {citekey}",
        "author": [{"family": citekey.capitalize(), "given": "A."}],
        "issued": {"date-parts": [[year]]},
        "DOI": doi,
    } | more
