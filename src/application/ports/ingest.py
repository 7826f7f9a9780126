"""Ports of ingest: source files, conversion, chunking, converted documents, journal, progress."""

from collections.abc import Callable, Generator, Iterable, Mapping, Sequence, Set
from datetime import datetime
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from pydantic import ConfigDict, Field

from citeloom.domain.documents.conversion import ConversionResult
from citeloom.domain.documents.spans import Chunk
from citeloom.domain.errors import CiteLoomError
from citeloom.domain.ingest import DocumentReport
from citeloom.domain.maps.resource_map import ResourceMap
from citeloom.domain.projects.project import EmbeddingModel
from citeloom.domain.value import Value

from .catalogue import SourceStamp
from .models import TokenCounter

if TYPE_CHECKING:
    from citeloom.domain.references.entries.reference_list import CitedWork


class JournalEntry(Value):
    """One ingest (then ``reference_files`` are those of the project), or one document of it (then
    ``doc_id`` or at least ``source_path`` is set).

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
    reference_files: tuple[str, ...] | None = None
    warnings: tuple[str, ...] = ()
    errors: tuple[str, ...] = ()


class IngestJournal(Protocol):
    """An append-only log. It is read where a catalogue is lost with all its copies."""

    def append(self, record: JournalEntry) -> None:
        """Raises StorageFailed."""

    def entries(self) -> Iterable[JournalEntry]:
        """The oldest first; lines that cannot be read are passed over. Raises StorageFailed."""


class Refusal(Value):
    """Why a document was too large to be converted, for a converter of this ``capacity``."""

    reason: str
    capacity: str


class BundleStore(Protocol):
    """Conversion results and resource maps, one file each, written atomically.

    Any method may raise StorageFailed, those that read WorkspaceTooNew as well. Reading creates
    nothing. A document id that cannot be a file name is a ValueError.
    """

    def save(self, result: ConversionResult, fingerprint: str) -> None:
        """Insert or replace; ``fingerprint`` is that of the converter and its settings."""

    def load(self, document_id: str, fingerprint: str | None = None) -> ConversionResult | None:
        """A document's conversion; None if there is none, or none with this fingerprint.
        Raises StorageFailed if the bundle is damaged."""

    def verify(self, document_id: str) -> bool:
        """Whether there is a conversion of the document; it is read and compared with its
        checksum. Raises StorageFailed if the bundle is damaged."""

    def save_map(self, document_id: str, resource_map: ResourceMap) -> None:
        """Insert or replace; the key is a document id or a resource id."""

    def load_map(self, document_id: str) -> ResourceMap | None:
        """The map of a document id or resource id; None if there is none. Raises StorageFailed
        if it is damaged."""

    def map_ids(self) -> Iterable[str]:
        """Resource ids that have a map, ascending; those of documents are short ids."""

    def ids(self) -> Iterable[str]:
        """Ids of documents that have a bundle, ascending."""

    def save_works(self, document_id: str, fingerprint: str, works: Sequence["CitedWork"]) -> None:
        """The reference list of a document, in its order; insert or replace. ``fingerprint`` is
        that of the conversion and of the reader of lists. ``save`` and ``delete`` forget it."""

    def load_works(self, document_id: str, fingerprint: str) -> "Sequence[CitedWork] | None":
        """None if there are none with this fingerprint, or if they cannot be read: they are made
        again from the conversion."""

    def refuse(self, document_id: str, refusal: Refusal) -> None:
        """Remember why a document is not converted. ``save`` and ``delete`` forget it."""

    def refusal(self, document_id: str) -> Refusal | None:
        """The remembered refusal; None without one, or if it cannot be read."""

    def delete(self, document_id: str) -> None:
        """Delete bundle, map, reference list and refusal; an unknown id is ignored."""


class Chunker(Protocol):
    """Splits conversions into chunks."""

    @property
    def fingerprint(self) -> str:
        """Version and settings: equal fingerprint, model and conversion give equal chunks."""

    def chunk(
        self, document: ConversionResult, model: EmbeddingModel, tokens: TokenCounter
    ) -> Sequence[Chunk]:
        """The document's chunks in reading order; together they cover its whole text."""


class EmbeddingPlan(Value):
    """What becomes of a conversion: passages for ``model``; with ``sentences`` the vectors of
    their sentences too."""

    model: EmbeddingModel
    sentences: bool


class ConversionJob(Value):
    """A file to convert; ``document_id`` is the sha256 of its content. With ``embedding`` a
    converter that works on other machines may embed the passages there, and keep their vectors
    for the embedder here."""

    source: Path
    document_id: str
    password: str | None = None
    embedding: EmbeddingPlan | None = None


