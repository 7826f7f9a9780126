"""What the view *Review* shows: a report, its statements with their sources, and a comparison."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final, NamedTuple
from urllib.parse import urlencode
from uuid import UUID

from markdown_it import MarkdownIt
from markupsafe import Markup

from citeloom.application.ports.research import Recorded, SessionFilter
from citeloom.domain.documents.spans import CharSpan
from citeloom.domain.errors import CiteLoomError
from citeloom.domain.projects.project_id import ProjectId
from citeloom.domain.research.comparison import Comparison
from citeloom.domain.research.lifecycle import not_found
from citeloom.domain.research.session import (
    Claim,
    MessageFeedback,
    ResearchSession,
    SessionStatus,
    Source,
    SourceSpan,
)
from citeloom.infrastructure.http.next_steps import in_words
from citeloom.infrastructure.http.page.source import CitedPassage, SourcePage, source_page

if TYPE_CHECKING:
    from citeloom.infrastructure.composition.application import Application

_MOST_LISTED: Final = 50
# Reports may be written by a language model: no HTML of theirs, and nothing loaded.
_MARKDOWN: Final = MarkdownIt("commonmark", {"html": False}).enable("table").disable("image")


class ReviewAddress(NamedTuple):
    """What the URL of the view says; ``statement`` counts from 1, ``page`` is one of the file."""

    session: str = ""
    other: str = ""
    statement: int = 1
    page: int | None = None

    def url(self, statement: int, page: int | None = None) -> str:
        named = {"session": self.session, "statement": statement}
        return "/review?" + urlencode(named | ({"page": page} if page else {}))


class ReviewedStatement(NamedTuple):
    """A claim of the report with its evidence."""

    number: int
    claim: Claim
    verdict: str
    is_borne_out: bool
    span: SourceSpan | None
    source: Source | None
    url: str
    is_chosen: bool


class ShownReview(NamedTuple):
    """A review. ``others`` can be compared with it; ``note`` is why no ``page`` is shown."""

    recorded: Recorded
    is_running: bool
    can_resume: bool
    report: Markup
    statements: Sequence[ReviewedStatement]
    chosen: ReviewedStatement | None
    page: SourcePage | None
    note: str | None
    feedback: Sequence[MessageFeedback]
    others: Sequence[ResearchSession]
    comparison: Comparison | None


class ReviewView(NamedTuple):
    """``history`` are the reviews of the workspace, the latest first."""

    history: Sequence[ResearchSession] = ()
    review: ShownReview | None = None


def reviewed(application: "Application", asked: ReviewAddress) -> ReviewView:
    """Raises SessionNotFound, and what a comparison raises."""
    research = application.research
    history = research.sessions.list(SessionFilter(limit=_MOST_LISTED))
    if not asked.session:
        return ReviewView(history)
    recorded = research.sessions.show(asked.session)
    session = recorded.session
    if session.is_deleted:
        raise not_found(asked.session)
    statements = list(_statements(recorded, asked))
    chosen = next((one for one in statements if one.is_chosen), None)
    page, note = _page(application, asked, session, chosen)
    others = [
        one
        for one in history
        if one.id != session.id and one.status is not SessionStatus.IN_PROGRESS
    ]
    other = research.sessions.find(asked.other) if asked.other else None
    return ReviewView(
        history,
        ShownReview(
            recorded=recorded,
            is_running=session.status is SessionStatus.IN_PROGRESS,
            can_resume=session.status in (SessionStatus.CANCELLED, SessionStatus.FAILED),
            report=_html(recorded.report.content or ""),
            statements=statements,
            chosen=chosen,
            page=page,
            note=note,
            feedback=research.users.feedback(session.message_id),
            others=others,
            comparison=research.compare(session.id, other) if other else None,
        ),
    )


def _html(report: str) -> Markup:
    """Its headings are below those of the view."""
    tokens = _MARKDOWN.parse(report)
    for token in tokens:
        if token.type in ("heading_open", "heading_close"):
            token.tag = f"h{min(6, int(token.tag[1]) + 2)}"
    return Markup(_MARKDOWN.renderer.render(tokens, _MARKDOWN.options, {}))


def _statements(recorded: Recorded, asked: ReviewAddress) -> Sequence[ReviewedStatement]:
    spans: Mapping[UUID, SourceSpan] = {one.id: one for one in recorded.spans}
    sources: Mapping[UUID, Source] = {one.id: one for one in recorded.sources}
    cited: dict[UUID, SourceSpan] = {}
    for citation in sorted(recorded.citations, key=lambda one: not one.is_primary):
        if (span := spans.get(citation.evidence_span_id)) is not None:
            cited.setdefault(citation.claim_id, span)
    claims = sorted(recorded.claims, key=lambda one: one.position_start)
    return [
        ReviewedStatement(
            number=number,
            claim=claim,
            verdict=claim.verdict.value.lower() if claim.verdict else "not verified",
            is_borne_out=claim.verdict is not None and claim.verdict.value == "SUPPORTED",
            span=(span := cited.get(claim.id)),
            source=sources.get(span.source_id) if span else None,
            url=asked.url(number),
            is_chosen=number == asked.statement,
        )
        for number, claim in enumerate(claims, start=1)
    ]


def _page(
    application: "Application",
    asked: ReviewAddress,
    session: ResearchSession,
    statement: ReviewedStatement | None,
) -> tuple[SourcePage | None, str | None]:
    if statement is None or statement.span is None or statement.source is None:
        return None, None
    found, source = statement.span, statement.source
    if source.document_id is None:
        return None, "The source is not a document of this workspace."
    span = None
    if found.start_offset is not None and found.end_offset is not None:
        span = CharSpan(start=found.start_offset, end=found.end_offset)
    try:
        project = ProjectId.parse(session.project_id)
    except CiteLoomError as error:
        return None, in_words(error.message)
    passage = CitedPassage(project, source.document_id, asked.page or found.page, span)
    return source_page(application, passage, lambda page: asked.url(asked.statement, page))
