"""Repair: a project's index rebuilt from its bundles."""

from citeloom.application.index.optimization import optimize
from citeloom.application.index.passage_writer import PassageWriter
from citeloom.application.ports.catalogue import Catalogue, StoredDocument
from citeloom.application.ports.index import Index
from citeloom.application.ports.ingest import BundleStore, Progress
from citeloom.application.ports.models import Embedder
from citeloom.application.projects.opener import ProjectOpener
from citeloom.domain.projects.project import Project
from citeloom.domain.projects.project_id import ProjectId
from citeloom.domain.value import Value


class Repaired(Value):
    project: str
    documents: int
    chunks: int
    missing: tuple[str, ...] = ()


class Repair:
    """Drops a project's index and rewrites it from the stored conversions."""

    def __init__(
        self,
        *,
        catalogue: Catalogue,
        index: Index,
        bundles: BundleStore,
        writer: PassageWriter,
        projects: ProjectOpener,
        wait_seconds: float = 30.0,
    ) -> None:
        self._catalogue = catalogue
        self._index = index
        self._bundles = bundles
        self._writer = writer
        self._projects = projects
        self._wait = wait_seconds

    def __call__(self, project_id: ProjectId, progress: Progress) -> Repaired:
        """Rewrite all documents; those without bundle are in ``missing``."""
        project, embedder = self._projects.open(project_id)
        documents = self._catalogue.documents(project.id)
        self._index.drop(project.collection)
        progress.begin(len(documents))
        chunks, missing = 0, []
        for document in documents:
            written = self._write(project, document, embedder, progress)
            if written is None:
                missing.append(_name(document))
            else:
                chunks += written
        if not missing and project.sparse_model != self._writer.sparse_model:
            renewed = project.model_copy(update={"sparse_model": self._writer.sparse_model})
            self._catalogue.update_project(renewed)
        optimize(self._index, project, self._wait, progress)
        return Repaired(
            project=project.id.value,
            documents=len(documents) - len(missing),
            chunks=chunks,
            missing=tuple(missing),
        )

    def _write(
        self, project: Project, document: StoredDocument, embedder: Embedder, progress: Progress
    ) -> int | None:
        converted = self._bundles.load(document.document_id)
        if converted is None or not document.sources:
            return None
        chunks, language = self._writer.write(
            project, converted, document.sources[0], document.citation, embedder, progress
        )
        self._writer.flush(project)
        self._catalogue.put_document(
            document.model_copy(
                update={
                    "chunks": chunks,
                    "language": language,
                    "chunking": self._writer.chunking_fingerprint,
                    "embedding": self._writer.embedding_fingerprint(project, embedder),
                }
            ),
            project.collection,
        )
        return chunks


def _name(document: StoredDocument) -> str:
    return document.path or document.document_id