class ConversionOutcome(Value):
    """The outcome of a job: exactly one of ``result`` and ``error`` is set."""

    model_config = ConfigDict(frozen=True, extra="forbid", arbitrary_types_allowed=True)

    job: ConversionJob
    result: ConversionResult | None = None
    error: CiteLoomError | None = None
    seconds: float = 0.0
    peak_rss_bytes: int | None = None


#: Called during a long conversion with the job, pages done and pages in all.
Heard = Callable[[ConversionJob, int, int], None]


class Converter(Protocol):
    """Converts files, each in isolation: a crash, a hang or a bad file costs one document.

    A result is of the content that the job names: a file whose content has another digest when
    it is read is a SourceChanged outcome.
    """

    @property
    def fingerprint(self) -> str:
        """Name, version and settings. A result's ``converter`` begins with it and may name
        further parts, such as an OCR engine; equal ``converter`` and file give equal results."""

    def is_current(self, fingerprint: str) -> bool:
        """Whether converting again would not improve a result with this ``converter``."""

    @property
    def capacity(self) -> str:
        """Names what a conversion may take, and the converter: a document that was too large
        (DocumentTooLarge) is so again while this is the same."""

    @property
    def formats(self) -> Sequence[str]:
        """The formats that can be converted, in words."""

    def supports(self, source: Path) -> bool:
        """Whether the file name has the suffix of a convertible format."""

    def convert(
        self, jobs: Iterable[ConversionJob], on_pages: Heard | None = None
    ) -> Generator[ConversionOutcome, None, None]:
        """Outcomes as they are ready, in any order; ``jobs`` is read only as far ahead as
        there are workers. Closing the generator ends all workers. ``on_pages`` is called in the
        thread of the generator."""


class FoundFile(Value):
    """A file to ingest; ``problem`` is the reason why it cannot be read, if so. ``named``
    files were given by name, others lie in a folder. ``digest`` is the sha256 of its content, if
    it was read already."""

    path: Path
    stamp: SourceStamp | None = None
    named: bool = False
    problem: str | None = None
    digest: str | None = None


class FoundFiles(Value):
    """Files and folders at the sources; ``skipped`` counts files of other kinds, by suffix;
    ``links`` are links to folders that were not entered."""

    files: tuple[FoundFile, ...]
    folders: tuple[Path, ...] = ()
    skipped: tuple[tuple[str, int], ...] = ()
    links: tuple[Path, ...] = ()


class SourceFiles(Protocol):
    """The researcher's files, read only."""

    def find(self, sources: Sequence[str], accepts: Callable[[Path], bool]) -> FoundFiles:
        """The files named, and all accepted files below the folders named; hidden files are
        skipped, and links to folders are named and not entered. Raises InvalidSource if none of
        the sources exists; a missing one among others is a file with a ``problem``."""

    def stamps(self, paths: Iterable[str]) -> Mapping[str, SourceStamp]:
        """Current stamps by path; paths that are not files are left out. Nothing is opened."""

    def sha256(self, path: Path) -> str:
        """Digest of the content, hex. Raises OSError."""

    def exists(self, path: str) -> bool: ...

    def resolved(self, path: Path) -> Path:
        """The absolute path with all links followed, whether or not anything is there."""


class SourceCopies(Protocol):
    """Copies of source files by the sha256 of their content (hex), for machines that do not see
    the files under their paths."""

    @property
    def absence(self) -> str:
        """Why file and copy are missing, and what a person can do."""

    def keep(self, document_id: str, source: Path) -> None:
        """Keep a copy of a file, if copies are kept and it has none. Raises SourceChanged if its
        content has changed, StorageFailed, OSError."""

    def find(self, document_id: str, name: str) -> Path | None:
        """A file on this machine with that content, called as ``name``, which may be a path; None
        without a copy. Raises StorageFailed."""

    def ids(self) -> Set[str]:
        """Ids of documents of which a copy is kept, as of the last minute. Raises StorageFailed."""

    def delete(self, document_id: str) -> None:
        """An unknown one is ignored. Raises StorageFailed."""


class IngestStage(StrEnum):
    """Stages of the ingest of one document."""

    CONVERTING = "converting"
    CHUNKING = "chunking"
    EMBEDDING = "embedding"
    STORING = "storing"


class Progress(Protocol):
    """Receives the progress of an ingest."""

    def begin(self, documents: int) -> None:
        """The number of documents of the run."""

    def stage(self, source: str, stage: IngestStage) -> None: ...

    def pages(self, source: str, done: int, total: int) -> None:
        """Pages of a document in conversion; not called for every page."""

    def done(self, report: DocumentReport) -> None: ...

    def notice(self, text: str) -> None: ...


class SilentProgress:
    """Progress that is discarded."""

    def begin(self, documents: int) -> None: ...

    def stage(self, source: str, stage: IngestStage) -> None: ...

    def pages(self, source: str, done: int, total: int) -> None: ...

    def done(self, report: DocumentReport) -> None: ...

    def notice(self, text: str) -> None: ...
