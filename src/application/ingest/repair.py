"""The verb *repair*: makes damaged parts again from intact ones."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from citeloom.application.index.collection import is_damage, open_collection, optimize_as_well
from citeloom.application.index.passage_writer import PassageWriter
from citeloom.application.ports.catalogue import StoredDocument
from citeloom.application.ports.ingest import JournalEntry, Progress
from citeloom.application.ports.models import Embedder
from citeloom.application.validation.checks import IndexContents, damaged_bundles, damaged_maps
from citeloom.domain.citation.metadata import with_confirmed_labels
from citeloom.domain.documents.conversion import ConversionResult
from citeloom.domain.errors import CiteLoomError, IndexUnavailable
from citeloom.domain.ingest import IngestRequest, IngestResult
from citeloom.domain.messages import MessageText
from citeloom.domain.projects.project import Project, ProjectId
from citeloom.domain.value import Value

from .run import IngestServices


def requests_of(entries: Iterable[JournalEntry]) -> Sequence[IngestRequest]:
    """The ingests of each project, to rebuild a catalogue without an intact copy: the latest stored
    files, the reference files and the model. Files that were removed later are included."""
    files: dict[str, dict[str, None]] = {}
    runs: dict[str, JournalEntry] = {}
    for entry in entries:
        known = files.setdefault(entry.project_id, {})
        if entry.source_path is None:
            runs[entry.project_id] = entry
        elif entry.doc_id:
            known[entry.source_path] = None
    return [
        IngestRequest(
            project_id=ProjectId.parse(project),
            sources=tuple(paths),
            references=(run.reference_files or ()) if (run := runs.get(project)) else (),
            model=run.dense_model.partition("@")[0] if run and run.dense_model else None,
        )
        for project, paths in files.items()
        if paths
    ]


class Lost(Value):
    """A document that could not be made whole, and why."""

    document: str
    reason: MessageText


class Repaired(Value):
    """``rebuilt`` says whether the whole index was rebuilt. ``written`` are documents whose
    passages were written, ``converted`` those converted again from their files, ``mapped`` those
    with a new map, ``removed`` counts documents that only the index had; ``dropped`` are models not
    in use whose index was damaged, and is made again when they are used."""

    project: str
    rebuilt: bool = False
    written: tuple[str, ...] = ()
    converted: tuple[str, ...] = ()
    mapped: tuple[str, ...] = ()
    removed: int = 0
    dropped: tuple[str, ...] = ()
    lost: tuple[Lost, ...] = ()


@dataclass(frozen=True, slots=True)
class Repair:
    """Repairs one project. A collection that can be opened is written over document by document;
    one that cannot is built beside it and takes its place when it is whole. ``convert_again``
    ingests files again, with the passwords of the configuration; ``back_up`` copies the
    catalogue."""

    services: IngestServices
    contents: IndexContents
    convert_again: Callable[[ProjectId, Sequence[str]], IngestResult]
    back_up: Callable[[], object]

    def __call__(
        self, project_id: ProjectId, progress: Progress, *, deep: bool = False
    ) -> Repaired:
        """Repair what the checks find, all of it if ``deep``. Raises ProjectNotFound,
        EmbeddingModelMismatch, ShardBusy, StorageFailed."""
        project, embedder = self.services.projects.open(project_id)
        self.back_up()
        stores = self.services.documents
        documents = stores.catalogue.documents(project.id)
        unconverted = damaged_bundles(documents, stores.bundles, deep=deep)
        whole = [d for d in documents if d.document_id not in unconverted]
        found = self.contents.examine(project, documents, deep=deep)
        run = _Run(self, project, embedder, progress)
        if found.damage:
            run.rebuild(whole)
        else:
            run.write([d for d in whole if d.document_id in found.wrong])
            run.remove(found.orphans)
        run.convert([d for d in documents if d.document_id in unconverted], unconverted)
        run.map(whole)
        run.drop_unusable()
        if found.damage:
            optimize_as_well(self.services.indexing.index, project, progress)
        return run.result(rebuilt=bool(found.damage))


@dataclass
class _Run:
    """The repair of one project, and what became of its documents."""

    repair: Repair
    project: Project
    embedder: Embedder
    progress: Progress
    written: list[str] = field(default_factory=list)
    converted: list[str] = field(default_factory=list)
    mapped: list[str] = field(default_factory=list)
    removed: int = 0
    dropped: list[str] = field(default_factory=list)
    lost: list[Lost] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._stores = self.repair.services.documents
        self._indexing = self.repair.services.indexing

    def rebuild(self, documents: Sequence[StoredDocument]) -> None:
        """Rebuild the collection from the conversions of ``documents``."""
        project, index = self.project, self._indexing.index
        self.progress.begin(len(documents))
        updated: list[StoredDocument] = []
        with index.renewal(
            project.collection, dimension=project.embedding_model.dimension
        ) as renewed:
            writer = self._indexing.writer.over(renewed)
            updated += (new for each in documents if (new := self._passages(each, writer)))
            writer.flush(project)
        self._note(updated)
        written = self._indexing.writer.sparse.name
        if not self.lost and project.sparse_model != written:
            renewed_project = project.model_copy(update={"sparse_model": written})
            self._stores.catalogue.update_project(renewed_project)

    def write(self, documents: Sequence[StoredDocument]) -> None:
        """Replace the passages of ``documents`` in the collection."""
        self.progress.begin(len(documents))
        for document in documents:
            if updated := self._passages(document, self._indexing.writer):
                self._indexing.writer.flush(self.project)
                self._note([updated])

    def remove(self, document_ids: Sequence[str]) -> None:
        """Remove passages of documents that the catalogue has not."""
        if document_ids:
            with open_collection(self._indexing.index, self.project, writing=True) as collection:
                collection.delete_documents(document_ids)
                collection.flush()
        self.removed = len(document_ids)

    def convert(self, documents: Sequence[StoredDocument], reasons: Mapping[str, str]) -> None:
        """Convert documents again from files that still have their content."""
        for document in documents:
            if (path := self._original(document)) is None:
                reason = reasons[document.document_id]
                self._lose(document, f"{reason}, and no file has its content")
                continue
            try:
                result = self.repair.convert_again(self.project.id, [path])
            except CiteLoomError as error:
                self._lose(document, error.message)
                continue
            errors = [report.error for report in result.documents if report.error]
            if errors:
                self._lose(document, errors[0])
            else:
                self.converted.append(_name(document))

    def map(self, documents: Sequence[StoredDocument]) -> None:
        """Make the maps of ``documents`` that are damaged."""
        damaged = damaged_maps(documents, self._stores.bundles)
        for document in documents:
            if document.document_id in damaged and document.sources:
                converted = self._conversion(document)
                labelled = with_confirmed_labels(converted, document.citation)
                self._indexing.writer.save_map(labelled, document.sources[0])
                self.mapped.append(_name(document))

    def drop_unusable(self) -> None:
        """Delete the collections of other models that cannot be opened."""
        index = self._indexing.index
        for other in self.project.others:
            if not index.exists(other.collection):
                continue
            try:
                with open_collection(index, self.project.on(other)) as collection:
                    collection.counts()
            except IndexUnavailable as error:
                if not is_damage(error):
                    raise
                index.drop(other.collection)
                self.dropped.append(other.model.name)

    def result(self, *, rebuilt: bool) -> Repaired:
        return Repaired(
            project=self.project.id.value,
            rebuilt=rebuilt,
            written=tuple(self.written),
            converted=tuple(self.converted),
            mapped=tuple(self.mapped),
            removed=self.removed,
            dropped=tuple(self.dropped),
            lost=tuple(self.lost),
        )

    def _passages(self, document: StoredDocument, writer: PassageWriter) -> StoredDocument | None:
        """The document as it is once its passages are written; None if that failed."""
        if not document.sources:
            self._lose(document, "its file path is unknown")
            return None
        try:
            chunks, language = writer.write(
                self.project,
                self._conversion(document),
                document.sources[0],
                document.citation,
                self.embedder,
                self.progress,
            )
        except IndexUnavailable:
            raise
        except CiteLoomError as error:
            self._lose(document, error.message)
            return None
        self.written.append(_name(document))
        return document.model_copy(
            update={
                "chunks": chunks,
                "language": language,
                "chunking": writer.chunker.fingerprint,
                "embedding": writer.embedding_fingerprint(self.project, self.embedder.model),
            }
        )

    def _conversion(self, document: StoredDocument) -> ConversionResult:
        converted = self._stores.bundles.load(document.document_id)
        assert converted is not None, "its stored conversion is intact"
        return converted

    def _original(self, document: StoredDocument) -> str | None:
        """A file that has the content of the document."""
        for source in document.sources:
            try:
                if self._stores.files.sha256(Path(source.path)) == document.document_id:
                    return source.path
            except OSError:
                continue
        return None

    def _note(self, documents: Sequence[StoredDocument]) -> None:
        for document in documents:
            self._stores.catalogue.put_document(document, self.project.collection)

    def _lose(self, document: StoredDocument, reason: str) -> None:
        self.lost.append(Lost(document=_name(document), reason=reason))


def _name(document: StoredDocument) -> str:
    return document.path or document.document_id
