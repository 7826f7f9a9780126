"""Collaborators of an ingest, by role."""

from dataclasses import dataclass

from citeloom.application.documents.stores import DocumentStores
from citeloom.application.index.collection import (
    missing_passages,
    open_collection,
    require_index,
)
from citeloom.application.index.passage_writer import PassageWriter
from citeloom.application.index.removal import Remover
from citeloom.application.index.term_weights import TermWeights
from citeloom.application.ingest.quota import UNLIMITED, ProjectQuota
from citeloom.application.ports.citation import ReferenceReader
from citeloom.application.ports.index import Index
from citeloom.application.ports.ingest import Converter, IngestJournal
from citeloom.application.ports.system import Clock
from citeloom.application.projects.opener import ProjectOpener
from citeloom.domain.messages import UserMessage
from citeloom.domain.projects.project import Project


@dataclass(frozen=True, slots=True)
class IndexServices:
    """The index and what changes it. ``wait_seconds`` bounds the wait for a busy index."""

    index: Index
    writer: PassageWriter
    term_weights: TermWeights
    remover: Remover
    wait_seconds: float = 30.0


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
        with open_collection(indexing.index, project, indexing.wait_seconds) as collection:
            return missing_passages(collection, catalogue, project)
