"""Works of a project without text, and the documents that are their text."""

from collections.abc import Sequence

from citeloom.application.documents.stores import DocumentStores
from citeloom.application.ports.catalogue import UNFINISHED, StoredDocument
from citeloom.domain.citation.metadata import CitationMeta
from citeloom.domain.citation.own import OwnChange
from citeloom.domain.naming import citation_key
from citeloom.domain.projects.project import ProjectId
from citeloom.domain.references.first_page import DocumentEvidence
from citeloom.domain.references.matching import ItemMatcher


class TextlessWorks:
    """Those that a project has at the beginning of a run. The document that is the text of a work
    takes its key and a person's own metadata, and then the work is removed."""

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

    def of(self, document: DocumentEvidence, cited: CitationMeta | None) -> StoredDocument | None:
        """The work that a document is, by the entry that both are cited by, or as documents are
        matched with entries; None for a document of no such work."""
        works = self.begin()
        if not works:
            return None
        if cited is not None and not cited.is_provisional:
            for work in works.values():
                entry = work.without_own.citation
                if entry and not entry.is_provisional and entry.citekey == cited.citekey:
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
        """Ids of works whose text is stored by now, to be removed: those taken, and those with the
        key of a document with a file, which a killed run or a new reference file leaves. What is
        the person's own goes over to that document, where it has nothing of the kind."""
        catalogue, records, project_id = self._stores.catalogue, self._stores.own, self._project_id
        over = []
        for known in self.begin().values():
            work = catalogue.document(project_id, known.document_id)
            if work is None or work.citation is None:
                continue
            named = catalogue.find_documents(project_id, [citation_key(work.citation.citekey)])
            document = next(filter(_has_text, named), None)
            if document is not None:
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
    return document.has_file and document.embedding != UNFINISHED
