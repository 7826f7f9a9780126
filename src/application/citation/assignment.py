"""Assignment of citation metadata to documents, again for stored ones, and retracted works."""

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import Final, Protocol

from citeloom.application.documents.stores import DocumentStores
from citeloom.application.index.passage_writer import PassageWriter
from citeloom.application.ports.catalogue import (
    UNFINISHED,
    UNSETTLED,
    Catalogue,
    StoredDocument,
)
from citeloom.application.ports.citation import (
    ReferenceLibrary,
    RetractionList,
    RetractionReader,
)
from citeloom.application.ports.ingest import BundleStore
from citeloom.domain.citation.metadata import CitationMeta, with_confirmed_labels
from citeloom.domain.citation.own import OwnChange
from citeloom.domain.documents.conversion import ConversionResult
from citeloom.domain.errors import Unavailable
from citeloom.domain.library import DocumentRole, LibraryRecord
from citeloom.domain.messages import Action, NextStep, UserMessage, WarningCode
from citeloom.domain.naming import citation_key
from citeloom.domain.projects.project import Project, ProjectId
from citeloom.domain.references.first_page import DocumentEvidence
from citeloom.domain.references.identifiers import letters_and_digits, normalise_doi
from citeloom.domain.references.lookup import retraction_of
from citeloom.domain.references.matching import ItemMatcher, Match
from citeloom.domain.references.provisional import provisional_citation
from citeloom.domain.references.work_versions import Nature, Notice, current_notice, is_corrected
from citeloom.domain.value import Value

_FIRST_TEXT = 3000
_NO_TEXT = "no text was found in it: nothing of it can be searched"


def _labels(document: ConversionResult, citation: CitationMeta | None) -> Mapping[int, str | None]:
    return with_confirmed_labels(document, citation).structure.labels


def evidence_of(document: ConversionResult, source_path: str) -> DocumentEvidence:
    """The evidence of a document at a path about its work."""
    return DocumentEvidence(
        file_name=PurePath(source_path).name,
        source_path=source_path,
        identifiers=document.identifiers,
        title=document.title,
        authors=document.authors,
        year=document.year,
        container_title=document.container_title,
        volume=document.volume,
        issue=document.issue,
        pages=document.pages,
        uncertain=document.uncertain,
        first_text=document.plain_text[:_FIRST_TEXT],
    )


class AssignedCitation(Value):
    """The citation of a document with the matching rule. ``hint`` says why no item of the reference
    source matches, so the citation is provisional. ``digest`` is that of the reference source;
    ``notes`` are warnings about the citation; ``item`` is the citation without a person's own
    changes, if any."""

    citation: CitationMeta | None = None
    how: str | None = None
    hint: str | None = None
    digest: str | None = None
    held: LibraryRecord | None = None
    notes: tuple[str, ...] = ()
    item: CitationMeta | None = None

    def warnings(self) -> tuple[str, ...]:
        """Warnings: no item, no identifier, notes."""
        if self.citation is None or self.citation.is_provisional:
            missing = UserMessage(f"provisional: {self.hint}", code=WarningCode.NO_CITATION)
            return (missing,) if self.hint else ()
        if _is_main(self.held) and not self.citation.has_identifier:
            text = f"{self.citation.citekey} has neither DOI nor URL"
            return (*self.notes, UserMessage(text, code=WarningCode.NO_IDENTIFIER))
        return self.notes


class CitationAssigner(Protocol):
    """Assigns citations to documents."""

    def is_current(self, stored: StoredDocument) -> bool:
        """Whether the stored citation is current."""

    def cite(
        self,
        document: ConversionResult,
        source_path: str,
        stored: StoredDocument | None = None,
        replaces: str | None = None,
    ) -> AssignedCitation:
        """The citation of a document; ``stored`` is its former state, if any, ``replaces`` the id
        of a document that it takes the place of."""


