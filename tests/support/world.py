"""A whole CiteLoom in memory, over real files in a temporary folder."""

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from support.builders import SteadyClock
from support.in_memory.converter import PlainTextConverter
from support.in_memory.embedder import HashingEmbedder
from support.in_memory.index import InMemoryIndex
from support.in_memory.references import (
    InMemoryDownloads,
    InMemoryReferenceReader,
    InMemoryWorkLookup,
)
from support.in_memory.server.audit_trail import InMemoryAuditTrail
from support.in_memory.server.job_record import InMemoryJobRecord
from support.in_memory.stores import (
    InMemoryAnnotationStore,
    InMemoryBundleStore,
    InMemoryCatalogue,
    InMemoryFollowedLibraries,
    InMemoryIngestJournal,
    InMemoryOwnRecords,
    InMemoryTableStore,
    InMemoryTrash,
)

from citeloom.application.documents.finder import DocumentFinder
from citeloom.application.ingest.ingest import Annotate
from citeloom.application.maps.map_lookup import MapLookup
from citeloom.application.ports.catalogue import Catalogue, StoredDocument
from citeloom.application.ports.index import Index
from citeloom.application.ports.ingest import (
    BundleStore,
    Chunker,
    ConversionJob,
    ConversionOutcome,
    Heard,
    SourceFiles,
)
from citeloom.application.ports.jobs import JobRecord
from citeloom.application.ports.models import AnswerReader, Reranker
from citeloom.application.search.searcher import Searcher
from citeloom.domain.documents.conversion import ConversionResult
from citeloom.domain.ingest import IngestRequest, IngestResult
from citeloom.domain.projects.project import EmbeddingModel, IndexPlace, ProjectId
from citeloom.domain.search.filters import Filter, parse_clause
from citeloom.domain.search.fusion import Mode
from citeloom.domain.search.request import QueryRequest, QueryResult
from citeloom.infrastructure.composition.application import Application
from citeloom.infrastructure.composition.projects import ProjectVerbs
from citeloom.infrastructure.composition.workspace import Overrides
from citeloom.infrastructure.ingest.chunking.structural import StructuralChunker
from citeloom.infrastructure.ingest.source_files import LocalFiles
from citeloom.infrastructure.models.embedding.bm25 import Bm25Embedder
from citeloom.infrastructure.settings.sections import Settings
from citeloom.infrastructure.settings.settings import Configuration
from citeloom.infrastructure.system.workspace import Workspace
from citeloom_server.application.audit.ports import AuditTrail

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

    @property
    def capacity(self) -> str:
        return self.fingerprint

    @property
    def formats(self) -> Sequence[str]:
        return self._inner.formats

    def supports(self, source: Path) -> bool:
        return self._inner.supports(source)

    def convert(
        self, jobs: Iterable[ConversionJob], on_pages: Heard | None = None
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
    """The application over in-memory stores. ``folder`` holds the files."""

    folder: Path
    catalogue: Catalogue = field(default_factory=InMemoryCatalogue)
    bundles: BundleStore = field(default_factory=InMemoryBundleStore)
    index: Index = field(default_factory=InMemoryIndex)
    annotations: InMemoryAnnotationStore = field(default_factory=InMemoryAnnotationStore)
    own_records: InMemoryOwnRecords = field(default_factory=InMemoryOwnRecords)
    tables: InMemoryTableStore = field(default_factory=InMemoryTableStore)
    lookup: InMemoryWorkLookup = field(default_factory=InMemoryWorkLookup)
    downloads: InMemoryDownloads = field(default_factory=InMemoryDownloads)
    followed: InMemoryFollowedLibraries = field(default_factory=InMemoryFollowedLibraries)
    journal: InMemoryIngestJournal = field(default_factory=InMemoryIngestJournal)
    jobs: JobRecord = field(default_factory=InMemoryJobRecord)
    audit_trail: AuditTrail = field(default_factory=InMemoryAuditTrail)
    references: InMemoryReferenceReader = field(default_factory=InMemoryReferenceReader)
    files: SourceFiles = field(default_factory=LocalFiles)
    trash: InMemoryTrash = field(default_factory=InMemoryTrash)
    converter: CountingConverter = field(default_factory=CountingConverter)
    clock: SteadyClock = field(default_factory=SteadyClock)
    chunker: Chunker = field(default_factory=StructuralChunker)
    place: IndexPlace | None = None
    servers: dict[str, InMemoryIndex] = field(default_factory=dict)
    embedders: dict[str, CountingEmbedder] = field(default_factory=dict)
    sparse: Bm25Embedder = field(default_factory=Bm25Embedder)
    reranker: Reranker | None = None
    answer_reader: AnswerReader | None = None
    settings: dict[str, dict[str, Any]] = field(default_factory=dict)

    @property
    def application(self) -> Application:
        """A new one over the same stores, as another process would open it."""
        index: dict[str, Any] = {"wait_seconds": 1}
        if self.place is not None:
            index |= {"url": self.place.url, "layout": self.place.layout}
        defaults = {
            "embedding": {"model": "hashing"},
            "index": index,
            "query": {"rerank": False},
        }
        configuration = Configuration(Settings.model_validate(defaults | self.settings), {})
        overrides = Overrides(
            catalogue=self.catalogue,
            local_index=self.index,
            server_index=self.server,
            bundles=self.bundles,
            annotations=self.annotations,
            own_records=self.own_records,
            tables=self.tables,
            lookup=self.lookup,
            downloads=self.downloads,
            followed=self.followed,
            journal=self.journal,
            job_record=self.jobs,
            others={"audit": self.audit_trail},
            references=self.references,
            files=self.files,
            trash=self.trash,
            converter=self.converter,
            chunker=self.chunker,
            clock=self.clock,
            embedder=self.embedder,
            sparse=self.sparse,
            reranker=self.reranker,
            answer_reader=self.answer_reader,
        )
        return Application(Workspace(self.folder), configuration, overrides=overrides)

    def embedder(self, name: str) -> CountingEmbedder:
        return self.embedders.setdefault(name, CountingEmbedder(name))

    def server(self, place: IndexPlace, model: EmbeddingModel) -> InMemoryIndex:
        return self.servers.setdefault(place.url, InMemoryIndex())

    @property
    def embedded(self) -> int:
        return sum(one.embedded for one in self.embedders.values())

    @property
    def projects(self) -> ProjectVerbs:
        return self.application.projects

    @property
    def searcher(self) -> Searcher:
        return self.application.search.searcher

    @property
    def documents(self) -> DocumentFinder:
        return self.application.stores.documents

    def document(self, name: str) -> StoredDocument:
        return self.documents.find(name, HERE)

    @property
    def structure(self) -> MapLookup:
        return self.application.maps.structure

    @property
    def annotate(self) -> Annotate:
        return self.application.ingest.annotate

    def ingest(self, *sources: Path | str, **request: Any) -> IngestResult:
        given = tuple(str(source) for source in sources) or (str(self.folder),)
        values: dict[str, Any] = {"project_id": HERE, "sources": given}
        return self.application.ingest.files(IngestRequest(**values | request))

    def query(self, text: str, *filters: str, **request: Any) -> QueryResult:
        clauses = tuple(parse_clause(one) for one in filters)
        values: dict[str, Any] = {
            "project_id": HERE,
            "query_text": text,
            "filter": Filter(clauses=clauses),
            "mode": Mode.HYBRID,
        }
        return self.application.search.query(QueryRequest(**values | request))

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
