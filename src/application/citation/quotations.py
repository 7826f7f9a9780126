"""Quotations of several works as a document, with citations and a bibliography."""

from collections.abc import Sequence
from typing import NamedTuple, Protocol

from citeloom.application.citation.cite import Citations, CitedPlace
from citeloom.application.citation.export import Export, Selection
from citeloom.application.ports.citation import CitationMarkup, ReferenceFormat
from citeloom.domain.citation.in_text import InText
from citeloom.domain.projects.project_id import ProjectId


class Quotation(NamedTuple):
    """Quoted words with their citation as it stands in a text (``[@key, p. 3]``)."""

    project_id: ProjectId
    text: str
    citation: str


class CitedQuotation(NamedTuple):
    """Quoted words with their citation in a style; ``link`` opens the work."""

    text: str
    citation: str
    link: str | None


class QuotationWriter(Protocol):
    """Writes documents of quotations."""

    def write(self, quotations: Sequence[CitedQuotation], bibliography: Sequence[str]) -> bytes:
        """A Word document; the entries of ``bibliography`` are Markdown."""


class ExportQuotations:
    """Methods raise ProjectNotFound, DocumentNotFound, ReferencesUnreadable, and InvalidRequest
    for a document without citation."""

    def __init__(self, *, citations: Citations, export: Export, writer: QuotationWriter) -> None:
        self._citations = citations
        self._export = export
        self._writer = writer

    def document(self, quotations: Sequence[Quotation], style: str | None = None) -> bytes:
        """A Word document. Raises InvalidRequest also for an unknown style."""
        places = self._places(quotations)
        cited = self._citations.each(places, InText.TEXT, style)
        written = [
            CitedQuotation(one.text, citation or "", place.link)
            for one, citation, place in zip(quotations, cited, places, strict=True)
        ]
        entries = self._citations.bibliography(places, style, CitationMarkup.MARKDOWN)
        return self._writer.write(written, [entry.text for entry in entries])

    def references(self, quotations: Sequence[Quotation], format: ReferenceFormat) -> str:
        """A reference file of the works, each once."""
        works = tuple(place.work for place in self._places(quotations))
        return self._export.write(Selection((), works), format)

    def _places(self, quotations: Sequence[Quotation]) -> list[CitedPlace]:
        return [self._citations.place(one.project_id, one.citation) for one in quotations]
