"""Tying documents to the items of a reference library."""

from collections.abc import Callable
from pathlib import PurePath

from citeloom.application.ports.catalogue import Catalogue, StoredDocument
from citeloom.application.ports.index import Index
from citeloom.application.ports.references import ReferenceLibrary
from citeloom.application.project_index import open_collection
from citeloom.domain.citation import CitationMeta
from citeloom.domain.conversion import ConversionResult
from citeloom.domain.first_page import DocumentEvidence
from citeloom.domain.matching import Matcher
from citeloom.domain.page_labels import confirm_labels
from citeloom.domain.project import Project
from citeloom.domain.values import Value

_FIRST_TEXT = 3000


def _labels(document: ConversionResult, citation: CitationMeta | None) -> list[str | None]:
    entries = confirm_labels(document.structure.page_map, citation.page if citation else None)
    return [entry.label for entry in entries]


class Cited(Value):
    """The citation of a document and how it was found, or a hint why there is none."""

    citation: CitationMeta | None = None
    how: str | None = None
    hint: str | None = None
    digest: str | None = None

    def warnings(self) -> tuple[str, ...]:
        """What the reader should know about the citation."""
        if self.citation is None:
            return (f"no citation: {self.hint}",) if self.hint else ()
        if not self.citation.has_identifier:
            return (f"{self.citation.citekey} has neither DOI nor URL",)
        return ()


class Citer:
    """Finds the item of a document. Without a library a stored citation stays."""

    def __init__(self, library: ReferenceLibrary | None) -> None:
        self._matcher = Matcher(library.items, library.attachments) if library else None
        self.digest = library.fingerprint if library else None

    def cite(
        self, document: ConversionResult, source_path: str, stored: StoredDocument | None = None
    ) -> Cited:
        if self._matcher is None:
            if stored is None:
                return Cited()
            return Cited(
                citation=stored.citation,
                how=stored.citation_how,
                digest=stored.references_digest,
            )
        evidence = DocumentEvidence(
            file_name=PurePath(source_path).name,
            source_path=source_path,
            identifiers=document.identifiers,
            title=document.title,
            first_text=document.plain_text[:_FIRST_TEXT],
        )
        match = self._matcher.match(evidence)
        if match is None:
            return Cited(hint=self._matcher.hint(evidence), digest=self.digest)
        return Cited(citation=match.item, how=match.how, digest=self.digest)


class Reciter:
    """Cites stored documents anew: payloads change, nothing is converted or embedded."""

    def __init__(
        self,
        *,
        catalogue: Catalogue,
        index: Index,
        citer: Citer,
        load: Callable[[str], ConversionResult | None],
        warn: Callable[[str], None],
        wait_seconds: float,
    ) -> None:
        self._catalogue = catalogue
        self._index = index
        self._citer = citer
        self._load = load
        self._warn = warn
        self._wait = wait_seconds

    def recite(self, project: Project, stored: StoredDocument) -> tuple[StoredDocument, bool]:
        """The document as it is now, and whether its citation changed."""
        if self._citer.digest is None or stored.references_digest == self._citer.digest:
            return stored, False
        path = stored.sources[0].path
        document = self._load(stored.document_id)
        if document is None:
            self._warn(f"{path}: not cited anew, its bundle is missing; ingest it with --force")
            return stored, False
        cited = self._citer.cite(document, path)
        changed = cited.citation != stored.citation
        if changed:
            self._set_payload(project, stored, cited.citation)
            if _labels(document, cited.citation) != _labels(document, stored.citation):
                self._warn(
                    f"{path}: the page range of its item is another now; "
                    "ingest it with --force to renew its page labels"
                )
        after = stored.model_copy(
            update={
                "citation": cited.citation,
                "citation_how": cited.how,
                "references_digest": cited.digest,
                "warnings": document.warnings + cited.warnings(),
            }
        )
        self._catalogue.put_document(after)
        return after, changed

    def _set_payload(
        self, project: Project, stored: StoredDocument, citation: CitationMeta | None
    ) -> None:
        with open_collection(self._index, project, self._wait) as collection:
            collection.set_citation(stored.document_id, citation, stored.sources[0].path)
            collection.flush()