class ReferenceAssigner:
    """Matches documents with the items of a reference file; one without an item gets a provisional
    citation. A stored citation is kept without a reference file, for documents of a followed
    library, and where no item is found while not all files could be read (``is_whole``)."""

    def __init__(
        self,
        library: ReferenceLibrary | None,
        catalogue: Catalogue,
        project_id: ProjectId,
        *,
        is_whole: bool = True,
    ) -> None:
        self._matcher = ItemMatcher(library.items, library.attachments) if library else None
        self._items = {item.citekey: item for item in library.items} if library else {}
        self.digest = library.fingerprint if library else None
        self._catalogue = catalogue
        self._project_id = project_id
        self._is_whole = is_whole

    def is_current(self, stored: StoredDocument) -> bool:
        if stored.held is not None:
            return True
        if stored.citation is None:
            return False
        return self.digest is None or stored.references_digest == self.digest

    def cite(
        self,
        document: ConversionResult,
        source_path: str,
        stored: StoredDocument | None = None,
        replaces: str | None = None,
    ) -> AssignedCitation:
        if stored is not None and self._keeps(stored):
            return AssignedCitation(
                citation=stored.citation,
                how=stored.citation_how,
                digest=None if stored.references_digest == UNSETTLED else stored.references_digest,
                held=stored.held,
            )
        evidence = evidence_of(document, source_path)
        replaced = self._catalogue.document(self._project_id, replaces) if replaces else None
        if replaced is not None and not replaced.has_file:
            stored = stored or replaced.without_own
        before = stored.citation if stored else None
        match = self._own_entry(stored) or (
            self._matcher.match(evidence) if self._matcher else None
        )
        if match is not None:
            return AssignedCitation(
                citation=with_former_keys(match.item, before), how=match.how, digest=self.digest
            )
        if stored is not None and stored.is_cited and not (self._is_whole and stored.has_file):
            return AssignedCitation(
                citation=stored.citation, how=stored.citation_how, digest=self.digest
            )
        ids = {document.doc_id, replaces}
        kept = before.citekey if before and before.is_provisional else None
        made = provisional_citation(
            evidence,
            lambda key: self.is_taken(key, ids),
            kept if kept not in self._items else None,
        )
        return AssignedCitation(
            citation=with_former_keys(made, before),
            how=made.source.value,
            hint=self._matcher.hint(evidence) if self._matcher else None,
            digest=self.digest,
        )

    def _own_entry(self, stored: StoredDocument | None) -> Match | None:
        """The entry that a work without text was made of: its title alone may fit several."""
        cited = stored.citation if stored is not None and not stored.has_file else None
        item = self._items.get(cited.citekey) if cited and not cited.is_provisional else None
        if cited is None or item is None or not is_corrected(item, cited):
            return None
        return Match(item=item, how="citekey", detail=item.citekey)

    def _keeps(self, stored: StoredDocument) -> bool:
        """Whether a document is cited as it was. A provisional citation is made again, since the
        document may now be read better."""
        return stored.held is not None or (self._matcher is None and stored.is_cited)

    def is_taken(self, key: str, ids: AbstractSet[str | None]) -> bool:
        """Whether ``key`` is that of an item, or of another document than those with ``ids``."""
        if key in self._items:
            return True
        found = self._catalogue.find_documents(self._project_id, [citation_key(key)])
        return any(one.document_id not in ids for one in found)


def with_former_keys(citation: CitationMeta, before: CitationMeta | None) -> CitationMeta:
    """``citation`` with the keys that the document had before."""
    if before is None:
        return citation
    keys = dict.fromkeys([*citation.former_keys, *before.former_keys, before.citekey])
    former = tuple(key for key in keys if key != citation.citekey)
    return citation.model_copy(update={"former_keys": former}) if former else citation


def warnings_of(document: ConversionResult, chunks: int) -> tuple[str, ...]:
    """The converter's warnings, or one about missing text if there are none and no chunks."""
    return document.warnings or (() if chunks else (_NO_TEXT,))


