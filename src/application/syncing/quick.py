"""Whether anything is to be done at all: looks at files' sizes and times, opens none."""

from collections.abc import Mapping, Sequence

from citeloom.application.ingest_run import report_of
from citeloom.application.ports.catalogue import UNSETTLED, SourceStamp, StoredDocument
from citeloom.application.ports.files import SourceFiles
from citeloom.application.ports.following import Entry, EntryKind
from citeloom.domain.retrieval import DocumentReport, DocumentStatus


def unchanged_reports(
    entries: Mapping[str, Entry], stored: Sequence[StoredDocument], files: SourceFiles
) -> list[DocumentReport] | None:
    """A report for each document of the library; None if an entry was not finished, a
    document is missing or half-written, or a file is not as it was."""
    documents = {document.document_id: document for document in stored}
    expected: dict[str, SourceStamp] = {}
    reports = []
    for entry in entries.values():
        if not entry.digest:
            return None
        if entry.kind is EntryKind.ATTACHMENT and entry.stamp is not None:
            expected[entry.stamp.path] = entry.stamp
        if entry.document_id is None:
            continue
        document = documents.get(entry.document_id)
        if document is None or document.references_digest == UNSETTLED:
            return None
        if entry.stamp is not None:
            report = report_of(entry.stamp.path, document, DocumentStatus.UNCHANGED)
            reports.append(report)
    found = files.stamps(expected)
    as_before = all(
        found.get(path) == (None if stamp.size < 0 else stamp) for path, stamp in expected.items()
    )
    return reports if as_before else None
