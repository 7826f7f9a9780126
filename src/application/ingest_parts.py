"""What an ingest is made of."""

from dataclasses import dataclass

from citeloom.application.opening import ProjectOpener
from citeloom.application.ports.audit import AuditLog
from citeloom.application.ports.bundles import BundleStore
from citeloom.application.ports.catalogue import Catalogue
from citeloom.application.ports.clock import Clock
from citeloom.application.ports.converter import Converter
from citeloom.application.ports.files import SourceFiles
from citeloom.application.ports.index import Index
from citeloom.application.ports.references import ReferenceReader
from citeloom.application.removing import Remover
from citeloom.application.storing import PassageWriter
from citeloom.application.weighing import Weigher


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
    weigher: Weigher
    remover: Remover
    projects: ProjectOpener
    audit: AuditLog
    clock: Clock
    wait_seconds: float = 30.0
