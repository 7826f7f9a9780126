"""Findings of *validate*, and checks of catalogue, conversions, fidelity and scans."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import partial
from math import sqrt
from typing import Final

from citeloom.application.index.collection import is_damage, open_collection, require_index
from citeloom.application.ports.catalogue import Catalogue, StoredDocument
from citeloom.application.ports.index import Collection, EmbeddedPassage, Index
from citeloom.application.ports.ingest import BundleStore
from citeloom.domain.documents.conversion import ConversionResult
from citeloom.domain.documents.fidelity import PDF, DocumentFidelity, PageFidelity
from citeloom.domain.errors import IndexUnavailable, StorageFailed
from citeloom.domain.library import ITEM_TYPE, NOTE_TYPE, WORK_TYPE
from citeloom.domain.messages import (
    Action,
    MessageText,
    NextStep,
    UserMessage,
    WarningCode,
    prefixed,
)
from citeloom.domain.progress import checkpoint
from citeloom.domain.projects.project import Project
from citeloom.domain.search.filters import Filter
from citeloom.domain.text.phrasing import counted, listed
from citeloom.domain.value import Value


class Status(StrEnum):
    PASS = "PASS"
    WARN = "WARN"
    FAIL = "FAIL"


class Check(Value):
    """One finding: what was checked, its status, and what to do. ``items`` are all affected items,
    of which ``message`` may name only some."""

    project: str | None = None
    check: str
    status: Status
    message: MessageText
    guidance: MessageText = ""
    items: tuple[str, ...] = ()

    @property
    def repairable(self) -> bool:
        """Whether the check failed and a repair helps."""
        texts = [one for one in (self.message, self.guidance) if isinstance(one, UserMessage)]
        steps = [text.next_step.action for text in texts if text.next_step is not None]
        return self.status is Status.FAIL and Action.REPAIR in steps


class Validation(Value):
    checks: tuple[Check, ...]

    @property
    def ok(self) -> bool:
        return all(check.status is not Status.FAIL for check in self.checks)


def _check_of(
    status: Status,
    project: Project,
    check: str,
    message: str,
    guidance: str = "",
    items: Sequence[str] = (),
) -> Check:
    return Check(
        project=project.id.value,
        check=check,
        status=status,
        message=message,
        guidance=guidance,
        items=tuple(items),
    )


passed = partial(_check_of, Status.PASS)
failed = partial(_check_of, Status.FAIL)
doubted = partial(_check_of, Status.WARN)


def warned(
    project: Project, check: str, message: str, guidance: str, items: Sequence[str]
) -> Check:
    """``message`` and the first of ``items``."""
    return doubted(project, check, f"{message}: {listed(items)}", guidance, items)


def named(document: StoredDocument) -> str:
    return document.path or document.document_id[:16]


def catalogue_integrity(catalogue: Catalogue, *, deep: bool) -> Check:
    """Whether the database is whole: its pages, and if ``deep`` its indexes too."""
    try:
        catalogue.verify(deep=deep)
    except StorageFailed as error:
        return Check(check="catalogue", status=Status.FAIL, message=error.message)
    return Check(check="catalogue", status=Status.PASS, message="the database is intact")


_SERVER = "server"


def server_condition(project: Project, index: Index) -> Iterator[Check]:
    """Nothing for an index in the workspace. Raises IndexUnavailable."""
    found = index.condition(project.collection, try_write=True)
    if found is None:
        return
    for fault in found.faults:
        yield failed(project, _SERVER, fault, "fix it on the server and validate again")
    if found.warnings:
        yield warned(
            project,
            _SERVER,
            "copies are missing",
            "start the missing nodes; they catch up by themselves",
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
    if deep:
        return _damaged(documents, lambda id: bundles.load(id) is not None)
    return _damaged(documents, bundles.verify)


def damaged_maps(documents: Sequence[StoredDocument], bundles: BundleStore) -> Mapping[str, str]:
    """Why the map of a document cannot be used, by document id."""
    return _damaged(documents, lambda id: bundles.load_map(id) is not None)


def _damaged(
    documents: Sequence[StoredDocument], is_there: Callable[[str], bool]
) -> Mapping[str, str]:
    found = {}
    for document in documents:
        checkpoint()
        try:
            if not is_there(document.document_id):
                found[document.document_id] = "it is gone"
        except StorageFailed as error:
            found[document.document_id] = str(error.message)
    return found


def stored_conversions(
    project: Project, documents: Sequence[StoredDocument], bundles: BundleStore, *, deep: bool
) -> Iterator[Check]:
    bad = damaged_bundles(documents, bundles, deep=deep)
    yield _check(project, documents, "bundles", "with a missing or damaged conversion", bad)
    bad = damaged_maps(documents, bundles)
    yield _check(project, documents, "maps", "with a missing or damaged map", bad)


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
            f"{counted(len(unknown), 'document has', 'documents have')} text that was not "
            "compared with the page",
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
        if document.mime_type in _RECORDS or not _has_something_to_tell(document):
            continue
        converted = bundles.load(document.document_id)
        if converted is None:  # another check reports it
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


#: Media types of documents that are not files.
_RECORDS: Final = (ITEM_TYPE, NOTE_TYPE, WORK_TYPE)


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


# Documents whose passages are all read in a quick check.
_SAMPLE: Final = 4
# Vectors have length 1; those of sentences are stored to about three digits.
_LENGTH_TOLERANCE: Final = 0.02
_EVERYTHING: Final = Filter()


@dataclass(frozen=True, slots=True)
class IndexFindings:
    """``damage`` is why the collection as a whole cannot be used; ``wrong`` has reasons by
    document id, ``orphans`` are ids of documents that the catalogue has not."""

    passages: int = 0
    damage: str | None = None
    wrong: Mapping[str, str] = field(default_factory=dict)
    orphans: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class IndexContents:
    """Reads collections."""

    catalogue: Catalogue
    index: Index
    bundles: BundleStore

    def examine(
        self, project: Project, documents: Sequence[StoredDocument], *, deep: bool = False
    ) -> IndexFindings:
        """Count all passages and read those of some documents, or of all if ``deep``. Raises
        ShardBusy, StorageFailed, and IndexUnavailable for a server that does not answer."""
        try:
            require_index(self.index, self.catalogue, project)
            if not self.index.exists(project.collection):
                return IndexFindings()
            return self._contents(project, documents, deep=deep)
        except IndexUnavailable as error:
            if not is_damage(error):
                raise
            return IndexFindings(damage=str(error.message))

    def _contents(
        self, project: Project, documents: Sequence[StoredDocument], *, deep: bool
    ) -> IndexFindings:
        with open_collection(self.index, project) as collection:
            counts, total = collection.counts(), collection.count()
        if sum(counts.values()) != total:
            damage = f"{total:,} passages, {sum(counts.values()):,} of them by document"
            return IndexFindings(passages=total, damage=damage)
        wrong = {
            d.document_id: f"{counts.get(d.document_id, 0)} of {d.chunks} passages"
            for d in documents
            if counts.get(d.document_id, 0) != d.chunks
        }
        read = [d for d in documents if d.document_id not in wrong and d.chunks]
        for document in read if deep else _spread(read):
            checkpoint()
            # Opened for each, so that others have their turn between two.
            with open_collection(self.index, project) as collection:
                reason = self._problem(collection, document)
            if reason is not None:
                wrong[document.document_id] = reason
        orphans = tuple(sorted(set(counts) - {d.document_id for d in documents}))
        return IndexFindings(passages=total, wrong=wrong, orphans=orphans)

    def _problem(self, collection: Collection, document: StoredDocument) -> str | None:
        """The fault of a document's passages; None without one."""
        passages = list(collection.export(document.document_id))
        if len(passages) != document.chunks:
            return f"{len(passages)} of {document.chunks} passages can be read"
        for passage in passages:
            if not _is_sound(passage):
                return "vectors are damaged"
        try:
            conversion = self.bundles.load(document.document_id)
        except StorageFailed:  # another check reports it
            conversion = None
        if conversion and not all(_quotes(passage, conversion) for passage in passages):
            return "passages are not the text of the document"
        if not all(_is_found(collection, passage) for passage in (passages[0], passages[-1])):
            return "passages are not found by their vectors"
        return None


