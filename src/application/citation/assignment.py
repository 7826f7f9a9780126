"""Citation assignment: documents to items of a reference library."""

from collections.abc import Mapping
from pathlib import PurePath
from typing import Protocol

from citeloom.application.ports.catalogue import StoredDocument
from citeloom.application.ports.citation import ReferenceLibrary
from citeloom.domain.citation.metadata import CitationMeta
from citeloom.domain.citation.page_labels import with_confirmed_labels
from citeloom.domain.documents.conversion import ConversionResult
from citeloom.domain.library.snapshot import DocumentRole, LibraryRecord
from citeloom.domain.messages import UserMessage, WarningCode
from citeloom.domain.references.first_page import DocumentEvidence
from citeloom.domain.references.matching import ItemMatcher
from citeloom.domain.value import Value

_FIRST_TEXT = 3000
_NO_TEXT = "no text was found in it: nothing of it can be searched"


def _labels(document: ConversionResult, citation: CitationMeta | None) -> Mapping[int, str | None]:
    return with_confirmed_labels(document, citation).structure.labels


class AssignedCitation(Value):
    """The citation of a document with the matching rule, or a hint why there is none.

    ``digest`` is that of the reference source; ``notes`` are warnings about the citation."""

    citation: CitationMeta | None = None
    how: str | None = None
    hint: str | None = None
    digest: str | None = None
    held: LibraryRecord | None = None
    notes: tuple[str, ...] = ()

    def warnings(self) -> tuple[str, ...]:
        """Warnings: no citation, no identifier, notes."""
        if self.citation is None:
            missing = UserMessage(f"no citation: {self.hint}", code=WarningCode.NO_CITATION)
            return (missing,) if self.hint else ()
        is_main = self.held is None or self.held.role is DocumentRole.MAIN
        if is_main and not self.citation.has_identifier:
            text = f"{self.citation.citekey} has neither DOI nor URL"
            return (*self.notes, UserMessage(text, code=WarningCode.NO_IDENTIFIER))
        return self.notes


class CitationAssigner(Protocol):
    """Assigns citations to documents."""

    @property
    def digest(self) -> str | None:
        """Digest of the reference source; None if stored citations stay."""

    def is_current(self, stored: StoredDocument) -> bool:
        """Whether the stored citation is current."""

    def cite(
        self, document: ConversionResult, source_path: str, stored: StoredDocument | None = None
    ) -> AssignedCitation:
        """The citation of a document; ``stored`` is its former state, if any."""


class ReferenceAssigner:
    """Matches documents with the items of a reference file. A stored citation is kept without a
    reference file, and for documents of a followed library."""

    def __init__(self, library: ReferenceLibrary | None) -> None:
        self._matcher = ItemMatcher(library.items, library.attachments) if library else None
        self._digest = library.fingerprint if library else None

    @property
    def digest(self) -> str | None:
        return self._digest

    def is_current(self, stored: StoredDocument) -> bool:
        if self._digest is None or stored.held is not None:
            return True
        return stored.references_digest == self._digest

    def cite(
        self, document: ConversionResult, source_path: str, stored: StoredDocument | None = None
    ) -> AssignedCitation:
        if stored is not None and (self._matcher is None or stored.held is not None):
            return AssignedCitation(
                citation=stored.citation,
                how=stored.citation_how,
                digest=stored.references_digest,
                held=stored.held,
            )
        if self._matcher is None:
            return AssignedCitation()
        evidence = DocumentEvidence(
            file_name=PurePath(source_path).name,
            source_path=source_path,
            identifiers=document.identifiers,
            title=document.title,
            authors=document.authors,
            year=document.year,
            first_text=document.plain_text[:_FIRST_TEXT],
        )
        match = self._matcher.match(evidence)
        if match is None:
            return AssignedCitation(hint=self._matcher.hint(evidence), digest=self.digest)
        return AssignedCitation(citation=match.item, how=match.how, digest=self.digest)


def warnings_of(document: ConversionResult, chunks: int) -> tuple[str, ...]:
    """The converter's warnings, or one about missing text if there are none and no chunks."""
    return document.warnings or (() if chunks else (_NO_TEXT,))
