"""The verb *add*: works into a project by identifier, address or reference file."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

from citeloom.application.citation.assignment import AssignedCitation, ReferenceAssigner
from citeloom.application.citation.own import over, project_assigner
from citeloom.application.documents.finder import DocumentFinder, short_name
from citeloom.application.documents.stores import DocumentStores
from citeloom.application.index.collection import Remover
from citeloom.application.index.passage_writer import PassageWriter
from citeloom.application.ports.catalogue import SourceStamp, StoredDocument
from citeloom.application.ports.citation import (
    PUBLISHED,
    Downloads,
    ReferenceReader,
    WorkLookup,
)
from citeloom.application.ports.models import Embedder
from citeloom.application.ports.system import Clock
from citeloom.application.projects.projects import ProjectOpener
from citeloom.domain.citation.metadata import CitationMeta, CitationSource, csl_item
from citeloom.domain.citation.own import OwnChange, OwnMetadata
from citeloom.domain.errors import (
    CiteLoomError,
    InvalidRequest,
    LookupFailed,
    ReferencesUnreadable,
    Unavailable,
)
from citeloom.domain.ingest import IngestRequest, IngestResult
from citeloom.domain.library import WORK_TYPE
from citeloom.domain.messages import Action, MessageText, NextStep, UserMessage
from citeloom.domain.progress import Cancelled, checkpoint
from citeloom.domain.projects.project import Project, ProjectId
from citeloom.domain.references.lookup import FoundWork, notices_of
from citeloom.domain.references.textless import (
    WorksByName,
    file_name,
    identifier_of,
    readable_name,
    work_address,
    work_document,
)
from citeloom.domain.references.work_versions import is_preprint
from citeloom.domain.value import Value

_NO_KEY = "none"
_MOST_TRIED = 4
"""PDFs of one work."""


class AddRequest(Value):
    """``names`` are DOIs, arXiv ids, PMIDs, ISBNs, addresses of PDFs and web pages, and paths of
    reference files. ``pdf``: where open access has the PDF of a work, it is fetched."""

    project_id: ProjectId
    names: tuple[str, ...]
    pdf: bool = False


class AddOutcome(StrEnum):
    ADDED = "added"
    KNOWN = "known"
    FAILED = "failed"


class AddedWork(Value):
    """The result for a work, which ``given`` named. ``found`` is the record of ``service``, as
    CSL-JSON; ``file`` is the path of the fetched file; ``why`` is the reason of a failure, or of a
    missing file."""

    given: str
    outcome: AddOutcome
    document_id: str | None = None
    citekey: str | None = None
    citation_source: CitationSource | None = None
    title: str | None = None
    has_text: bool = False
    service: str | None = None
    found: dict[str, Any] | None = None
    file: str | None = None
    why: MessageText = ""
    notices: tuple[str, ...] = ()


class AddResult(Value):
    """``cancelled``: not all were added."""

    project: str
    works: tuple[AddedWork, ...]
    warnings: tuple[MessageText, ...] = ()
    cancelled: bool = False

    @property
    def failed(self) -> int:
        return sum(one.outcome is AddOutcome.FAILED for one in self.works)


Told = Callable[[str, int, int], None]
"""Called with each name, its number, from 1, and how many there are."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AddWorks:
    """Adds works one by one; a failure concerns its work alone.

    A work without text has a document without passages, in the catalogue alone. The record of a
    look-up is a person's own metadata, as with *identify*. ``folder`` gives the folder for the
    files of a project."""

    documents: DocumentFinder
    stores: DocumentStores
    writer: PassageWriter
    remover: Remover
    projects: ProjectOpener
    references: ReferenceReader
    lookup: WorkLookup
    downloads: Downloads
    ingest: Callable[[IngestRequest], IngestResult]
    folder: Callable[[Project], Path]
    clock: Clock

    def __call__(self, request: AddRequest, told: Told = lambda *_: None) -> AddResult:
        """Raises InvalidRequest for an unknown name, ModelUnavailable."""
        names = tuple(dict.fromkeys(request.names))
        for name in names:
            kind_of(name)
        project, embedder, created = self.projects.open_or_create(request.project_id, None)
        adding = _Adding(self, project, embedder, request)
        done: list[AddedWork] = []
        is_cancelled = False
        try:
            for number, name in enumerate(names, 1):
                told(name, number, len(names))
                done.extend(adding.of(name))
        except Cancelled:
            is_cancelled = True
        if created and not self.stores.catalogue.documents(project.id):
            self.remover.project(project)
        return AddResult(
            project=project.id.value,
            works=tuple(done),
            warnings=tuple(adding.warnings),
            cancelled=is_cancelled,
        )


