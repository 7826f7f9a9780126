"""Embedding models of projects: catalogue, migration, re-embedding.

The collection of another model is built beside the one in use; queries use the old model until one
transaction of the catalogue switches model, collection and documents. An interruption before that
transaction leaves the project unchanged, and the next run continues with what is embedded.
"""

import hashlib
import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from citeloom.domain.documents.conversion import ConversionResult
from citeloom.domain.errors import InvalidRequest, ModelNotInProject, ModelUnavailable
from citeloom.domain.ingest import DocumentReport, DocumentStatus
from citeloom.domain.messages import Action, NextStep
from citeloom.domain.projects.project import ModelIndex, Project, ProjectId
from citeloom.domain.value import Value

from .index.collection import Remover, open_collection, optimize_as_well
from .index.passage_writer import PassageWriter, TermWeights
from .ports.catalogue import UNSETTLED, Catalogue, IndexedDocument, ProjectState, StoredDocument
from .ports.index import Index
from .ports.ingest import BundleStore, Progress
from .ports.models import Availability, Embedder, KnownModel, ModelCatalogue, ModelKind
from .ports.system import Clock


class ListedModel(Value):
    """A model with the projects that use it (``used_by``) and those that keep an index of it
    that is not in use (``kept_by``)."""

    model: KnownModel
    used_by: tuple[str, ...] = ()
    kept_by: tuple[str, ...] = ()


class Models:
    """Lists, shows and fetches models of all kinds."""

    def __init__(self, *, catalogue: Catalogue, catalogues: Sequence[ModelCatalogue]) -> None:
        self._catalogue = catalogue
        self._catalogues = catalogues

    def list(self) -> Sequence[ListedModel]:
        """All models: those usable offline first, then by kind and name."""
        used_by, kept_by = self._uses()
        known = {m.name: m for catalogue in self._catalogues for m in catalogue.models()}
        for name in (*used_by, *kept_by):
            if name not in known:
                known[name] = self._find(name) or _missing(name)
        ordered = sorted(
            known.values(), key=lambda m: (not m.offline, m.kind.value, m.name.casefold())
        )
        return [_listed(model, used_by, kept_by) for model in ordered]

    def show(self, name: str) -> ListedModel:
        """Raises ModelUnavailable for an unknown name."""
        used_by, kept_by = self._uses()
        model = self._find(name)
        if model is None and name in {**used_by, **kept_by}:
            model = _missing(name)
        if model is None:
            raise _unknown(name)
        return _listed(model, used_by, kept_by)

    def fetch(self, name: str) -> ListedModel:
        """Downloads the model if it is not cached. Raises ModelUnavailable."""
        for catalogue in self._catalogues:
            if catalogue.find(name) is not None:
                return _listed(catalogue.fetch(name), *self._uses())
        raise _unknown(name)

    def _find(self, name: str) -> KnownModel | None:
        matches = (catalogue.find(name) for catalogue in self._catalogues)
        return next((model for model in matches if model is not None), None)

    def _uses(self) -> tuple[Mapping[str, Sequence[str]], Mapping[str, Sequence[str]]]:
        used_by, kept_by = defaultdict(list), defaultdict(list)
        for project in self._catalogue.projects():
            used_by[project.embedding_model.name].append(project.id.value)
            for other in project.others:
                kept_by[other.model.name].append(project.id.value)
        return dict(used_by), dict(kept_by)


def _listed(
    model: KnownModel, used_by: Mapping[str, Sequence[str]], kept_by: Mapping[str, Sequence[str]]
) -> ListedModel:
    return ListedModel(
        model=model,
        used_by=tuple(used_by.get(model.name, ())),
        kept_by=tuple(kept_by.get(model.name, ())),
    )


def _missing(name: str) -> KnownModel:
    return KnownModel(name=name, kind=ModelKind.EMBEDDING, availability=Availability.MISSING)


def _unknown(name: str) -> ModelUnavailable:
    return ModelUnavailable(
        f"{name}: no such model; a folder with model.onnx and tokenizer.json can be named by its "
        "path",
        NextStep(Action.LIST_MODELS),
    )


# The citation in the passages is unknown: no digest.
_UNKNOWN = ""


class OtherModel(Value):
    """A model, not in use, for which a project has an index. ``ready`` documents are current in it;
    the others are embedded before a switch to the model."""

    name: str
    fingerprint: str
    collection: str
    ready: int
    documents: int
    unwanted: bool = False


def cited_digest(document: StoredDocument) -> str:
    """Digest of the citation and path in the passages of a document."""
    citation = document.citation.model_dump_json() if document.citation else None
    return hashlib.sha256(json.dumps([citation, document.path]).encode()).hexdigest()


