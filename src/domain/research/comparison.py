"""Evidence table of a review, and the comparison of two.

Sources are identified by URL, evidence by its offsets in its source (or its words where unknown),
claims by their words, ignoring case and spacing. The same words in two documents are two pieces of
evidence.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Final, Generic, TypeVar

from pydantic import Field

from citeloom.domain.value import Value

from .session import (
    Citation,
    Claim,
    ClaimVerdict,
    Depth,
    Recorded,
    ResearchSession,
    Source,
    SourceSpan,
)


class EvidenceRow(Value):
    """A claim, numbered from 1, with one piece of its evidence; the others are None for a claim
    without evidence."""

    number: int
    claim: Claim
    citation: Citation | None = None
    span: SourceSpan | None = None
    source: Source | None = None

    @property
    def verdict(self) -> str:
        """In plain words; *exact quotation* for a claim in the words of its source."""
        if self.claim.verdict is ClaimVerdict.SUPPORTED and self.is_quotation:
            return "exact quotation"
        return _VERDICTS[self.claim.verdict]

    @property
    def is_quotation(self) -> bool:
        """Whether the claim has the words of the evidence."""
        return self.span is not None and self.span.quote.split() == self.claim.claim_text.split()


_VERDICTS: Final = {
    None: "not verified",
    ClaimVerdict.SUPPORTED: "supported",
    ClaimVerdict.PARTIAL: "supported in part",
    ClaimVerdict.UNSUPPORTED: "not supported",
    ClaimVerdict.CONTRADICTED: "contradicted",
}


def evidence_rows(review: Recorded) -> Iterator[EvidenceRow]:
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


_T = TypeVar("_T")


class Side(Value):
    """One of the compared sessions, with its counts."""

    session_id: str
    question: str
    project: str
    depth: Depth
    started_at: datetime
    completed_at: datetime | None = None
    sources: int = Field(ge=0)
    evidence: int = Field(ge=0)
    claims: int = Field(ge=0)


class ComparedSource(Value):
    url: str
    title: str
    citekey: str | None = None


class ComparedEvidence(Value):
    """``page`` counts the file's pages from 1, ``page_label`` is the printed one."""

    quote: str
    citekey: str | None = None
    page: int | None = None
    page_label: str | None = None
    address: str | None = None


class ComparedClaim(Value):
    claim: str
    verdict: ClaimVerdict | None = None
    confidence: float = Field(ge=0, le=1)


class ChangedVerdict(Value):
    """A claim of both sessions with different verdicts; None: not verified."""

    claim: str
    a: ClaimVerdict | None = None
    b: ClaimVerdict | None = None


class Split(Value, Generic[_T]):
    """``both`` as in ``a``, each once."""

    both: tuple[_T, ...] = ()
    only_a: tuple[_T, ...] = ()
    only_b: tuple[_T, ...] = ()


class Comparison(Value):
    """``changed`` are claims of both whose verdicts differ, in the order of ``a``."""

    a: Side
    b: Side
    sources: Split[ComparedSource]
    evidence: Split[ComparedEvidence]
    claims: Split[ComparedClaim]
    changed: tuple[ChangedVerdict, ...] = ()


def compare(a: Recorded, b: Recorded) -> Comparison:
    claims_a, claims_b = _claims(a.claims), _claims(b.claims)
    changed = [
        ChangedVerdict(claim=claim.claim, a=claim.verdict, b=claims_b[words].verdict)
        for words, claim in claims_a.items()
        if words in claims_b and claims_b[words].verdict is not claim.verdict
    ]
    sources = _sources(a.sources), _sources(b.sources)
    evidence = _evidence(a), _evidence(b)
    return Comparison(
        a=_side(a.session, len(sources[0]), len(evidence[0]), len(claims_a)),
        b=_side(b.session, len(sources[1]), len(evidence[1]), len(claims_b)),
        sources=_split(*sources),
        evidence=_split(*evidence),
        claims=_split(claims_a, claims_b),
        changed=tuple(changed),
    )


def _side(session: ResearchSession, sources: int, evidence: int, claims: int) -> Side:
    return Side(
        session_id=str(session.id),
        question=session.question,
        project=session.project_id,
        depth=session.research_depth,
        started_at=session.started_at,
        completed_at=session.completed_at,
        sources=sources,
        evidence=evidence,
        claims=claims,
    )


def _split(a: Mapping[str, _T], b: Mapping[str, _T]) -> Split[_T]:
    return Split(
        both=tuple(one for key, one in a.items() if key in b),
        only_a=tuple(one for key, one in a.items() if key not in b),
        only_b=tuple(one for key, one in b.items() if key not in a),
    )


def _sources(sources: Iterable[Source]) -> dict[str, ComparedSource]:
    compared: dict[str, ComparedSource] = {}
    for one in sources:
        compared.setdefault(
            one.url, ComparedSource(url=one.url, title=one.title, citekey=one.citekey)
        )
    return compared


def _evidence(review: Recorded) -> dict[str, ComparedEvidence]:
    sources = {source.id: source for source in review.sources}
    compared: dict[str, ComparedEvidence] = {}
    for span in review.spans:
        source = sources.get(span.source_id)
        compared.setdefault(
            _place(span, source),
            ComparedEvidence(
                quote=span.quote,
                citekey=source.citekey if source else None,
                page=span.page,
                page_label=span.page_label,
                address=span.address,
            ),
        )
    return compared


def _place(span: SourceSpan, source: Source | None) -> str:
    where = source.url if source else str(span.source_id)
    if span.start_offset is None or span.end_offset is None:
        return f"{where}\n{_words(span.quote)}"
    return f"{where}\n{span.start_offset}-{span.end_offset}"


def _claims(claims: Sequence[Claim]) -> dict[str, ComparedClaim]:
    compared: dict[str, ComparedClaim] = {}
    for one in in_report_order(claims):
        compared.setdefault(
            _words(one.claim_text),
            ComparedClaim(claim=one.claim_text, verdict=one.verdict, confidence=one.confidence),
        )
    return compared


def _words(text: str) -> str:
    return " ".join(text.split()).casefold()
