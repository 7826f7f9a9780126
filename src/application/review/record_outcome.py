"""Outcome record of a report: its claims and their citations."""

from collections.abc import Iterator
from datetime import datetime
from uuid import UUID

from citeloom.application.ports.research import SessionOutcome
from citeloom.domain.research.session import (
    Citation,
    Claim,
    ClaimType,
    ResearchSession,
    SessionStatus,
)
from citeloom.domain.review.report.markdown import PlacedStatement, Report
from citeloom.domain.review.report.model import GatheredEvidence
from citeloom.domain.verification.quantities.quantity_extraction import has_numeric_content


def outcome_of(
    session: ResearchSession, report: Report, gathered: GatheredEvidence, at: datetime
) -> SessionOutcome:
    """The outcome of a completed session; ids are derived from the session's."""
    spans = {span.id: span for span in gathered.spans}
    keys = {source.id: source.citekey for source in gathered.sources}
    claims: list[Claim] = []
    citations: list[Citation] = []
    cited: dict[UUID, None] = {}
    for number, placed in enumerate(report.placed):
        primary = [id for id in placed.statement.spans if id in spans]
        key = next((keys[spans[id].source_id] for id in primary), None)
        claim = _claim(session, number, placed, key, at)
        claims.append(claim)
        cited.update((spans[id].source_id, None) for id in primary)
        citations += _citations(session, number, claim, placed, at)
    return SessionOutcome(
        status=SessionStatus.COMPLETED,
        content=report.text,
        claims=tuple(claims),
        citations=tuple(citations),
        cited=tuple(cited),
        summary=report.summary,
        completed_at=at,
    )


def _claim(
    session: ResearchSession, number: int, placed: PlacedStatement, key: str | None, at: datetime
) -> Claim:
    text = placed.statement.text
    return Claim(
        id=session.part_id("claim", number),
        message_id=session.message_id,
        claim_text=text,
        claim_type=ClaimType.NUMERIC if has_numeric_content(text) else ClaimType.GENERAL,
        position_start=placed.start,
        position_end=placed.end,
        citation_key=key[:100] if key else None,
        verdict=placed.checked.verdict,
        confidence=placed.checked.confidence,
        verification_reasoning=placed.checked.reasoning,
        correction=placed.checked.correction,
        created_at=at,
    )


def _citations(
    session: ResearchSession, number: int, claim: Claim, placed: PlacedStatement, at: datetime
) -> Iterator[Citation]:
    """The citations of a claim: those in the report, then the alternates."""
    shown = dict.fromkeys(placed.statement.spans, True)
    for span, is_primary in {**dict.fromkeys(placed.checked.alternates, False), **shown}.items():
        yield Citation(
            id=session.part_id("citation", number, str(span)),
            claim_id=claim.id,
            evidence_span_id=span,
            confidence=placed.checked.confidence,
            is_primary=is_primary,
            created_at=at,
        )
