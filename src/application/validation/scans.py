"""Scanned documents: without text, with unread pages, or read by OCR."""

from collections.abc import Iterator, Sequence

from citeloom.application.ports.catalogue import StoredDocument
from citeloom.application.ports.ingest import BundleStore
from citeloom.application.validation.checks import Check, named, warned
from citeloom.domain.documents.conversion import ConversionResult
from citeloom.domain.library.item_documents import ITEM_TYPE, NOTE_TYPE
from citeloom.domain.messages import Action, NextStep, UserMessage, WarningCode, prefixed
from citeloom.domain.projects.project import Project
from citeloom.domain.text.phrasing import counted

_OF_CITATIONS = (WarningCode.NO_CITATION, WarningCode.NO_IDENTIFIER)


def scanned_documents(
    project: Project, documents: Sequence[StoredDocument], bundles: BundleStore
) -> Iterator[Check]:
    """Checks of scans. A conversion without warnings is not opened. Raises StorageFailed for a
    damaged one."""
    silent, partly, read = [], [], []
    for document in documents:
        if document.mime_type in (ITEM_TYPE, NOTE_TYPE) or not _has_something_to_tell(document):
            continue
        converted = bundles.load(document.document_id)
        if converted is None:  # another check tells of it
            continue
        if not converted.plain_text.strip():
            silent.append(named(document))
        elif converted.missing_pages:
            partly.append(f"{named(document)} ({_pages(converted.missing_pages)})")
        elif converted.ocr_pages:
            read.append(f"{named(document)} ({_read(converted)})")
    again = UserMessage("set up OCR (docs/formats.md)", NextStep(Action.INGEST_AGAIN))
    if silent:
        message = f"{counted(len(silent), 'document has', 'documents have')} no text"
        yield warned(project, "text", message, prefixed("scanned? ", again), silent)
    if partly:
        message = f"{counted(len(partly), 'document has', 'documents have')} pages without text"
        yield warned(project, "scanned pages", message, again, partly)
    if read:
        message = f"{counted(len(read), 'document was', 'documents were')} read by OCR"
        guidance = "check quotations against the page before you use them"
        yield warned(project, "scanned pages", message, guidance, read)


def _has_something_to_tell(document: StoredDocument) -> bool:
    """Whether the conversion is to be opened: no chunks, or a warning other than of citation."""
    return not document.chunks or not all(
        isinstance(one, UserMessage) and one.code in _OF_CITATIONS for one in document.warnings
    )


def _read(converted: ConversionResult) -> str:
    if len(converted.ocr_pages) == converted.page_count:
        return "all pages"
    return f"{_pages(converted.ocr_pages)} of {converted.page_count}"


def _pages(pages: Sequence[int]) -> str:
    return counted(len(pages), "page")