class ReassignedCitation(Value):
    """The document after reassignment; ``relabelled``: its page labels changed too."""

    document: StoredDocument
    changed: bool = False
    relabelled: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class CitationReassigner:
    """Reassigns citations of stored documents: payloads change, nothing is converted or
    embedded.

    The catalogue marks a document ``UNSETTLED`` first and records its citation last: an
    interrupted reassignment is repeated by the next run, also with another reference file.
    """

    catalogue: Catalogue
    writer: PassageWriter
    assigner: CitationAssigner
    bundles: BundleStore
    warn: Callable[[str], None]

    def reassign(
        self, project: Project, stored: StoredDocument, *, anew: bool = False
    ) -> ReassignedCitation:
        """``anew``: also if the citation is current."""
        if not anew and self.assigner.is_current(stored):
            return ReassignedCitation(document=stored)
        path = stored.sources[0].path
        document = self._load(stored.document_id)
        if document is None:
            step = NextStep(Action.INGEST_AGAIN, project=project.id.value)
            self.warn(
                UserMessage(
                    f"{path}: keeps its old citation, because its stored conversion is missing",
                    step,
                )
            )
            return ReassignedCitation(document=stored)
        cited = self.assigner.cite(document, path, stored)
        unsettled = stored.references_digest == UNSETTLED
        changed = unsettled or cited.citation != stored.citation
        relabelled = _labels(document, cited.citation) != _labels(document, stored.citation)
        if changed:
            mark_unsettled(self.catalogue, project, stored)
            relabelled |= self.writer.cite(
                project,
                document,
                stored.sources[0],
                cited.citation,
                relabel=unsettled or relabelled,
            )
        after = stored.model_copy(
            update={
                "citation": cited.citation,
                "citation_how": cited.how,
                "references_digest": cited.digest,
                "held": cited.held,
                "item": cited.item,
                "warnings": warnings_of(document, stored.chunks) + cited.warnings(),
            }
        )
        self.catalogue.put_document(after, project.collection)
        return ReassignedCitation(document=after, changed=changed, relabelled=relabelled)

    def _load(self, document_id: str) -> ConversionResult | None:
        """The stored conversion, current or not; None if it is missing or unreadable."""
        try:
            return self.bundles.load(document_id)
        except Unavailable as error:
            self.warn(error.message)
            return None


class TextlessWorks:
    """The works of a project without text, as a run begins. The document that is the text of a
    work takes its key and a person's own metadata, and then the work is removed."""

    def __init__(self, stores: DocumentStores, project_id: ProjectId) -> None:
        self._stores = stores
        self._project_id = project_id
        self._works: dict[str, StoredDocument] | None = None
        self._matcher: ItemMatcher | None = None
        self._taken: dict[str, str] = {}

    def begin(self, stored: Sequence[StoredDocument] | None = None) -> dict[str, StoredDocument]:
        """The works by citation key; ``stored`` are all documents of the project, where they are
        known."""
        if self._works is None:
            if stored is None:
                stored = self._stores.catalogue.documents(self._project_id)
            textless = (one for one in stored if not one.has_file)
            self._works = {one.citation.citekey: one for one in textless if one.citation}
        return self._works

    def of(self, document: DocumentEvidence, cited: AssignedCitation) -> StoredDocument | None:
        """The work that a document is, by the entry that both are cited by, or as documents are
        matched with entries; None for a document of no such work."""
        works = self.begin()
        if not works or not _is_main(cited.held):
            return None
        entry = cited.item or cited.citation
        if entry is not None and not entry.is_provisional:
            for work in works.values():
                if _is_one(work.without_own.citation, entry):
                    return work
        if self._matcher is None:
            self._matcher = ItemMatcher(one.citation for one in works.values() if one.citation)
        match = self._matcher.match(document)
        return works[match.item.citekey] if match else None

    def take(self, document_id: str, work: StoredDocument) -> None:
        """Note that a document, which is about to be stored, is the text of ``work``; no other one
        is from then on."""
        self._taken[document_id] = work.document_id
        works = self.begin()
        self._works = {key: one for key, one in works.items() if one != work}
        self._matcher = None

    def superseded(self) -> list[str]:
        """Ids of works whose text is now stored, to be removed: those taken, and those with the key
        of a document with a file, left by a killed run or a new reference file. A person's own data
        moves to that document, unless it has some."""
        catalogue, records, project_id = self._stores.catalogue, self._stores.own, self._project_id
        over = []
        for known in self.begin().values():
            work = catalogue.document(project_id, known.document_id)
            if work is None or work.citation is None:
                continue
            named = catalogue.find_documents(project_id, [citation_key(work.citation.citekey)])
            document = next(filter(_has_text, named), None)
            if document is not None and _is_one(work.citation, document.citation):
                own = records.own(project_id, work.document_id)
                if own and records.own(project_id, document.document_id) is None:
                    change = OwnChange(document_id=document.document_id, what="its text", after=own)
                    records.put(project_id, change)
                over.append(work.document_id)
        for id, work_id in self._taken.items():
            document = catalogue.document(project_id, id)
            if document is not None and _has_text(document):
                over.append(work_id)
        return over