def index_record(
    document: StoredDocument, written: "StoredDocument | CurrentFingerprints", chunks: int
) -> IndexedDocument:
    """The record of a document that was written with the fingerprints of ``written``."""
    return IndexedDocument(
        document_id=document.document_id,
        chunks=chunks,
        conversion=document.conversion,
        chunking=written.chunking,
        embedding=written.embedding,
        cited=cited_digest(document),
    )


def records_in_use(documents: Sequence[StoredDocument]) -> Iterator[IndexedDocument]:
    """Records of the collection in use, for the time after a switch to another one."""
    for one in documents:
        record = index_record(one, one, one.chunks)
        unsettled = one.references_digest == UNSETTLED
        yield record.model_copy(update={"cited": _UNKNOWN}) if unsettled else record


class CurrentFingerprints(Value):
    """The current fingerprints of passages of a model."""

    chunking: str
    embedding: str

    @classmethod
    def of(
        cls, writer: PassageWriter, project: Project, index: ModelIndex
    ) -> "CurrentFingerprints":
        return cls(
            chunking=writer.chunker.fingerprint,
            embedding=writer.embedding_fingerprint(project, index.model),
        )

    def stages_match(self, document: StoredDocument, indexed: IndexedDocument | None) -> bool:
        """Whether the passages are current, apart from their citation."""
        return indexed is not None and (
            (indexed.conversion, indexed.chunking, indexed.embedding)
            == (document.conversion, self.chunking, self.embedding)
        )

    def is_current_for(self, document: StoredDocument, indexed: IndexedDocument | None) -> bool:
        return (
            self.stages_match(document, indexed)
            and indexed is not None
            and indexed.cited == cited_digest(document)
        )


def other_models(
    catalogue: Catalogue,
    writer: PassageWriter,
    project: Project,
    counts: Mapping[str, Mapping[str, int]] | None = None,
) -> tuple[OtherModel, ...]:
    """The state of the project's other models. With ``counts`` (passages by collection and
    document) a document is ready only if all its passages are in the index."""
    documents = catalogue.documents(project.id) if project.others else ()
    models = []
    for index in project.others:
        fingerprints = CurrentFingerprints.of(writer, project, index)
        indexed = catalogue.indexed(project.id, index.collection)
        if counts is not None:
            indexed = complete_records(indexed, counts.get(index.collection, {}))
        models.append(
            OtherModel(
                name=index.model.name,
                fingerprint=index.model.fingerprint,
                collection=index.collection,
                ready=sum(
                    fingerprints.is_current_for(d, indexed.get(d.document_id)) for d in documents
                ),
                documents=len(documents),
                unwanted=index.unwanted,
            )
        )
    return tuple(models)


def complete_records(
    indexed: Mapping[str, IndexedDocument], counts: Mapping[str, int]
) -> Mapping[str, IndexedDocument]:
    """The records of documents all of whose passages are in the index."""
    return {id: one for id, one in indexed.items() if counts.get(id, 0) == one.chunks}


# Small documents share one flush of the index.
_FLUSH_SECONDS = 1.0


@dataclass(frozen=True, slots=True)
class ReembeddingServices:
    """Collaborators of a re-embedding."""

    catalogue: Catalogue
    index: Index
    bundles: BundleStore
    writer: PassageWriter
    clock: Clock


