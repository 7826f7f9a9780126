"""The verbs *session export* and *session compare*: ended reviews as files, side by side."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any
from uuid import UUID

from citeloom.application.citation.cite import DEFAULT_STYLE
from citeloom.application.ports.catalogue import Catalogue, StoredDocument
from citeloom.application.ports.citation import (
    CitationMarkup,
    CitationStyle,
    CitationStyles,
    StyledCite,
    StyledEntry,
)
from citeloom.application.ports.research import (
    FinishedReview,
    ResearchRecord,
    ReviewFormat,
    ReviewWriter,
)
from citeloom.domain.citation.in_text import markdown_link
from citeloom.domain.citation.locators import labels_in, page_ranges
from citeloom.domain.citation.metadata import CitationMeta, csl_item
from citeloom.domain.errors import ProjectNotFound, SessionBusy, SessionEnded, SessionNotFound
from citeloom.domain.library import library_path, zotero_link
from citeloom.domain.messages import Action, NextStep
from citeloom.domain.projects.project import ProjectId
from citeloom.domain.research.comparison import Comparison, compare
from citeloom.domain.research.events import to_wire
from citeloom.domain.research.search_record import Searched, SearchRecord, search_record
from citeloom.domain.research.session import (
    Chat,
    Citation,
    Claim,
    Message,
    Recorded,
    ResearchSession,
    SessionStatus,
    Source,
    SourceSpan,
)
from citeloom.domain.text.phrasing import inert_markdown
from citeloom.domain.value import Value
from citeloom.domain.verification.drafts.draft import is_bibliography


def ended_session(record: ResearchRecord, id: UUID) -> ResearchSession:
    """The session, if it has ended. Raises SessionNotFound, also for a deleted session, and
    SessionBusy for a running one."""
    session = record.session(id)
    if session.is_deleted:
        raise SessionNotFound(
            f"{id}: was deleted",
            NextStep(Action.RESTORE_SESSION, session=str(id)),
            session=str(id),
        )
    if session.status is SessionStatus.IN_PROGRESS:
        raise SessionBusy(
            f"{id}: is not over yet",
            NextStep(Action.CANCEL_SESSION, session=str(id)),
            session=str(id),
        )
    return session


def no_report_error(session: ResearchSession) -> SessionEnded:
    """The error for a session that ended without a report."""
    why = f" ({session.error_message})" if session.error_message else ""
    return SessionEnded(
        f"{session.id}: ended without a report, it is {session.status.value}{why}; what there is "
        "can be exported as json or prisma",
        NextStep(Action.RESUME_SESSION, session=str(session.id)),
        session=str(session.id),
    )


class ReviewDocument(Value):
    """``events`` are as they go over the wire, in camelCase; ``works`` are CSL-JSON items of the
    documents that were found, by document id, as the project knows them now."""

    format: str = "citeloom.review"
    version: int = 1
    session: ResearchSession
    chat: Chat
    question: Message
    report: Message
    sources: tuple[Source, ...]
    evidence: tuple[SourceSpan, ...]
    claims: tuple[Claim, ...]
    citations: tuple[Citation, ...]
    works: Mapping[str, Mapping[str, Any]]
    events: tuple[Mapping[str, Any], ...]
    search: SearchRecord
    warnings: tuple[str, ...] = ()


# Citations as ``pandoc_citation`` writes them, separated by semicolons.
_GROUP = re.compile(r"(?<!\\)\[@[^\[\]]+\]")
_ITEM = re.compile(r"@(?:\{(?P<braced>[^{}]+)\}|(?P<bare>[^\s,;]+))(?:,\s*(?P<where>.+))?")
_PAGES = re.compile(r"pp?\.\s*")


def with_escaped_claims(report: str, claims: Iterable[Claim]) -> str:
    """``report`` with the text of its claims escaped for Markdown."""
    parts, at = [], 0
    for claim in sorted(claims, key=lambda claim: claim.position_start):
        start, end = claim.position_start, claim.position_end
        if start >= at and report[start:end] == claim.claim_text:
            parts += [report[at:start], inert_markdown(claim.claim_text)]
            at = end
    return "".join([*parts, report[at:]])


def style_citations(
    report: str,
    works: Sequence[CitationMeta],
    links: Mapping[str, str],
    style: CitationStyle,
) -> str:
    """``report`` with each ``[@key, p. 3]`` of ``works`` formatted in the style, and linked if
    ``links`` has its first citation text or key. A group with an unknown key stays as it is."""
    groups = [(match, _cites(match[0], works)) for match in _GROUP.finditer(report)]
    known = [(match, cites) for match, cites in groups if cites]
    styled = style.in_text(works, [cites for _, cites in known]) if known else ()
    parts, at = [], 0
    for (match, cites), text in zip(known, styled, strict=True):
        first = match[0].split(";")[0].rstrip("]") + "]"
        link = links.get(first) or links.get(cites[0].citekey)
        parts += [report[at : match.start()], markdown_link(text, link)]
        at = match.end()
    return "".join([*parts, report[at:]])


def styled_citations(
    citations: Sequence[str], works: Sequence[CitationMeta], style: CitationStyle
) -> dict[str, str]:
    """The formatted text of each of ``citations`` whose works are all among ``works``."""
    known = [(text, _cites(text, works)) for text in dict.fromkeys(citations)]
    known = [(text, cites) for text, cites in known if cites]
    styled = style.in_text(works, [cites for _, cites in known]) if known else ()
    return {text: made for (text, _), made in zip(known, styled, strict=True)}


def _cites(group: str, works: Sequence[CitationMeta]) -> list[StyledCite]:
    """The citations of a group; none if any of its keys is not among ``works``."""
    items = [_ITEM.fullmatch(part.strip()) for part in group.strip()[1:-1].split(";")]
    cites = [_cite(item) for item in items if item]
    keys = {work.citekey for work in works}
    whole = len(cites) == len(items) and all(cite.citekey in keys for cite in cites)
    return cites if whole else []


def _cite(item: "re.Match[str]") -> StyledCite:
    key, where = item["braced"] or item["bare"], (item["where"] or "").strip()
    if pages := _PAGES.match(where):
        labels = labels_in(where[pages.end() :])
        return StyledCite(citekey=key, pages=page_ranges(labels, dash="-") or None)
    return StyledCite(citekey=key, place=where or None)


_NOW = "the documents and passages of the project are counted as they are now"
_OPENED = ("http://", "https://")


class ExportedReview(Value):
    """The content of an exported file, with warnings about omissions."""

    content: bytes
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class ExportReview:
    """Exports ended sessions as files and documents."""

    record: ResearchRecord
    catalogue: Catalogue
    styles: CitationStyles
    writer: ReviewWriter

    def file(self, id: UUID, format: ReviewFormat, style: str | None = None) -> ExportedReview:
        """The review as a file. Citations are formatted in ``style``: in Word documents always
        (default apa), in Markdown if a style is given.

        Raises SessionNotFound, SessionBusy for a running session, SessionEnded if the format
        needs a report and there is none, InvalidRequest for an unknown style.
        """
        reported = format is not ReviewFormat.PRISMA
        out = style or (DEFAULT_STYLE if format is ReviewFormat.DOCX else None)
        review = self._review(id, reported=reported, written_in=out if reported else None)
        return ExportedReview(content=self.writer(review, format), warnings=review.warnings)

    def document(self, id: UUID) -> ReviewDocument:
        """The whole record. Raises what ``file`` raises; a report is not needed."""
        review = self._review(id, reported=False)
        recorded = dict(review.recorded)
        return ReviewDocument(
            evidence=recorded.pop("spans"),
            **recorded,
            works={id: csl_item(work) for id, work in review.works.items()},
            events=tuple(to_wire(event) for event in review.events),
            search=review.search,
            warnings=review.warnings,
        )

    def searches(self, id: UUID) -> SearchRecord:
        """The record of the searches. Raises what ``file`` raises; a report is not needed."""
        return self._review(id, reported=False).search

    def _review(self, id: UUID, *, reported: bool, written_in: str | None = None) -> FinishedReview:
        session = ended_session(self.record, id)
        recorded = self.record.recorded(id)
        if reported and not recorded.report.content:
            raise no_report_error(session)
        events = self.record.events(id)
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
            style = self.styles(written_in or DEFAULT_STYLE)
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
        documents = ((id, self.catalogue.document(project, id)) for id in ids)
        return {id: document for id, document in documents if document is not None}

    def _searched(self, project_id: str) -> tuple[Searched, list[str]]:
        id = ProjectId.parse(project_id)
        try:
            project = self.catalogue.project(id)
        except ProjectNotFound:
            return Searched(project=project_id), [f"{project_id}: there is no such project now"]
        documents = self.catalogue.documents(id)
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
            link = work_link(document, span.page)
        else:
            link = source.url if source and source.url.startswith(_OPENED) else None
        if link:
            links_of_evidence[span.id] = link
    return links_of_evidence


def work_link(document: StoredDocument, page: int | None = None) -> str | None:
    """To the page in Zotero, else to the work."""
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
    keyed = ((d.citation.citekey, work_link(d)) for d in documents.values() if d.citation)
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


@dataclass(frozen=True, slots=True)
class CompareReviews:
    """Compares two ended sessions."""

    record: ResearchRecord

    def __call__(self, a: UUID, b: UUID) -> Comparison:
        """Raises SessionNotFound, and SessionBusy for a running session."""
        for id in (a, b):
            ended_session(self.record, id)
        return compare(self.record.recorded(a), self.record.recorded(b))
