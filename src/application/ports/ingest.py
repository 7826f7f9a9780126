"""Ports of ingest: source files, conversion, chunking, converted documents, audit, progress."""

from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from datetime import datetime
from enum import StrEnum
from pathlib import Path
from typing import Protocol

from pydantic import ConfigDict, Field

from citeloom.application.ports.catalogue import SourceStamp
from citeloom.application.ports.models import TokenCounter
from citeloom.domain.documents.chunk import Chunk
from citeloom.domain.documents.conversion import ConversionResult
from citeloom.domain.errors import CiteLoomError
from citeloom.domain.ingest.report import DocumentReport
from citeloom.domain.maps.resource_map import ResourceMap
from citeloom.domain.projects.embedding_model import EmbeddingModel
from citeloom.domain.value import Value


class AuditRecord(Value):
    """One ingest, or one document of it (then ``doc_id`` or at least ``source_path`` is set).

    ``correlation_id`` is the same for all records of a run. ``chunks_written`` are those
    added and updated; skipped ones were stored already.
    """

    correlation_id: str = Field(min_length=1)
    timestamp: datetime
    project_id: str = Field(min_length=1)
    doc_id: str | None = None
    source_path: str | None = None
    documents_processed: int = Field(default=0, ge=0)
    chunks_written: int = Field(default=0, ge=0)
    chunks_added: int = Field(default=0, ge=0)
    chunks_updated: int = Field(default=0, ge=0)
    chunks_skipped: int = Field(default=0, ge=0)
    duration_seconds: float = Field(default=0.0, ge=0.0)
    dense_model: str | None = None
    sparse_model: str | None = None
    warnings: tuple[str, ...] = ()
    errors: tuple[str, ...] = ()


class AuditLog(Protocol):
    """Keeps records for a person to read later; nothing in the product reads them."""

    def append(self, record: AuditRecord) -> None:
        """Add a record behind all others. Raises StorageFailed."""


class BundleStore(Protocol):
    """Conversion results and resource maps, each one file, written whole or not at all.

    Any method may raise StorageFailed, and those that read WorkspaceTooNew. Reading
    creates nothing. A document id that cannot be a file name is a ValueError.
    """

    def save(self, result: ConversionResult, fingerprint: str) -> None:
        """Insert or replace; ``fingerprint`` names the converter and its settings."""

    def load(self, document_id: str, fingerprint: str | None = None) -> ConversionResult | None:
        """A document's conversion, or None if there is none, or none by this converter.
        Raises StorageFailed if the bundle is damaged."""

    def save_map(self, document_id: str, resource_map: ResourceMap) -> None:
        """Insert or replace; of a document by its id or resource id, of others by the latter."""

    def load_map(self, document_id: str) -> ResourceMap | None: ...

    def map_ids(self) -> Iterable[str]:
        """Resource ids that have a map, in ascending order; those of documents are short."""

    def ids(self) -> Iterable[str]:
        """Documents that have a bundle, in ascending order."""

    def delete(self, document_id: str) -> None:
        """Bundle and map; an unknown id is no error."""


class Chunker(Protocol):
    @property
    def fingerprint(self) -> str:
        """Version and settings: the same fingerprint, model and conversion, the same chunks."""

    def chunk(
        self, document: ConversionResult, model: EmbeddingModel, tokens: TokenCounter
    ) -> Sequence[Chunk]:
        """The document's passages in reading order, together holding all of its text."""


class ConversionJob(Value):
    """A file to convert; ``document_id`` is the sha256 of its content."""

    source: Path
    document_id: str
    password: str | None = None


class ConversionOutcome(Value):
    """What became of a job: exactly one of ``result`` and ``error`` is set."""

    model_config = ConfigDict(frozen=True, extra="forbid", arbitrary_types_allowed=True)

    job: ConversionJob
    result: ConversionResult | None = None
    error: CiteLoomError | None = None
    seconds: float = 0.0
    peak_rss_bytes: int | None = None


#: Hears of a long conversion: the job, pages done, pages in all.
Heard = Callable[[ConversionJob, int, int], None]


class Converter(Protocol):
    """Converts files, each in isolation: a crash, a hang or a bad file costs one document."""

    @property
    def fingerprint(self) -> str:
        """Name, version and settings. A result's ``converter`` begins with it and may add
        what else it took; the same ``converter`` and file give the same result."""

    def is_current(self, fingerprint: str) -> bool:
        """Whether a result whose ``converter`` is this would come out the same, or worse, if
        its file were converted now."""

    def supports(self, source: Path) -> bool:
        """Whether the file's name promises a format that can be converted."""

    def convert(
        self, jobs: Iterable[ConversionJob], heard: Heard | None = None
    ) -> Generator[ConversionOutcome, None, None]:
        """Outcomes as they are ready, in any order; ``jobs`` is read only as far ahead as
        there are workers. Closing the generator ends all workers. ``heard`` is called from
        within the generator, in its thread."""


class FoundFile(Value):
    """A file to ingest, or (with ``problem``) one that cannot be read and why."""

    path: Path
    stamp: SourceStamp | None = None
    named: bool = False
    problem: str | None = None


class FoundFiles(Value):
    """What lies at the sources; ``skipped`` counts files of other kinds, by suffix."""

    files: tuple[FoundFile, ...]
    folders: tuple[Path, ...] = ()
    skipped: tuple[tuple[str, int], ...] = ()


class SourceFiles(Protocol):
    def find(self, sources: Sequence[str], accepts: Callable[[Path], bool]) -> FoundFiles:
        """Files named, and all files that are accepted below folders named; hidden ones
        and links to folders are passed over. Raises InvalidSource if none of the sources
        exists; a missing one among others is a problem of its own."""

    def stamps(self, paths: Iterable[str]) -> Mapping[str, SourceStamp]:
        """How the files among these look now, by path; what is no file, or not there, is left
        out. Quick: for many files that most likely did not change."""

    def sha256(self, path: Path) -> str:
        """Digest of the content, hex. Raises OSError."""

    def exists(self, path: str) -> bool: ...


class IngestStage(StrEnum):
    CONVERTING = "converting"
    CHUNKING = "chunking"
    EMBEDDING = "embedding"
    STORING = "storing"


class Progress(Protocol):
    def begin(self, documents: int) -> None: ...

    def stage(self, source: str, stage: IngestStage) -> None: ...

    def pages(self, source: str, done: int, total: int) -> None:
        """Pages of a document that is being converted; not every page is told."""

    def done(self, report: DocumentReport) -> None: ...

    def notice(self, text: str) -> None: ...


class Silent:
    """Says nothing."""

    def begin(self, documents: int) -> None: ...

    def stage(self, source: str, stage: IngestStage) -> None: ...

    def pages(self, source: str, done: int, total: int) -> None: ...

    def done(self, report: DocumentReport) -> None: ...

    def notice(self, text: str) -> None: ...