class Reembedding:
    """Writes the documents of ``before`` into ``index``, from their stored conversions.

    The catalogue's record of a document is deleted before its passages change, and written
    after they are durable: an interrupted run is completed by the next.
    """

    def __init__(
        self,
        parts: ReembeddingServices,
        before: ProjectState,
        index: ModelIndex,
        embedder: Embedder,
        progress: Progress,
    ) -> None:
        self._parts = parts
        self._documents = before.documents
        self._target = before.project.on(index)
        self._wanted = CurrentFingerprints.of(parts.writer, before.project, index)
        self._embedder = embedder
        self._progress = progress
        self._noted: set[str] = set()
        self._indexed: dict[str, IndexedDocument] = {}
        self._unflushed: list[tuple[StoredDocument, IndexedDocument]] = []
        self._flushed_at = parts.clock.monotonic()
        self.embedded = self.cited = 0
        self.missing: tuple[str, ...] = ()

    def __call__(self) -> None:
        self._look()
        self._progress.begin(len(self._documents))
        for document in self._documents:
            if self._wanted.is_current_for(document, self._indexed.get(document.document_id)):
                self._report(document, DocumentStatus.UNCHANGED)
            else:
                self._write(document)
            if self._parts.clock.monotonic() - self._flushed_at >= _FLUSH_SECONDS:
                self._flush()
        self._flush()

    def updated(self, document: StoredDocument) -> StoredDocument:
        """The document once the collection is in use."""
        indexed = self._indexed[document.document_id]
        written = {
            "chunks": indexed.chunks,
            "chunking": indexed.chunking,
            "embedding": indexed.embedding,
        }
        return document.model_copy(update=written)

    def _look(self) -> None:
        """Read which documents are complete in the collection; delete passages of unknown
        documents."""
        target = self._target
        indexed = self._parts.catalogue.indexed(target.id, target.collection)
        with open_collection(self._parts.index, target, writing=True) as collection:
            counts = collection.counts()
            gone = set(counts) - {d.document_id for d in self._documents}
            if gone:
                collection.delete_documents(sorted(gone))
                collection.flush()
        self._noted = set(indexed)
        self._indexed = dict(complete_records(indexed, counts))

    def _write(self, document: StoredDocument) -> None:
        converted = self._parts.bundles.load(document.document_id)
        if converted is None:
            self.missing += (document.sources[0].path,)
            return
        if document.document_id in self._noted:
            target = self._target
            self._parts.catalogue.forget_indexed(target.id, target.collection, document.document_id)
        indexed = self._indexed.get(document.document_id)
        if indexed is not None and self._wanted.stages_match(document, indexed):
            self._cite(document, converted)
            chunks = indexed.chunks
        else:
            chunks = self._embed(document, converted)
        self._unflushed.append((document, index_record(document, self._wanted, chunks)))

    def _cite(self, document: StoredDocument, converted: ConversionResult) -> None:
        self._parts.writer.cite(
            self._target, converted, document.sources[0], document.citation, relabel=True
        )
        self.cited += 1

    def _embed(self, document: StoredDocument, converted: ConversionResult) -> int:
        chunks, _ = self._parts.writer.write(
            self._target,
            converted,
            document.sources[0],
            document.citation,
            self._embedder,
            self._progress,
        )
        self.embedded += 1
        return chunks

    def _flush(self) -> None:
        """Make passages durable, then record them in the catalogue."""
        waiting, self._unflushed = self._unflushed, []
        if waiting:
            self._parts.writer.flush(self._target)
        for document, written in waiting:
            self._parts.catalogue.put_indexed(self._target.id, self._target.collection, written)
            self._indexed[document.document_id] = written
            self._report(document, DocumentStatus.UPDATED)
        self._flushed_at = self._parts.clock.monotonic()

    def _report(self, document: StoredDocument, status: DocumentStatus) -> None:
        self._progress.done(
            DocumentReport(
                source=document.sources[0].path,
                document_id=document.document_id,
                status=status,
                citekey=document.citation.citekey if document.citation else None,
                chunks=self._indexed[document.document_id].chunks,
                pages=document.pages,
            )
        )


