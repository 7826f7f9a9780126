"""The verb *identify*: looks up the works of documents and stores the results."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from citeloom.application.documents.finder import DocumentFinder
from citeloom.application.documents.stores import DocumentStores
from citeloom.application.index.passage_writer import PassageWriter
from citeloom.application.ports.catalogue import StoredDocument
from citeloom.application.ports.citation import ReferenceReader, WorkLookup
from citeloom.domain.citation.own import OwnChange, OwnMetadata
from citeloom.domain.errors import CiteLoomError, InvalidRequest, LookupFailed
from citeloom.domain.maps.address import short_id
from citeloom.domain.messages import Action, NextStep, UserMessage
from citeloom.domain.progress import Cancelled, checkpoint
from citeloom.domain.projects.project import Project
from citeloom.domain.references.first_page import DocumentEvidence
from citeloom.domain.references.identifiers import is_distinctive
from citeloom.domain.references.lookup import (
    FoundWork,
    IdentifiedDocument,
    IdentifyOutcome,
    IdentifyRequest,
    IdentifyResult,
    RecordJudge,
    RecordJudgement,
    RecordVerdict,
    notices_of,
    one_taken,
    own_identifiers,
)

from .assignment import CitationReassigner, evidence_of, mark_unsettled
from .own import own_reassigner, project_assigner

_NO_KEY = "none"
"""Key of a record while it is judged."""


Told = Callable[[IdentifiedDocument, int, int], None]
"""Called for each document, with its number, from 1, and how many there are."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Identify:
    """Looks up documents one by one; a failure concerns its document alone.

    What is taken becomes the person's own metadata of the document, which outlasts every ingest,
    and its citation key stays. The catalogue marks the document first, so that an interrupted
    change is completed by the next ingest."""

    documents: DocumentFinder
    stores: DocumentStores
    writer: PassageWriter
    references: ReferenceReader
    lookup: WorkLookup

    def __call__(self, request: IdentifyRequest, told: Told = lambda *_: None) -> IdentifyResult:
        """Raises InvalidRequest without any name, DocumentNotFound, ProjectNotFound."""
        project = self.stores.catalogue.project(request.project_id)
        chosen = self._chosen(project, request)
        warnings: list[str] = []
        reassigner = self._reassigner(project, warnings)
        done: list[IdentifiedDocument] = []
        is_cancelled = False
        for number, stored in enumerate(chosen, 1):
            try:
                checkpoint()
                one = self._identified(project, stored, reassigner, accept=request.accept)
            except Cancelled:
                is_cancelled = True
                break
            except CiteLoomError as error:
                one = _outcome(stored, IdentifyOutcome.FAILED, why=error.message)
            done.append(one)
            told(one, number, len(chosen))
        return IdentifyResult(
            project=project.id.value,
            documents=tuple(done),
            warnings=tuple(dict.fromkeys(warnings)),
            cancelled=is_cancelled,
        )

    def _chosen(self, project: Project, request: IdentifyRequest) -> Sequence[StoredDocument]:
        if request.all:
            if request.names or request.accept:
                raise InvalidRequest("name documents, or all of them, not both", parameter="all")
            stored = self.stores.catalogue.documents(project.id)
            return [one for one in stored if one.citation and one.citation.is_provisional]
        if not request.names:
            raise InvalidRequest(
                "no document is named",
                NextStep(Action.IDENTIFY, project=project.id.value),
                parameter="names",
            )
        found = [self.documents.find(name, project.id) for name in request.names]
        return list({one.document_id: one for one in found}.values())

    def _identified(
        self,
        project: Project,
        stored: StoredDocument,
        reassigner: CitationReassigner,
        *,
        accept: bool,
    ) -> IdentifiedDocument:
        base = stored.without_own.citation
        if base is not None and not base.is_provisional:
            return _outcome(stored, IdentifyOutcome.KEPT, why="it already has its own item")
        document = self.stores.bundles.load(stored.document_id)
        if document is None or stored.path is None:
            step = NextStep(Action.INGEST_AGAIN, project=project.id.value)
            missing = UserMessage("its stored conversion is missing", step)
            return _outcome(stored, IdentifyOutcome.FAILED, why=missing)
        search = _Search(self.lookup, self.references, evidence_of(document, stored.path))
        best = search.best()
        if best is None:
            outcome = IdentifyOutcome.FAILED if search.failures else IdentifyOutcome.NOTHING
            why = "; ".join(search.failures) or search.nothing
            return _outcome(stored, outcome, why=why)
        by, found, judged = best
        if accept:
            judged = judged.model_copy(update={"verdict": RecordVerdict.TAKEN})
        if judged.verdict is RecordVerdict.TAKEN:
            self._keep(project, stored, found, reassigner)
        return _outcome(
            stored,
            IdentifyOutcome(judged.verdict.value),
            by=by,
            service=found.service,
            agreement=judged.agreement,
            found=dict(found.item),
            why=judged.why,
            notices=notices_of(found.item),
        )

    def _keep(
        self,
        project: Project,
        stored: StoredDocument,
        found: FoundWork,
        reassigner: CitationReassigner,
    ) -> None:
        own = self.stores.own.own(project.id, stored.document_id) or OwnMetadata()
        if own.found == found.item:
            return
        after = own.model_copy(update={"found": found.item})
        change = OwnChange(
            document_id=stored.document_id, what=f"looked up at {found.service}", after=after
        )
        mark_unsettled(self.stores.catalogue, project, stored)
        self.stores.own.put(project.id, change)
        reassigner.reassign(project, stored, anew=True)

    def _reassigner(self, project: Project, warnings: list[str]) -> CitationReassigner:
        """The one of an ingest with the project's reference files."""
        assigner, unread = project_assigner(project, self.stores.catalogue, self.references)
        warnings += unread
        return own_reassigner(
            project, self.stores, self.writer, self.references, assigner, warnings.append
        )