def index_contents(
    project: Project, documents: Sequence[StoredDocument], contents: IndexContents, *, deep: bool
) -> Iterator[Check]:
    found = contents.examine(project, documents, deep=deep)
    repair = UserMessage("", NextStep(Action.REPAIR, project=project.id.value))
    if found.damage:
        yield failed(project, "index", found.damage, repair)
    if found.wrong:
        bad = [d for d in documents if d.document_id in found.wrong]
        shown = listed([f"{named(d)} ({found.wrong[d.document_id]})" for d in bad])
        message = f"{counted(len(bad), 'document')} not wholly in the index: {shown}"
        yield failed(project, "index", message, repair, items=tuple(map(named, bad)))
    if found.orphans:
        number = counted(len(found.orphans), "document")
        message = f"{number} in the index, but not in the catalogue"
        yield failed(project, "index", message, repair, items=found.orphans)
    if not (found.damage or found.wrong or found.orphans):
        yield passed(project, "index", counted(found.passages, "passage"))


def _spread(documents: Sequence[StoredDocument]) -> Sequence[StoredDocument]:
    """A few documents, spread evenly."""
    step = max(1.0, len(documents) / _SAMPLE)
    return [documents[int(n * step)] for n in range(min(_SAMPLE, len(documents)))]


def _is_sound(embedded: EmbeddedPassage) -> bool:
    sentences = embedded.passage.sentences
    vectors = (embedded.dense, *embedded.sentences)
    return len(embedded.sentences) in (0, len(sentences)) and all(map(_is_unit, vectors))


def _is_unit(vector: Sequence[float]) -> bool:
    length = sqrt(sum(value * value for value in vector))
    return length == 0 or abs(length - 1) <= _LENGTH_TOLERANCE


def _quotes(embedded: EmbeddedPassage, conversion: ConversionResult) -> bool:
    """Whether a passage is a part of the document's text; annotations have texts of their own."""
    chunk = embedded.passage.chunk
    if embedded.passage.annotation is not None:
        return True
    return chunk.text == conversion.plain_text[chunk.char_span.start : chunk.char_span.end]


def _is_found(collection: Collection, embedded: EmbeddedPassage) -> bool:
    """Whether the search finds a passage by its own vectors, with a score of each kind."""
    id = embedded.passage.chunk.id
    found = collection.search(
        dense=embedded.dense, sparse=embedded.sparse, filter=_EVERYTHING, limit=1, among={id}
    )
    if [one.id for one in found] != [id]:
        return False
    words_lost = len(embedded.sparse.indices) > 0 and found[0].sparse is None
    sentences_lost = bool(embedded.sentences) and found[0].sentence is None
    return not words_lost and not sentences_lost
