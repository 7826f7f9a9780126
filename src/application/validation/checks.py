"""Findings of *validate*, and checks of catalogue, conversions, fidelity and scans."""

from collections.abc import Iterator, Mapping, Sequence
from enum import StrEnum

from citeloom.application.ports.catalogue import Catalogue, StoredDocument
from citeloom.application.ports.index import Index
from citeloom.application.ports.ingest import BundleStore
from citeloom.domain.documents.conversion import ConversionResult
from citeloom.domain.documents.fidelity import PDF, DocumentFidelity, PageFidelity
from citeloom.domain.errors import StorageFailed
from citeloom.domain.library.item_documents import ITEM_TYPE, NOTE_TYPE
from citeloom.domain.messages import (
    Action,
    MessageText,
    NextStep,
    UserMessage,
    WarningCode,
    prefixed,
)
from citeloom.domain.progress import checkpoint
from citeloom.domain.projects import Project
from citeloom.domain.text.phrasing import counted, listed
from citeloom.domain.value import Value


class Status(StrEnum):
    PASS = "PASS"
    WARN = "WARN"
    FAIL = "FAIL"


class Check(Value):
    """One finding: what was looked at, how it stands, and what to do. ``items`` are all that
    it concerns, where ``message`` names only some."""

    project: str | None = None
    check: str
    status: Status
    message: MessageText
    guidance: MessageText = ""
    items: tuple[str, ...] = ()

    @property
    def repairable(self) -> bool:
        """Whether it failed, and a repair is what to do."""
        texts = [one for one in (self.message, self.guidance) if isinstance(one, UserMessage)]
        steps = [text.next_step.action for text in texts if text.next_step is not None]
        return self.status is Status.FAIL and Action.REPAIR in steps


class Validation(Value):
    checks: tuple[Check, ...]

    @property
    def ok(self) -> bool:
        return all(check.status is not Status.FAIL for check in self.checks)


def passed(project: Project, check: str, message: str) -> Check:
    return Check(project=project.id.value, check=check, status=Status.PASS, message=message)


def failed(
    project: Project, check: str, message: str, guidance: str = "", items: Sequence[str] = ()
) -> Check:
    return Check(
        project=project.id.value,
        check=check,
        status=Status.FAIL,
        message=message,
        guidance=guidance,
        items=tuple(items),
    )


def warned(
    project: Project, check: str, message: str, guidance: str, items: Sequence[str]
) -> Check:
    """``message`` and the first of ``items``."""
    return Check(
        project=project.id.value,
        check=check,
        status=Status.WARN,
        message=f"{message}: {listed(items)}",
        guidance=guidance,
        items=tuple(items),
    )


def named(document: StoredDocument) -> str:
    return document.path or document.document_id[:16]


def catalogue_integrity(catalogue: Catalogue, *, deep: bool) -> Check:
    """Whether the database is whole: its pages, and if ``deep`` its indexes too."""
    try:
        catalogue.verify(deep=deep)
    except StorageFailed as error:
        return Check(check="catalogue", status=Status.FAIL, message=error.message)
    return Check(check="catalogue", status=Status.PASS, message="its database is whole")


_SERVER = "server"


def server_condition(project: Project, index: Index) -> Iterator[Check]:
    """Nothing for an index in the workspace. Raises IndexUnavailable."""
    found = index.condition(project.collection, try_write=True)
    if found is None:
        return
    for fault in found.faults:
        yield failed(project, _SERVER, fault, "see to it on the server, and validate again")
    if found.warnings:
        yield warned(
            project,
            _SERVER,
            "copies are missing",
            "start the nodes that are away; they catch up by themselves",
            found.warnings,
        )
    if not (found.faults or found.warnings):
        shards = f"{counted(found.shards, 'shard')}, {counted(found.copies, 'copy', 'copies')}"
        yield passed(project, _SERVER, "; ".join((f"{found.state}, {shards}", *found.notes)))