def kind_of(name: str) -> str:
    """``file``, ``identifier`` or ``address``. Raises InvalidRequest."""
    if name.strip() and Path(name).expanduser().exists():
        return "file"
    if identifier_of(name):
        return "identifier"
    if name.strip().lower().startswith(("http://", "https://")):
        return "address"
    raise InvalidRequest(
        f"{name or 'an empty name'}: is not a DOI, arXiv id, PMID, ISBN (with its check digit) or "
        "web address, and there is no such file",
        parameter="works",
    )


class _Adding:
    """One request. ``warnings`` are about reference files."""

    def __init__(
        self, verb: AddWorks, project: Project, embedder: Embedder, request: AddRequest
    ) -> None:
        self._verb = verb
        self._project = project
        self._fingerprint = verb.writer.embedding_fingerprint(project, embedder.model)
        self._request = request
        self.warnings: dict[str, None] = {}
        self._begin()

    def _begin(self) -> None:
        """Read references and documents, which an ingest changes."""
        verb = self._verb
        self._assigner: ReferenceAssigner
        self._assigner, unread = project_assigner(
            self._project, verb.stores.catalogue, verb.references
        )
        self.warnings |= dict.fromkeys(unread)
        self._works = WorksByName()
        for stored in verb.stores.catalogue.documents(self._project.id):
            if stored.citation is not None:
                self._works.put(stored.citation, stored.document_id)

    def of(self, name: str) -> Iterator[AddedWork]:
        add = {"file": self._file, "identifier": self._identifier, "address": self._address}
        try:
            checkpoint()
            yield from add[kind_of(name)](name)
        except Cancelled:
            raise
        except CiteLoomError as error:
            yield AddedWork(given=name, outcome=AddOutcome.FAILED, why=error.message)

    def _identifier(self, name: str) -> Iterator[AddedWork]:
        identifier = identifier_of(name) or name
        stored, found = self._verb.documents.known(identifier, self._project.id), None
        outcome = AddOutcome.KNOWN
        if stored is None:
            found = self._verb.lookup.by_identifier(identifier)
            if found is None:
                raise LookupFailed("no service knows it; check its spelling")
            work = self._verb.references.item(found.item, _NO_KEY)
            stored = self._same(work)
        if stored is None:
            outcome, stored = AddOutcome.ADDED, self._keep(work, found)
        added = _added(name, outcome, stored, found)
        is_pdf = name.startswith("http") and re.search(r"/pdf/|\.pdf$", name)
        if (self._request.pdf or is_pdf) and not stored.has_file:
            added = self._with_pdf(added, stored)
        yield added

    def _same(self, work: CitationMeta) -> StoredDocument | None:
        same = self._works.same(work) or work_document(work).doc_id
        return self._verb.stores.catalogue.document(self._project.id, same)

    def _file(self, name: str) -> Iterator[AddedWork]:
        """The works of a reference file, which becomes one of the project's."""
        path = Path(name).expanduser().absolute()
        try:
            entries = self._verb.references.read(path).items
        except ReferencesUnreadable as error:
            if path.suffix.lower() not in self._verb.references.suffixes:
                step = NextStep(Action.ADD_DOCUMENTS, self._project.id.value, name)
                error.message = UserMessage(f"{name}: is not a reference file", step)
            raise
        if not entries:
            raise InvalidRequest(f"{name}: no entry of a work is in it", parameter="works")
        result = self._verb.ingest(
            IngestRequest(project_id=self._project.id, sources=(), references=(str(path),))
        )
        self.warnings |= dict.fromkeys(result.warnings)
        self._project = self._verb.stores.catalogue.project(self._project.id)
        self._begin()
        for entry in entries:
            checkpoint()
            stored = self._same(entry)
            outcome = AddOutcome.KNOWN if stored else AddOutcome.ADDED
            yield _added(name, outcome, stored or self._keep(entry))

    def _keep(self, work: CitationMeta, found: FoundWork | None = None) -> StoredDocument:
        """Enter a work: one that was looked up, or an entry of a reference file. The catalogue
        comes last: what is interrupted is not in the list."""
        stores, project = self._verb.stores, self._project
        document = work_document(work)
        stamp = SourceStamp(path=work_address(document.doc_id), size=0, mtime_ns=0)
        stores.bundles.save(document, document.converter)
        self._verb.writer.save_map(document, stamp)
        own = stores.own.own(project.id, document.doc_id)
        if found is not None:
            own = (own or OwnMetadata()).model_copy(update={"found": found.item})
            what = f"added from {found.service}"
            change = OwnChange(document_id=document.doc_id, what=what, after=own)
            stores.own.put(project.id, change)
            cited = self._assigner.cite(document, stamp.path)
        else:
            cited = AssignedCitation(citation=work, how="citekey", digest=self._assigner.digest)
        cited = over(cited, own, self._verb.references.item)
        stored = StoredDocument(
            project_id=project.id,
            document_id=document.doc_id,
            title=document.title,
            authors=document.authors,
            year=document.year,
            mime_type=WORK_TYPE,
            pages=0,
            chunks=0,
            identifiers=document.identifiers,
            sources=(stamp,),
            conversion=document.converter,
            chunking=self._verb.writer.chunker.fingerprint,
            embedding=self._fingerprint,
            citation=cited.citation,
            citation_how=cited.how,
            references_digest=cited.digest,
            stored_at=self._verb.clock.now(),
            item=cited.item,
        )
        stores.catalogue.put_document(stored, project.collection)
        self._works.put(cited.citation or work, document.doc_id)
        return stored

    def _with_pdf(self, added: AddedWork, stored: StoredDocument) -> AddedWork:
        """The work with its PDF, or why it has none: the pages of another version are not those of
        the work."""
        assert stored.citation is not None, "a work is cited"
        work, reasons, own = stored.citation, list[str](), list[str]()
        try:
            found = self._verb.lookup.open_pdfs(csl_item(work))
            own = [one.url for one in found if one.version == PUBLISHED or is_preprint(work)]
            if found and not own:
                version = found[0].version or "unknown version"
                reasons.append(
                    f"only another version is open ({version}), whose pages are not those of the "
                    f"publication: {found[0].url}"
                )
        except LookupFailed as error:
            reasons.append(error.message)
        for url in own[:_MOST_TRIED]:
            try:
                return self._fetched(added, work, url)
            except Unavailable as error:
                reasons.append(error.message)
        why = "; ".join(reasons) or "no open-access PDF of it was found"
        return added.model_copy(update={"why": f"no PDF: {why}"})

    def _fetched(self, added: AddedWork, work: CitationMeta, url: str) -> AddedWork:
        """Raises LookupFailed, StorageFailed."""
        verb, folder = self._verb, self._verb.folder(self._project)
        with verb.downloads.fetch(url, folder, typed=False, pdf=True) as got:
            if known := verb.stores.catalogue.document(self._project.id, got.digest):
                raise LookupFailed(f"{url}: is the file of {short_name(known)}")
            path = verb.downloads.keep(got.path, readable_name(work, got.suffix))
        after, why = self._read(path)
        file = {"file": str(path), "why": why}
        if after is None:
            return added.model_copy(update=file)
        if verb.stores.catalogue.document(self._project.id, added.document_id or ""):
            file["why"] = f"its first page shows another work: added as {short_name(after)}"
            return added.model_copy(update=file)
        text = _added(added.given, added.outcome, after)
        kept = {"service": added.service, "found": added.found, "notices": added.notices}
        return text.model_copy(update=file | kept)

    def _address(self, name: str) -> Iterator[AddedWork]:
        """A PDF or page, which is read before it gets the name of its work."""
        url, verb = name.strip(), self._verb
        catalogue = verb.stores.catalogue
        with verb.downloads.fetch(url, verb.folder(self._project), typed=True) as got:
            known = catalogue.document(self._project.id, got.digest)
            if known is not None:
                yield _added(name, AddOutcome.KNOWN, known)
                return
            path = verb.downloads.keep(got.path, file_name(url.rpartition("/")[2], got.suffix))
        stored, problem = self._read(path)
        if stored is None or stored.citation is None:
            yield AddedWork(given=name, outcome=AddOutcome.FAILED, file=str(path), why=problem)
            return
        place = verb.downloads.keep(path, readable_name(stored.citation, path.suffix))
        if place != path:
            stored = self._read(place, gone=path)[0] or stored
        added = _added(name, AddOutcome.ADDED, stored)
        yield added.model_copy(update={"file": str(place)})

    def _read(
        self, path: Path, gone: Path | None = None
    ) -> tuple[StoredDocument | None, MessageText]:
        """The document of an ingested file, or the reason for its absence."""
        request = IngestRequest(
            project_id=self._project.id,
            sources=(str(path),),
            gone=(str(gone),) if gone else (),
        )
        (report, *_) = self._verb.ingest(request).documents
        self._begin()
        id = report.document_id
        stored = self._verb.stores.catalogue.document(self._project.id, id) if id else None
        return stored, report.error or ""


def _added(
    given: str, outcome: AddOutcome, stored: StoredDocument, found: FoundWork | None = None
) -> AddedWork:
    return AddedWork(
        given=given,
        outcome=outcome,
        document_id=stored.document_id,
        citekey=short_name(stored),
        citation_source=stored.citation.source if stored.citation else None,
        title=stored.citation.title if stored.citation else stored.title,
        has_text=stored.chunks > 0,
        service=found.service if found else None,
        found=dict(found.item) if found else None,
        notices=notices_of(found.item) if found else (),
    )
