"""The verb *session export*: a review as a file."""

from collections.abc import Mapping, Sequence
from itertools import chain
from uuid import UUID

from citeloom.application.citation.cite import DEFAULT_STYLE
from citeloom.application.ports.catalogue import Catalogue, StoredDocument
from citeloom.application.ports.citation import CitationMarkup, CitationStyles, StyledEntry
from citeloom.application.ports.research import (
    FinishedReview,
    Recorded,
    ResearchRecord,
    ReviewFormat,
    ReviewWriter,
)
from citeloom.application.research.finished_sessions import ended_session, no_report_error
from citeloom.application.research.review_document import ReviewDocument, review_document
from citeloom.application.research.styled_report import (
    style_citations,
    styled_citations,
    with_escaped_claims,
)
from citeloom.domain.citation.metadata import CitationMeta
from citeloom.domain.errors import ProjectNotFound
from citeloom.domain.library.snapshot import library_path, zotero_link
from citeloom.domain.projects.project_id import ProjectId
from citeloom.domain.research.search_record import Searched, SearchRecord, search_record
from citeloom.domain.research.session import Source
from citeloom.domain.value import Value
from citeloom.domain.verification.drafts.bibliography_headings import is_bibliography

_NOW = "the documents and passages of the project are counted as they are now"
_OPENED = ("http://", "https://")


class ExportedReview(Value):
    """The content of an exported file, with warnings about what it lacks."""

    content: bytes
    warnings: tuple[str, ...] = ()


class ExportReview:
    """Exports ended sessions as files and documents."""

    def __init__(
        self,
        *,
        record: ResearchRecord,
        catalogue: Catalogue,
        styles: CitationStyles,
        writer: ReviewWriter,
    ) -> None:
        self._record = record
        self._catalogue = catalogue
        self._styles = styles
        self._writer = writer

    def file(self, id: UUID, format: ReviewFormat, style: str | None = None) -> ExportedReview:
        """The review as a file. Citations are formatted in ``style``: in Word documents always
        (default apa), in Markdown if a style is given.

        Raises SessionNotFound, SessionBusy for a running session, SessionEnded if the format
        needs a report and there is none, InvalidRequest for an unknown style.
        """
        reported = format is not ReviewFormat.PRISMA
        out = style or (DEFAULT_STYLE if format is ReviewFormat.DOCX else None)
        review = self._review(id, reported=reported, written_in=out if reported else None)
        return ExportedReview(content=self._writer.write(review, format), warnings=review.warnings)

    def document(self, id: UUID) -> ReviewDocument:
        """The whole record. Raises what ``file`` raises; a report is not needed."""
        return review_document(self._review(id, reported=False))

    def searches(self, id: UUID) -> SearchRecord:
        """The record of the searches. Raises what ``file`` raises; a report is not needed."""
        return self._review(id, reported=False).search

    def _review(self, id: UUID, *, reported: bool, written_in: str | None = None) -> FinishedReview:
        session = ended_session(self._record, id)
        recorded = self._record.recorded(id)
        if reported and not recorded.report.content:
            raise no_report_error(session)
        events = self._record.events(id)
        documents = self._documents(recorded)
        searched, warnings = self._searched(session.project_id)
        lost = [s for s in recorded.sources if s.document_id and s.document_id not in documents]
        if lost:
            warnings.append(
                f"{len(lost)} of {len(recorded.sources)} documents are no longer in "
                f"{session.project_id}: their years, links and entries are missing"
            )
        search = search_record(session, recorded.sources, events, searched, warnings)
        works = {id: d.citation for id, d in documents.items() if d.citation is not None}
        links = _links(recorded, documents)
        report = recorded.report.content or ""
        entries: Sequence[StyledEntry] = ()
        styled: Mapping[str, str] = {}
        if reported:
            style = self._styles.style(written_in or DEFAULT_STYLE)
            if not _lists_sources(report):
                entries = style.bibliography(
                    _cited(recorded.sources, works), CitationMarkup.MARKDOWN
                )
            report = with_escaped_claims(report, recorded.claims)
            if written_in:
                by_citation = _by_citation(recorded, documents, links)
                report = style_citations(report, _all(works), by_citation, style)
                citations = [span.citation for span in recorded.spans if span.citation]
                styled = styled_citations(citations, _all(works), style)
        return FinishedReview(
            recorded=recorded,
            events=events,
            search=search,
            report=report,
            works=works,
            links=links,
            written_out=styled,
            bibliography=tuple(entries),
            warnings=search.warnings,
        )

    def _documents(self, recorded: Recorded) -> dict[str, StoredDocument]:
        """The documents of the sources that the project still has, by id."""
        project = ProjectId.parse(recorded.session.project_id)
        ids = [source.document_id for source in recorded.sources if source.document_id]
        documents = ((id, self._catalogue.document(project, id)) for id in ids)
        return {id: document for id, document in documents if document is not None}

    def _searched(self, project_id: str) -> tuple[Searched, list[str]]:
        id = ProjectId.parse(project_id)
        try:
            project = self._catalogue.project(id)
        except ProjectNotFound:
            return Searched(project=project_id), [f"{project_id}: there is no such project now"]
        documents = self._catalogue.documents(id)
        searched = Searched(
            project=project_id,
            documents=len(documents),
            passages=sum(document.chunks for document in documents),
            model=project.embedding_model.name,
        )
        return searched, [_NOW]


def _links(recorded: Recorded, documents: Mapping[str, StoredDocument]) -> dict[UUID, str]:
    """Links by evidence id: to the page in Zotero, else to the work."""
    sources = {source.id: source for source in recorded.sources}
    links_of_evidence = {}
    for span in recorded.spans:
        source = sources.get(span.source_id)
        document = documents.get(source.document_id or "") if source else None
        if document is not None:
            link = _link(document, span.page)
        else:
            link = source.url if source and source.url.startswith(_OPENED) else None
        if link:
            links_of_evidence[span.id] = link
    return links_of_evidence


def _link(document: StoredDocument, page: int | None = None) -> str | None:
    work = document.citation
    csl = work.csl if work else {}
    library = library_path(csl.get("id"), csl.get("uri"), csl.get("select"))
    key = work.item_key if work else None
    link = zotero_link(key, document.path or "", page, library=library)
    if link or work is None:
        return link
    return f"https://doi.org/{work.doi}" if work.doi else work.url


def _by_citation(
    recorded: Recorded, documents: Mapping[str, StoredDocument], links: Mapping[UUID, str]
) -> dict[str, str]:
    """Links by citation text of the evidence and by citation key of the works."""
    keyed = ((d.citation.citekey, _link(d)) for d in documents.values() if d.citation is not None)
    placed = ((span.citation, links.get(span.id)) for span in recorded.spans if span.citation)
    return {name: link for name, link in chain(keyed, placed) if link}


def _cited(sources: Sequence[Source], works: Mapping[str, CitationMeta]) -> list[CitationMeta]:
    cited = (works.get(s.document_id or "") for s in sources if s.is_cited)
    return list({work.citekey: work for work in cited if work is not None}.values())


def _all(works: Mapping[str, CitationMeta]) -> list[CitationMeta]:
    return list({work.citekey: work for work in works.values()}.values())


def _lists_sources(report: str) -> bool:
    headings = (line for line in report.splitlines() if line.startswith("#"))
    return any(is_bibliography(line) for line in headings)
