"""The data of the views *Review* and *Check a draft*."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final, NamedTuple
from urllib.parse import urlencode

from markupsafe import Markup

from citeloom.application.ports.research import SessionFilter
from citeloom.application.ports.verification import DraftText
from citeloom.application.verification.verify import VerifyRequest
from citeloom.domain.documents.spans import CharSpan
from citeloom.domain.errors import CiteLoomError
from citeloom.domain.projects.project import ProjectId
from citeloom.domain.research.comparison import Comparison, evidence_rows
from citeloom.domain.research.events import not_found
from citeloom.domain.research.session import (
    Claim,
    ClaimVerdict,
    MessageFeedback,
    Recorded,
    ResearchSession,
    SessionStatus,
    Source,
    SourceSpan,
)
from citeloom.domain.verification.drafts.draft import EvidenceQuote, Finding, Verification
from citeloom.domain.verification.verdict import MEANINGS
from citeloom.domain.writing import DraftCorrection, PlacedFinding
from citeloom.infrastructure.http.problems import in_words
from citeloom.infrastructure.http.reports import Sides, as_html, sides, verdict_name
from citeloom.infrastructure.serving.jobs.job import JobView

from .source import CitedPassage, SourcePage, source_page

if TYPE_CHECKING:
    from citeloom.infrastructure.composition.application import Application


class DraftAddress(NamedTuple):
    """What the URL of the view says; ``finding`` counts from 1, ``page`` is one of the file."""

    project: str
    job: str = ""
    finding: int = 1
    page: int | None = None

    def url(self, finding: int, page: int | None = None) -> str:
        named = {"project": self.project, "job": self.job, "finding": finding}
        return "/draft?" + urlencode(named | ({"page": page} if page else {}))


class Verdicted(NamedTuple):
    """A verdict in the margin. ``text`` is the name of the verdict, ``level`` its severity."""

    number: int
    finding: Finding
    text: str
    level: str
    meaning: str
    url: str
    chosen: bool
    corrections: Sequence[DraftCorrection]


class DraftPiece(NamedTuple):
    """A stretch of the draft; a claim is followed by its ``verdicts``."""

    text: str
    is_chosen: bool = False
    verdicts: Sequence[Verdicted] = ()


class CheckedDraft(NamedTuple):
    """``elsewhere`` are verdicts whose place in the text is not known. ``sides`` are of the chosen
    one; ``source`` is the page of its first evidence, ``quote``."""

    text: str
    pieces: Sequence[DraftPiece]
    elsewhere: Sequence[Verdicted]
    counts: Sequence[tuple[str, int]]
    chosen: Verdicted | None
    quote: EvidenceQuote | None
    sides: Sides | None
    source: SourcePage | None
    note: str | None
    warnings: Sequence[str]


def draft_text(job: JobView[Verification]) -> str:
    """Empty for a draft that is a file."""
    draft = VerifyRequest.model_validate_json(job.asked_json()).draft
    return draft.text if isinstance(draft, DraftText) else ""


def checked(
    application: "Application", asked: DraftAddress, job: JobView[Verification]
) -> CheckedDraft:
    """A verification that has ended. Raises what ended it."""
    result = job.result()
    request = VerifyRequest.model_validate_json(job.asked_json())
    draft, project = request.draft, request.project_id
    text = draft_text(job)
    places: dict[Finding, PlacedFinding] = {}
    if isinstance(draft, DraftText):
        found = application.writing.findings.place(project, draft, result.findings)
        places = {one.finding: one for one in found}
    verdicts = [
        _verdict(number, finding, places.get(finding), asked)
        for number, finding in enumerate(result.findings, start=1)
    ]
    chosen = next((one for one in verdicts if one.chosen), None)
    quote = next(iter(chosen.finding.evidence), None) if chosen else None
    source, note = _source(application, asked, project, quote)
    return CheckedDraft(
        text=text,
        pieces=list(_pieces(text, verdicts, places)),
        elsewhere=[one for one in verdicts if one.finding not in places],
        counts=[
            (verdict_name(verdict), count) for verdict, count in result.counts.items() if count
        ],
        chosen=chosen,
        quote=quote,
        sides=sides(chosen.finding) if chosen else None,
        source=source,
        note=note,
        warnings=[in_words(one) for one in result.warnings],
    )


def _verdict(
    number: int, finding: Finding, place: PlacedFinding | None, asked: DraftAddress
) -> Verdicted:
    severity, meaning = MEANINGS[finding.verdict]
    return Verdicted(
        number=number,
        finding=finding,
        text=verdict_name(finding.verdict),
        level=severity.value,
        meaning=meaning,
        url=asked.url(number),
        chosen=number == asked.finding,
        corrections=place.corrections if place else (),
    )


def _pieces(
    text: str, verdicts: Sequence[Verdicted], places: dict[Finding, PlacedFinding]
) -> Iterator[DraftPiece]:
    """The draft in order; claims of one place, or that overlap, are one piece."""
    located = [(places[one.finding], one) for one in verdicts if one.finding in places]
    located.sort(key=lambda pair: (pair[0].start, pair[1].number))
    at = 0
    while located:
        first, own = located[0], [located.pop(0)[1]]
        start, end = first[0].start, first[0].end
        while located and located[0][0].start < end:
            place, verdict = located.pop(0)
            own.append(verdict)
            end = max(end, place.end)
        if at < start:
            yield DraftPiece(text[at:start])
        yield DraftPiece(text[start:end], any(one.chosen for one in own), own)
        at = end
    if at < len(text):
        yield DraftPiece(text[at:])


def _source(
    application: "Application",
    asked: DraftAddress,
    project: ProjectId,
    quote: EvidenceQuote | None,
) -> tuple[SourcePage | None, str | None]:
    if quote is None:
        return None, None
    span = CharSpan(start=quote.start, end=quote.end)
    passage = CitedPassage(project, quote.document_id, asked.page or quote.page, span)
    return source_page(application, passage, lambda page: asked.url(asked.finding, page))


_MOST_LISTED: Final = 50


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
    """Raises SessionNotFound, and the errors of a comparison."""
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
            report=as_html(recorded.report.content or "", lower_by=2),
            statements=statements,
            chosen=chosen,
            page=page,
            note=note,
            feedback=research.users.feedback(session.message_id),
            others=others,
            comparison=research.compare(session.id, other) if other else None,
        ),
    )


def _statements(recorded: Recorded, asked: ReviewAddress) -> Sequence[ReviewedStatement]:
    """Each claim with the first of its evidence."""
    rows = {row.number: row for row in reversed(list(evidence_rows(recorded)))}
    return [
        ReviewedStatement(
            number=number,
            claim=row.claim,
            verdict=row.verdict,
            is_borne_out=row.claim.verdict is ClaimVerdict.SUPPORTED,
            span=row.span,
            source=row.source,
            url=asked.url(number),
            is_chosen=number == asked.statement,
        )
        for number, row in sorted(rows.items())
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