@dataclass(slots=True)
class _Search:
    """The records of one document, by its identifiers and then its title. ``failures`` are those
    of services."""

    lookup: WorkLookup
    references: ReferenceReader
    evidence: DocumentEvidence
    failures: list[str] = field(default_factory=list)
    nothing: str = "no service knows it"

    def best(self) -> tuple[str, FoundWork, RecordJudgement] | None:
        """The first record that is taken, by an identifier before the title; else the one to
        propose."""
        judge = RecordJudge(self.evidence)
        proposed: tuple[str, FoundWork, RecordJudgement] | None = None
        standing = []
        for identifier, found in self._by_identifiers():
            if found is None:
                standing.append(identifier)
                continue
            judged = judge.by_identifier(self.references.item(found.item, _NO_KEY))
            if judged.verdict is RecordVerdict.TAKEN:
                return identifier, found, judged
            proposed = proposed or (identifier, found, judged)
        for candidates in self._by_title():
            best = one_taken(
                (found, judge.by_title(self.references.item(found.item, _NO_KEY), standing))
                for found in candidates
            )
            if best is not None and best[1].verdict is RecordVerdict.TAKEN:
                return "title", *best
            proposed = proposed or (best and ("title", *best))
        return proposed

    def _by_identifiers(self) -> Iterator[tuple[str, FoundWork | None]]:
        for identifier in own_identifiers(self.evidence):
            try:
                yield identifier, self.lookup.by_identifier(identifier)
            except LookupFailed as error:
                self.failures.append(error.message)
                yield identifier, None

    def _by_title(self) -> Iterator[Sequence[FoundWork]]:
        title = self.evidence.title or ""
        if not is_distinctive(title):
            self.nothing = "it has no identifier that a service knows, and no title to search for"
            return
        for catalogue in self.lookup.catalogues:
            try:
                author = next(iter(self.evidence.authors), "")
                yield self.lookup.by_title(catalogue, title, author)
            except LookupFailed as error:
                self.failures.append(error.message)


def _outcome(stored: StoredDocument, outcome: IdentifyOutcome, **values: Any) -> IdentifiedDocument:
    citation = stored.citation
    name = citation.citekey if citation else stored.title or short_id(stored.document_id)
    return IdentifiedDocument(document_id=stored.document_id, name=name, outcome=outcome, **values)