class Migrated(Value):
    """Result of a migration. ``embedded`` counts the documents embedded in this run, ``cited``
    those with only a new citation; ``missing`` have no stored conversion and prevent the switch.
    ``others`` are models not in use whose index is kept."""

    project: str
    model: str
    switched: bool
    documents: int
    chunks: int
    embedded: int = 0
    cited: int = 0
    missing: tuple[str, ...] = ()
    others: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Migration:
    """Builds, switches and drops the indexes of further models."""

    catalogue: Catalogue
    remover: Remover
    parts: ReembeddingServices
    term_weights: TermWeights

    def migrate(
        self,
        project_id: ProjectId,
        embedder: Embedder,
        progress: Progress,
        *,
        drop_old: bool = False,
    ) -> Migrated:
        """Embed a project with ``embedder`` from the stored conversions, then switch to it.

        The index of the former model is kept, or deleted with ``drop_old``. Raises
        ProjectNotFound, InvalidRequest (copies at other places), ShardBusy, StorageFailed.
        """
        project = self.catalogue.project(project_id)
        _require_one_place(project)
        index = project.index_of(embedder.model)
        if index.collection == project.collection:
            if drop_old:
                self._drop_the_old(project)
        elif index.unwanted or index not in project.others:
            self.catalogue.put_other(project_id, index.model_copy(update={"unwanted": False}))
        return self._build_and_switch(
            project_id, index.collection, embedder, progress, drop_old=drop_old
        )

    def use(
        self,
        project_id: ProjectId,
        embedder: Embedder,
        progress: Progress,
        *,
        drop_old: bool = False,
    ) -> Migrated:
        """Switch to a model that the project has an index of; missing documents are embedded
        first. Raises ModelNotInProject and what ``migrate`` raises."""
        project = self.catalogue.project(project_id)
        models = [project.embedding_model, *(other.model for other in project.others)]
        if embedder.model not in models:
            names = [other.model.name for other in project.others]
            raise ModelNotInProject(project_id.value, embedder.model.name, names)
        return self.migrate(project_id, embedder, progress, drop_old=drop_old)

    def drop(self, project_id: ProjectId, model: str) -> ModelIndex:
        """Delete the index of a model that is not in use, by its name or fingerprint. Raises
        ProjectNotFound, ModelNotInProject, InvalidRequest, ShardBusy."""
        project = self.catalogue.project(project_id)
        matches = [o for o in project.others if model in (o.model.name, o.model.fingerprint)]
        current = project.embedding_model
        if not matches and model in (current.name, current.fingerprint):
            raise InvalidRequest(
                f"{model}: is in use by {project_id}",
                NextStep(Action.MIGRATE_MODEL, project=project_id.value),
                parameter="model",
            )
        if not matches:
            names = [other.model.name for other in project.others]
            raise ModelNotInProject(project_id.value, model, names)
        if len(matches) > 1:
            prints = ", ".join(other.model.fingerprint for other in matches)
            raise InvalidRequest(f"{model}: means {prints}; name one of them", parameter="model")
        self.remover.other(project, matches[0])
        return matches[0]

    def _build_and_switch(
        self,
        project_id: ProjectId,
        collection: str,
        embedder: Embedder,
        progress: Progress,
        *,
        drop_old: bool,
    ) -> Migrated:
        """Write missing documents, and switch once the project did not change meanwhile."""
        embedded = cited = 0
        switched = False
        missing: tuple[str, ...] = ()
        self._remove_pathless(project_id, progress)
        while True:
            before = self.catalogue.state(project_id)
            if before.project.collection == collection:
                break
            index = before.project.index_of(embedder.model)
            run = Reembedding(self.parts, before, index, embedder, progress)
            run()
            embedded, cited, missing = embedded + run.embedded, cited + run.cited, run.missing
            if missing:
                break
            project = before.project.switched_to(index, unwanted=drop_old)
            words = {"sparse_model": self.parts.writer.sparse.name}
            after = ProjectState(
                project=project.model_copy(update=words),
                documents=tuple(run.updated(d) for d in before.documents),
            )
            if self.catalogue.switch(before, after, records_in_use(before.documents)):
                switched = True
                break
        self.term_weights.update_average(self.catalogue.project(project_id))
        now = self._finish(project_id)
        if switched:
            optimize_as_well(self.parts.index, now, progress)
        documents = self.catalogue.documents(project_id)
        return Migrated(
            project=project_id.value,
            model=now.embedding_model.name,
            switched=switched,
            documents=len(documents),
            chunks=sum(d.chunks for d in documents),
            embedded=embedded,
            cited=cited,
            missing=missing,
            others=tuple(other.model.name for other in now.others),
        )

    def _finish(self, project_id: ProjectId) -> Project:
        """Delete the indexes marked as unwanted, also by an interrupted run."""
        project = self.catalogue.project(project_id)
        for other in project.others:
            if other.unwanted:
                self.remover.other(project, other)
        return self.catalogue.project(project_id)

    def _drop_the_old(self, project: Project) -> None:
        """Mark the only other index as unwanted. Raises InvalidRequest if there are several."""
        if len(project.others) > 1:
            names = ", ".join(other.model.name for other in project.others)
            raise InvalidRequest(
                f"{project.id}: {project.embedding_model.name} is in use already, and there are "
                f"several others: {names}",
                NextStep(Action.DROP_MODEL, project=project.id.value),
                parameter="drop_old",
            )
        for other in project.others:
            self.catalogue.put_other(project.id, other.model_copy(update={"unwanted": True}))

    def _remove_pathless(self, project_id: ProjectId, progress: Progress) -> None:
        """Remove documents without source, as an interrupted ingest of changed files leaves."""
        project = self.catalogue.project(project_id)
        pathless = [d for d in self.catalogue.documents(project_id) if not d.sources]
        self.remover.documents(project, [d.document_id for d in pathless])
        for document in pathless:
            progress.notice(f"removed {document.document_id[:16]}: its file has changed since")


def _require_one_place(project: Project) -> None:
    """Raise InvalidRequest for copies left by relocations: they belong to the model in use."""
    if project.retrieval.copies:
        raise InvalidRequest(
            f"{project.id}: copies of its index are left where it was moved from",
            NextStep(Action.DROP_COPIES, project=project.id.value),
            parameter="model",
        )
