"""Ingests and what they are made of, wired: of files, and of the library that is followed."""

from typing import TYPE_CHECKING

from citeloom.application.ingest.ingest import Ingest
from citeloom.application.ingest.services import IngestParts
from citeloom.application.library.sync import LibrarySync
from citeloom.infrastructure.ingest.audit_log import FileAuditLog
from citeloom.infrastructure.references.reader import FileReferenceReader
from citeloom.infrastructure.system.clock import SystemClock

if TYPE_CHECKING:
    from citeloom.infrastructure.composition.application import Application


def ingest(application: "Application") -> Ingest:
    return Ingest(_parts(application))


def library_sync(application: "Application") -> LibrarySync:
    return LibrarySync(_parts(application), application.followed, application.annotate.each)


def _parts(application: "Application") -> IngestParts:
    return IngestParts(
        catalogue=application.catalogue,
        bundles=application.bundles,
        index=application.index,
        converter=application.converter,
        files=application.files,
        references=FileReferenceReader(),
        writer=application.writer,
        weigher=application.weigher,
        remover=application.remover,
        projects=application.projects_opener,
        audit=FileAuditLog(application.workspace.audit_log),
        clock=SystemClock(),
        wait_seconds=application.wait_seconds,
    )