def _has_text(document: StoredDocument) -> bool:
    is_whole = document.has_file and document.embedding != UNFINISHED
    return is_whole and _is_main(document.held)


def _is_one(one: CitationMeta | None, other: CitationMeta | None) -> bool:
    """Whether two citations are one: another reference file may have the key for another work."""
    if one is None or other is None or one.citekey != other.citekey:
        return False
    return letters_and_digits(one.title) == letters_and_digits(other.title)


def _is_main(held: LibraryRecord | None) -> bool:
    """Whether a document is neither a note nor a supplement."""
    return held is None or held.role is DocumentRole.MAIN


def mark_unsettled(catalogue: Catalogue, project: Project, stored: StoredDocument) -> None:
    """Mark in the catalogue that the citation in the index is about to change."""
    unsettled = stored.model_copy(update={"references_digest": UNSETTLED})
    catalogue.put_document(unsettled, project.collection)


#: What publishers put before the title of a retracted work.
_MARKED: Final = re.compile(r"\W*retracted(?:\s+(?:article|paper|chapter))?\W*:", re.IGNORECASE)
_TOLD: Final = {
    Nature.RETRACTION: "retracted",
    Nature.CONCERN: "expression of concern",
    Nature.REINSTATEMENT: "retracted once and reinstated",
}


def find_notices(
    works: Iterable[CitationMeta], path: Path, find: RetractionReader
) -> tuple[RetractionList, Mapping[str, Sequence[str]], Mapping[str, Notice]]:
    """The notices of works in a list, with citation keys and the notice in force by DOI. Raises
    InvalidSource."""
    keys: dict[str, list[str]] = defaultdict(list)
    for work in works:
        if doi := normalise_doi(work.doi or ""):
            keys[doi].append(work.citekey)
    read = find(path, keys.keys())
    notices: dict[str, list[Notice]] = defaultdict(list)
    for notice in read.notices:
        notices[notice.doi].append(notice)
    return read, keys, {doi: current_notice(each) for doi, each in notices.items()}


@dataclass(frozen=True, kw_only=True)
class RetractedWorks:
    """``list_path`` is the retraction list of the settings; None: titles and look-ups alone say
    it."""

    reader: RetractionReader
    list_path: Path | None

    def __call__(self, works: Sequence[CitationMeta]) -> Mapping[str, str]:
        """Notices of works by citation key, only of known ones. Raises InvalidSource for an
        unreadable list."""
        told = {
            work.citekey: "retracted, as its title says"
            for work in works
            if _MARKED.match(work.title)
        }
        told |= {work.citekey: said for work in works if (said := retraction_of(work.csl))}
        if self.list_path is None or not works:
            return told
        _, keys, in_force = find_notices(works, self.list_path, self.reader)
        for doi, notice in in_force.items():
            if notice.nature in _TOLD:
                told |= {key: _said(notice) for key in keys[doi]}
        return told


def _said(notice: Notice) -> str:
    """``retracted 2019-03-01, doi:10.1/notice``."""
    dated = f" {notice.dated.isoformat()}" if notice.dated else ""
    where = f", doi:{notice.notice_doi}" if notice.notice_doi else ""
    return f"{_TOLD[notice.nature]}{dated}{where}"