def damaged_bundles(
    documents: Sequence[StoredDocument], bundles: BundleStore, *, deep: bool = False
) -> Mapping[str, str]:
    """Why the conversion of a document cannot be used, by document id. Each is read and compared
    with its checksum; ``deep`` interprets it too."""
    found = {}
    for document in documents:
        checkpoint()
        try:
            if deep:
                whole = bundles.load(document.document_id) is not None
            else:
                whole = bundles.verify(document.document_id)
        except StorageFailed as error:
            found[document.document_id] = str(error.message)
            continue
        if not whole:
            found[document.document_id] = "it is gone"
    return found


def damaged_maps(documents: Sequence[StoredDocument], bundles: BundleStore) -> Mapping[str, str]:
    """Why the map of a document cannot be used, by document id."""
    found = {}
    for document in documents:
        checkpoint()
        try:
            if bundles.load_map(document.document_id) is None:
                found[document.document_id] = "it is gone"
        except StorageFailed as error:
            found[document.document_id] = str(error.message)
    return found


def stored_conversions(
    project: Project, documents: Sequence[StoredDocument], bundles: BundleStore, *, deep: bool
) -> Iterator[Check]:
    bad = damaged_bundles(documents, bundles, deep=deep)
    yield _check(project, documents, "bundles", "without a stored conversion that is whole", bad)
    bad = damaged_maps(documents, bundles)
    yield _check(project, documents, "maps", "without a map that is whole", bad)


def _check(
    project: Project,
    documents: Sequence[StoredDocument],
    name: str,
    lacking: str,
    reasons: Mapping[str, str],
) -> Check:
    if not reasons:
        return passed(project, name, counted(len(documents), "document"))
    bad = [document for document in documents if document.document_id in reasons]
    shown = listed([f"{named(one)} ({reasons[one.document_id]})" for one in bad])
    message = f"{counted(len(bad), 'document')} {lacking}: {shown}"
    repair = UserMessage("", NextStep(Action.REPAIR, project=project.id.value))
    return failed(project, name, message, repair, items=tuple(map(named, bad)))


_CHECK = "text fidelity"


def text_fidelity(project: Project, documents: Sequence[StoredDocument]) -> Iterator[Check]:
    """Checks of the documents with pages. One without a comparison is unknown, not right."""
    paged = [document for document in documents if document.mime_type == PDF and document.chunks]
    compared = [(document, document.fidelity) for document in paged if document.fidelity]
    uncertain = [
        f"{named(document)} ({_differing(fidelity)})"
        for document, fidelity in compared
        if fidelity.uncertain
    ]
    unknown = [named(document) for document in paged if not document.fidelity]
    if uncertain:
        yield warned(
            project,
            _CHECK,
            f"{counted(len(uncertain), 'document has', 'documents have')} uncertain text",
            "check quotations from them against the page",
            uncertain,
        )
    if unknown:
        yield warned(
            project,
            _CHECK,
            f"of {counted(len(unknown), 'document')} it is not known whether the text is right",
            UserMessage("", NextStep(Action.INGEST_AGAIN, project.id.value)),
            unknown,
        )
    if compared and not uncertain:
        yield passed(project, _CHECK, counted(len(compared), "document"))


def _differing(fidelity: DocumentFidelity) -> str:
    """The worst of the uncertain pages with what they keep, and how many there are."""
    uncertain = set(fidelity.uncertain)
    worst = [_shares(page) for page in fidelity.worst if page.page in uncertain]
    others = len(uncertain) - len(worst)
    return "; ".join([listed(worst), *([f"{others} more"] if others else [])])


def _shares(page: PageFidelity) -> str:
    kept, true, pairs = (
        f"{100 * share:.0f} %" for share in (page.words_kept, page.words_true, page.pairs_true)
    )
    undecodable = f", {100 * page.undecodable:.0f} % undecodable" if page.undecodable else ""
    return f"page {page.page}: {kept} kept, {true} true, {pairs} in order{undecodable}"


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
