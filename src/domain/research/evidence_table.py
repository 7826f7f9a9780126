"""Evidence table of a review: its claims with their evidence."""

from collections.abc import Iterator, Sequence
from typing import Protocol

from citeloom.domain.research.session import Citation, Claim, ResearchSession, Source, SourceSpan
from citeloom.domain.value import Value


class ReviewedSession(Protocol):
    """A session with its sources, spans, claims and citations."""

    @property
    def session(self) -> ResearchSession: ...

    @property
    def sources(self) -> Sequence[Source]: ...

    @property
    def spans(self) -> Sequence[SourceSpan]: ...

    @property
    def claims(self) -> Sequence[Claim]: ...

    @property
    def citations(self) -> Sequence[Citation]: ...


class EvidenceRow(Value):
    """A claim, numbered from 1, with one piece of its evidence; the others are None for a claim
    without evidence."""

    number: int
    claim: Claim
    citation: Citation | None = None
    span: SourceSpan | None = None
    source: Source | None = None


def evidence_rows(review: ReviewedSession) -> Iterator[EvidenceRow]:
    """Claims in report order, each with all its evidence: cited first, then alternates, by
    descending confidence. Citations of missing evidence are left out."""
    spans = {span.id: span for span in review.spans}
    sources = {source.id: source for source in review.sources}
    for number, claim in enumerate(in_report_order(review.claims), start=1):
        citations = [one for one in review.citations if one.claim_id == claim.id]
        citations = [one for one in citations if one.evidence_span_id in spans]
        for citation in sorted(citations, key=lambda one: (not one.is_primary, -one.confidence)):
            span = spans[citation.evidence_span_id]
            yield EvidenceRow(
                number=number,
                claim=claim,
                citation=citation,
                span=span,
                source=sources.get(span.source_id),
            )
        if not citations:
            yield EvidenceRow(number=number, claim=claim)


def in_report_order(claims: Sequence[Claim]) -> list[Claim]:
    """Claims by position in the report."""
    return sorted(claims, key=lambda claim: (claim.position_start, claim.position_end))
