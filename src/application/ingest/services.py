"""Collaborators of an ingest."""

from dataclasses import dataclass

from citeloom.application.index.passage_writer import PassageWriter
from citeloom.application.index.removal import Remover
from citeloom.application.index.term_weights import TermWeights
from citeloom.application.ports.catalogue import Catalogue
from citeloom.application.ports.citation import ReferenceReader
from citeloom.application.ports.index import Index
from citeloom.application.ports.ingest import AuditLog, BundleStore, Converter, SourceFiles
from citeloom.application.ports.system import Clock
from citeloom.application.projects.opener import ProjectOpener


@dataclass(frozen=True, slots=True)
class IngestParts:
    """Ports and steps, wired once. ``wait_seconds`` bounds the wait for a busy index."""

    catalogue: Catalogue
    bundles: BundleStore
    index: Index
    converter: Converter
    files: SourceFiles
    references: ReferenceReader
    writer: PassageWriter
    term_weights: TermWeights
    remover: Remover
    projects: ProjectOpener
    audit: AuditLog
    clock: Clock
    wait_seconds: float = 30.0
