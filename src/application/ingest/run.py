"""Ingest run: conversion, storage and citation of files of one project."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

from citeloom.application.citation.assignment import (
    CitationAssigner,
    CitationReassigner,
    TextlessWorks,
    evidence_of,
    mark_unsettled,
    warnings_of,
)
from citeloom.application.citation.own import own_reassigner
from citeloom.application.documents.conversions import keep_reference_list
from citeloom.application.documents.stores import DocumentStores
from citeloom.application.index.collection import (
    Remover,
    missing_passages,
    open_collection,
    optimize,
    require_index,
)
from citeloom.application.index.passage_writer import PassageWriter, TermWeights
from citeloom.application.ports.catalogue import UNFINISHED, StoredDocument
from citeloom.application.ports.citation import ReferenceReader
from citeloom.application.ports.index import Index
from citeloom.application.ports.ingest import Converter, EmbeddingPlan, FoundFile, IngestJournal
from citeloom.application.ports.models import Embedder
from citeloom.application.ports.system import Clock
from citeloom.application.projects.projects import ProjectOpener
from citeloom.domain.documents.conversion import ConversionResult
from citeloom.domain.errors import (
    CiteLoomError,
    IndexUnavailable,
    InvalidSource,
    ProjectChanged,
    StorageFailed,
    Unavailable,
    UnsupportedFormat,
)
from citeloom.domain.ingest import DocumentStatus, IngestRequest
from citeloom.domain.library import is_library_text
from citeloom.domain.messages import UserMessage, prefixed
from citeloom.domain.progress import Cancelled, checkpoint
from citeloom.domain.projects.project import Project

from .plan import (
    UNLIMITED,
    DocumentConversion,
    IngestPlanner,
    IngestTask,
    Need,
    ProjectQuota,
    QuotaCheck,
    StageFingerprints,
    with_source,
)
from .report import FilePruning, IngestLog, report_of


@dataclass(frozen=True, slots=True)
class IndexServices:
    """The index and what changes it."""

    index: Index
    writer: PassageWriter
    term_weights: TermWeights
    remover: Remover


@dataclass(frozen=True, slots=True)
class IngestServices:
    """Stores, index, and the readers of files, references and projects."""

    documents: DocumentStores
    indexing: IndexServices
    converter: Converter
    references: ReferenceReader
    projects: ProjectOpener
    journal: IngestJournal
    clock: Clock
    quota: ProjectQuota = UNLIMITED

    def missing_passages(self, project: Project) -> UserMessage | None:
        """A warning if the index lacks passages that the catalogue has. Raises IndexUnavailable
        if it is gone or damaged, ShardBusy."""
        catalogue, indexing = self.documents.catalogue, self.indexing
        require_index(indexing.index, catalogue, project)
        if not catalogue.passages(project.id):
            return None
        with open_collection(indexing.index, project) as collection:
            return missing_passages(collection, catalogue, project)


# A flush of the index takes as long as a small document, so that several share it; the first is
# searchable at once. A kill costs at most the work of this time.
_FLUSH_SECONDS = 5.0


class IngestRun:
    """Brings documents of a project up to date; a failure concerns its document alone."""

    def __init__(
        self,
        services: IngestServices,
        project: Project,
        embedder: Embedder,
        stages: StageFingerprints,
        reassigner: CitationReassigner,
        log: IngestLog,
        request: IngestRequest,
    ) -> None:
        self._documents = services.documents
        self._indexing = services.indexing
        self._converter = services.converter
        self._clock = services.clock
        self._quota = services.quota
        self._project = project
        self._embedder = embedder
        self._stages = stages
        self._reassigner = reassigner
        self._log = log
        self._progress = log.progress
        self._request = request
        self._works = TextlessWorks(services.documents, project.id)
        self._processed: set[str] = set()
        self._replaced: dict[str, None] = {}
        self._unflushed: list[tuple[Sequence[IngestTask], StoredDocument, float]] = []
        self._flushed_at = float("-inf")

    def process(self, files: Sequence[FoundFile], *, besides: int = 0) -> None:
        """Keep, refuse, or convert and store each file. ``besides`` counts further documents,
        without files, for the progress."""
        stored = self._documents.catalogue.documents(self._project.id)
        planner = IngestPlanner(
            stored, self._documents.files, self._stages, force=self._request.force
        )
        self._works.begin(stored)
        # A run that was killed may have left documents without a path.
        self._replaced |= {one.document_id: None for one in stored if not one.sources}
        tasks = planner.plan(files)
        self._progress.begin(len(tasks) + besides)
        held = self._documents.catalogue.amounts(self._project.id)
        quota = QuotaCheck(self._quota, self._project.id.value, held)
        work: dict[str, list[IngestTask]] = {}
        for task in tasks:
            if refusal := self._refusal(task) or quota.refusal(task):
                self._log.fail(self._project, task.path, refusal)
            elif task.need is Need.NOTHING:
                with self._alone([task]):
                    self._keep(task)
            else:
                work.setdefault(str(task.document_id), []).append(task)
        with self._flushed():
            self._convert(dict(sorted(self._from_bundles(work).items(), key=_size)))
        self._drop_replaced()

    def store_converted(self, made: Iterable[tuple[IngestTask, ConversionResult]]) -> None:
        """Store documents that need no converter."""
        with self._flushed():
            for task, document in made:
                self._store_document([task], document, fresh=True)
        self._drop_replaced()

    def reassign_remaining(self) -> None:
        """Reassign the citations of all documents not processed in this run."""
        for document in self._documents.catalogue.documents(self._project.id):
            if document.document_id not in self._processed:
                self.reassign(document)
        self._indexing.remover.documents(self._project, self._works.superseded())

    def prune(self, places: Sequence[Path]) -> None:
        """Prune the files at or below these paths that no longer exist."""
        paths = frozenset(map(str, places))

        def is_gone(path: str) -> bool:
            inside = path in paths or any(str(parent) in paths for parent in Path(path).parents)
            return inside and not self._documents.files.exists(path)

        prune = FilePruning(
            self._project,
            catalogue=self._documents.catalogue,
            remover=self._indexing.remover,
            writer=self._indexing.writer,
            log=self._log,
        )
        prune(is_gone)

    def optimize(self) -> None:
        """Optimize the index if it has outgrown its graph, else compact it if worthwhile."""
        if self._log.written or self._log.removed:
            try:
                if optimize(self._indexing.index, self._project, self._progress):
                    return
            except (IndexUnavailable, StorageFailed) as error:  # the documents are stored already
                self._log.warn(error.message)
        if self._log.removed or self._log.replaced:
            with open_collection(self._indexing.index, self._project, writing=True) as collection:
                collection.compact()

    def _refusal(self, task: IngestTask) -> CiteLoomError | None:
        if task.need is Need.UNREADABLE:
            return InvalidSource(f"{task.path}: {_with_step(task.problem)}")
        if not self._converter.supports(task.path):
            return UnsupportedFormat(
                f"{task.path.name}: files of this kind cannot be read; "
                "convert it to PDF, DOCX, HTML, Markdown or text"
            )
        return None

    def _from_bundles(self, work: Mapping[str, list[IngestTask]]) -> dict[str, list[IngestTask]]:
        """Store documents with a current bundle; returns the others."""
        rest = {}
        for document_id, same in work.items():
            ready = None if self._request.force else self._bundled(document_id)
            if ready is None:
                rest[document_id] = same
            else:
                self._store_document(same, ready)
        return rest

    def _convert(self, work: Mapping[str, list[IngestTask]]) -> None:
        if not work:
            return
        embedding = EmbeddingPlan(
            model=self._embedder.model, sentences=self._project.retrieval.sentences
        )
        convert = DocumentConversion(
            self._converter, self._documents.bundles, self._request, self._progress, embedding
        )
        with closing(convert(work)) as conversions:
            for one in conversions:
                for n, (task, error) in enumerate(one.failures):
                    seconds = 0.0 if n or one.result else one.seconds
                    self._log.fail(self._project, task.source, error, seconds)
                if one.result is not None:
                    self._log.converted += 1
                    self._store_document(one.tasks, one.result, fresh=True, seconds=one.seconds)

    def _bundled(self, document_id: str) -> ConversionResult | None:
        try:
            ready = self._documents.bundles.load(document_id)
        except Unavailable as error:
            self._log.warn(prefixed("converted again: ", error.message))
            return None
        current = ready is not None and self._stages.is_current(ready.converter)
        return ready if current else None

    def _store_document(
        self,
        same: Sequence[IngestTask],
        document: ConversionResult,
        *,
        fresh: bool = False,
        seconds: float = 0.0,
    ) -> None:
        """Store one document, whose conversion took ``seconds``. Errors of the document become a
        failed report; errors of storage are raised."""
        checkpoint()
        begun = self._clock.monotonic()
        with self._alone(same):
            if fresh:
                self._documents.bundles.save(document, document.converter)
                keep_reference_list(self._documents.bundles, document)
            self._keep_copy(document.doc_id, same[0].source)
            stored = self._store(same, document)
            seconds += self._clock.monotonic() - begun
            self._unflushed.append((same, stored, seconds))
        if self._clock.monotonic() - self._flushed_at >= _FLUSH_SECONDS:
            self._flush()

    @contextmanager
    def _flushed(self) -> Iterator[None]:
        """The catalogue has the finished work of the block, even if the block was cancelled."""
        try:
            yield
        except Cancelled:
            self._flush()
            raise
        self._flush()

    def _flush(self) -> None:
        """Make passages durable, then record the documents in the catalogue."""
        waiting, self._unflushed = self._unflushed, []
        if waiting:
            self._indexing.writer.flush(self._project)
        for same, stored, seconds in waiting:
            with self._alone(same):
                self._documents.catalogue.put_document(stored, self._project.collection)
                self._report_stored(same, stored, seconds)
        self._flushed_at = self._clock.monotonic()

    @contextmanager
    def _alone(self, same: Sequence[IngestTask]) -> Iterator[None]:
        try:
            yield
        except (Unavailable, ProjectChanged):
            raise
        except Exception as error:
            for task in same:
                self._log.fail(self._project, task.source, error)

    def _report_stored(
        self, same: Sequence[IngestTask], stored: StoredDocument, seconds: float
    ) -> None:
        for n, task in enumerate(same):
            self._replaced |= {task.replaces: None} if task.replaces else {}
            status = DocumentStatus.ADDED
            if _is_finished(same[0].stored) or task.replaces is not None:
                status = DocumentStatus.UPDATED
            copy = (f"the same content as {same[0].source}",) if n else ()
            report = report_of(
                task.source, stored, status, copy, seconds=0.0 if n else round(seconds, 3)
            )
            self._log.report(self._project, report, written=0 if n else stored.chunks)

    def _store(self, same: Sequence[IngestTask], document: ConversionResult) -> StoredDocument:
        first = same[0]
        assert first.stamp is not None, "a file without a stamp is unreadable, not work"
        path, assigner = first.stamp.path, self._reassigner.assigner
        cited = assigner.cite(document, path, first.stored, first.replaces)
        if work := self._works.of(evidence_of(document, path), cited):
            cited = assigner.cite(document, path, first.stored, work.document_id)
            self._works.take(document.doc_id, work)
        if first.stored is not None and first.stored.citation != cited.citation:
            mark_unsettled(self._documents.catalogue, self._project, first.stored)
        writer = self._indexing.writer
        made = writer.embed(
            self._project, document, first.stamp, cited.citation, self._embedder, self._progress
        )
        sources = first.stored.sources if first.stored else ()
        for task in same:
            sources = with_source(sources, task.stamp)
        chunks = len(made.passages)
        stored = StoredDocument(
            project_id=self._project.id,
            document_id=document.doc_id,
            title=document.title,
            authors=document.authors,
            year=document.year,
            mime_type=document.mime_type,
            pages=document.page_count,
            chunks=chunks,
            language=made.language,
            sources=sources,
            identifiers=document.identifiers,
            conversion=document.converter,
            chunking=self._stages.chunking,
            embedding=self._stages.embedding,
            citation=cited.citation,
            citation_how=cited.how,
            references_digest=cited.digest,
            held=cited.held,
            warnings=warnings_of(document, chunks) + cited.warnings(),
            stored_at=self._clock.now(),
            fidelity=document.document_fidelity,
            item=cited.item,
        )
        if first.stored is None:
            unfinished = stored.model_copy(update={"embedding": UNFINISHED, "chunks": 0})
            self._documents.catalogue.put_document(unfinished, self._project.collection)
        writer.store(self._project, made, first.stamp, self._progress)
        self._processed.add(document.doc_id)
        return stored

    def _keep(self, task: IngestTask) -> None:
        """An unchanged document: record its stamp, and reassign its citation if not current."""
        assert task.stored is not None, "an unchanged file belongs to a stored document"
        stored = task.stored
        self._keep_copy(stored.document_id, task.source)
        moved = with_source(stored.sources, task.stamp) != stored.sources
        if moved or stored.document_id in self._processed:  # another path may have changed it
            stored = (
                self._documents.catalogue.document(self._project.id, stored.document_id) or stored
            )
        if moved:
            sources = with_source(stored.sources, task.stamp)
            stored = stored.model_copy(update={"sources": sources})
            self._documents.catalogue.put_document(stored, self._project.collection)
            if [one.path for one in task.stored.sources[:1]] != [sources[0].path]:
                self._indexing.writer.place(self._project, stored)
        self._replaced |= {task.replaces: None} if task.replaces else {}
        stored, changed = self.reassign(stored)
        status = DocumentStatus.UPDATED if changed else DocumentStatus.UNCHANGED
        self._log.report(self._project, report_of(task.source, stored, status))

    def _keep_copy(self, document_id: str, source: str) -> None:
        if not is_library_text(source):
            self._documents.copies.keep(document_id, Path(source))

    def is_current(self, stored: StoredDocument) -> bool:
        """Whether the citation of a stored document is current."""
        return self._reassigner.assigner.is_current(stored)

    def reassign(self, stored: StoredDocument) -> tuple[StoredDocument, bool]:
        """The document with its current citation, and whether that changed."""
        self._processed.add(stored.document_id)
        reassigned = self._reassigner.reassign(self._project, stored)
        self._log.reassigned += reassigned.changed
        self._log.relabelled += reassigned.relabelled
        return reassigned.document, reassigned.changed

    def _drop_replaced(self) -> None:
        """Remove documents that lost all their paths to others. To be called after all files:
        the old content may have been found at another path."""
        replaced, self._replaced = self._replaced, {}
        for document_id in replaced:
            old = self._documents.catalogue.document(self._project.id, document_id)
            if old is not None and not old.sources:
                self._indexing.remover.documents(self._project, [document_id])
            elif old is not None:  # its passages may show the path that it lost
                self._indexing.writer.place(self._project, old)
        self._indexing.remover.documents(self._project, self._works.superseded())


def ingest_run(
    services: IngestServices,
    project: Project,
    embedder: Embedder,
    assigner: CitationAssigner,
    log: IngestLog,
    request: IngestRequest,
) -> IngestRun:
    """A run with the current stages of the project, and ``assigner`` for its citations."""
    documents, writer = services.documents, services.indexing.writer
    stages = StageFingerprints(
        is_current=services.converter.is_current,
        chunking=writer.chunker.fingerprint,
        embedding=writer.embedding_fingerprint(project, embedder.model),
    )
    reassigner = own_reassigner(project, documents, writer, services.references, assigner, log.warn)
    return IngestRun(services, project, embedder, stages, reassigner, log, request)


def _size(work: tuple[str, Sequence[IngestTask]]) -> int:
    """Bytes of the file: small files come first, so that most papers can be searched early, and
    scans, which take longest, come last."""
    stamp = work[1][0].stamp
    return stamp.size if stamp else 0


def _with_step(problem: str | None) -> str:
    """The problem with a next step; a general one if it names none."""
    reason = problem or "it cannot be read"
    return reason if ";" in reason else f"{reason}; check the file"


def _is_finished(stored: StoredDocument | None) -> bool:
    """Whether a document is in the project with all its passages."""
    return stored is not None and stored.embedding != UNFINISHED
