"""Tying documents to the items of a reference library."""

from collections.abc import Mapping
from pathlib import PurePath
from typing import Protocol

from citeloom.application.ports.catalogue import StoredDocument
from citeloom.application.ports.citation import ReferenceLibrary
from citeloom.domain.citation.metadata import CitationMeta
from citeloom.domain.citation.page_labels import with_confirmed_labels
from citeloom.domain.documents.conversion import ConversionResult
from citeloom.domain.library.holding import DocumentRole, LibraryRecord
from citeloom.domain.references.first_page import DocumentEvidence
from citeloom.domain.references.matching import Matcher
from citeloom.domain.value import Value

_FIRST_TEXT = 3000
#: How a warning about a citation that is missing begins.
NO_CITATION = "no citation: "
#: How one about a citation without identifier ends.
NO_IDENTIFIER = " has neither DOI nor URL"
_NO_TEXT = "no text was found in it: nothing of it can be searched"


def _labels(document: ConversionResult, citation: CitationMeta | None) -> Mapping[int, str | None]:
    return with_confirmed_labels(document, citation).structure.labels


class Cited(Value):
    """The citation of a document and how it was found, or a hint why there is none."""

    citation: CitationMeta | None = None
    how: str | None = None
    hint: str | None = None
    digest: str | None = None
    held: LibraryRecord | None = None
    notes: tuple[str, ...] = ()

    def warnings(self) -> tuple[str, ...]:
        """What the reader should know about the citation."""
        if self.citation is None:
            return (f"{NO_CITATION}{self.hint}",) if self.hint else ()
        is_main = self.held is None or self.held.role is DocumentRole.MAIN
        if is_main and not self.citation.has_identifier:
            return (*self.notes, f"{self.citation.citekey}{NO_IDENTIFIER}")
        return self.notes


class Citing(Protocol):
    """Says how documents are cited."""

    @property
    def digest(self) -> str | None:
        """Names where citations come from; None if none is cited anew."""

    def stands(self, stored: StoredDocument) -> bool:
        """Whether a stored document is cited as it would be now."""

    def cite(
        self, document: ConversionResult, source_path: str, stored: StoredDocument | None = None
    ) -> Cited: ...


class Citer:
    """Finds the item of a document. Without a reference file a stored citation stays, and so
    does that of a document which a followed library holds."""

    def __init__(self, library: ReferenceLibrary | None) -> None:
        self._matcher = Matcher(library.items, library.attachments) if library else None
        self._digest = library.fingerprint if library else None

    @property
    def digest(self) -> str | None:
        return self._digest

    def stands(self, stored: StoredDocument) -> bool:
        if self._digest is None or stored.held is not None:
            return True
        return stored.references_digest == self._digest

    def cite(
        self, document: ConversionResult, source_path: str, stored: StoredDocument | None = None
    ) -> Cited:
        if stored is not None and (self._matcher is None or stored.held is not None):
            return Cited(
                citation=stored.citation,
                how=stored.citation_how,
                digest=stored.references_digest,
                held=stored.held,
            )
        if self._matcher is None:
            return Cited()
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


def warnings_of(document: ConversionResult, chunks: int) -> tuple[str, ...]:
    """The converter's, and one of our own where it has nothing to say about no text."""
    return document.warnings or (() if chunks else (_NO_TEXT,))
