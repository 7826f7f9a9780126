"""Correction of a generated sentence by the verdicts on its claims."""

from collections.abc import Sequence
from typing import Final, NamedTuple
from uuid import UUID

from citeloom.domain.research.session import ClaimVerdict, Correction
from citeloom.domain.verification.claims.judgement import Judgement
from citeloom.domain.verification.verdict import Verdict

#: ``THRESHOLD``: minimum confidence of a kept claim, and minimum match of a span cited instead;
#: ``ALTERNATE``: minimum match of a span cited in addition or quoted. ``LAMBDA`` weights word
#: coverage against cosine in the match. Constants of the deep-research model.
THRESHOLD: Final = 0.6
ALTERNATE: Final = 0.48
LAMBDA: Final = 0.8


class Support(NamedTuple):
    """The verdict of one span on one claim. ``match`` is in 0..1; ``deviations`` are what the
    claim says and the span does not; ``reasons`` are the judge's."""

    span: UUID
    cited: bool
    verdict: ClaimVerdict
    confidence: float
    match: float
    deviations: tuple[str, ...] = ()
    reasons: tuple[str, ...] = ()
    in_context: bool = True

    @property
    def is_sufficient(self) -> bool:
        """Whether the span supports the claim, by the judge and without deviations."""
        return (
            self.verdict is ClaimVerdict.SUPPORTED
            and self.confidence >= THRESHOLD
            and self.match >= ALTERNATE
            and not self.deviations
        )


class Decision(NamedTuple):
    """``spans`` are those to cite, ``alternates`` support the sentence too; ``quote`` is the span
    quoted in place of a softened sentence. ``verdict`` is on the sentence as written, with the
    new citations."""

    correction: Correction
    verdict: ClaimVerdict
    confidence: float
    spans: tuple[UUID, ...] = ()
    alternates: tuple[UUID, ...] = ()
    quote: UUID | None = None
    reasons: tuple[str, ...] = ()


def recorded(judged: Judgement) -> tuple[ClaimVerdict, tuple[str, ...]]:
    """Verdict and reasons for the record, which knows no NOT_ESTABLISHED: it is stored as
    UNSUPPORTED with that reason."""
    if judged.verdict is Verdict.NOT_ESTABLISHED:
        return ClaimVerdict.UNSUPPORTED, ("Not established.", *judged.reasons)
    return ClaimVerdict(judged.verdict), judged.reasons


def match_score(coverage: float, closeness: float) -> float:
    """Match of a span and a claim in 0..1, from word coverage and cosine."""
    return LAMBDA * coverage + (1 - LAMBDA) * min(1.0, max(0.0, closeness))


def decide(
    cited: Sequence[UUID], claims: Sequence[Sequence[Support]], objections: Sequence[str] = ()
) -> Decision:
    """``claims`` has the supports of each claim of the sentence. ``objections`` forbid to keep
    the sentence whatever supports it.

    If all claims are supported by cited spans, the sentence is kept without superfluous
    citations; if by other spans, these are cited in addition or instead. Otherwise the best
    span is quoted in its place; without one, the sentence is removed.
    """
    if (
        claims
        and not objections
        and all(any(support.is_sufficient for support in supports) for supports in claims)
    ):
        return _accepted(cited, claims)
    verdict, confidence = _overall_verdict(claims)
    reasons = (*objections, *_reasons(claims))
    quote = _best_quote(claims)
    if quote is None:
        return Decision(Correction.REMOVE, verdict, confidence, reasons=reasons)
    return Decision(
        Correction.SOFTEN, verdict, confidence, (quote.span,), quote=quote.span, reasons=reasons
    )


def _accepted(cited: Sequence[UUID], claims: Sequence[Sequence[Support]]) -> Decision:
    sufficient = [sorted(filter(_is_sufficient, supports), key=_rank) for supports in claims]
    sufficient_cited = {
        support.span for supports in sufficient for support in supports if support.cited
    }
    spans = [span for span in dict.fromkeys(cited) if span in sufficient_cited]
    added = [supports[0] for supports in sufficient if not supports[0].cited]
    # Replacing all citations needs a better match than adding one.
    if added and not spans and any(support.match < THRESHOLD for support in added):
        return decide(cited, claims, ("No passage that fits well enough bears it out.",))
    final_spans = [
        *spans,
        *dict.fromkeys(support.span for support in added if support.span not in spans),
    ]
    if added and spans:
        correction = Correction.ADD_ALTERNATE
    elif spans == list(dict.fromkeys(cited)) and not added:
        correction = Correction.KEEP
    else:
        correction = Correction.REPLACE
    common = set.intersection(*({support.span for support in supports} for supports in sufficient))
    alternates = dict.fromkeys(support.span for support in sufficient[0] if support.span in common)
    deciding = [
        max(support.confidence for support in supports if support.span in final_spans)
        for supports in sufficient
    ]
    return Decision(
        correction,
        ClaimVerdict.SUPPORTED,
        min(deciding),
        tuple(final_spans),
        tuple(span for span in alternates if span not in final_spans),
        reasons=tuple(
            dict.fromkeys(supports[0].reasons[0] for supports in sufficient if supports[0].reasons)
        ),
    )


def _is_sufficient(support: Support) -> bool:
    return support.is_sufficient


def _rank(support: Support) -> tuple[bool, float]:
    return not support.cited, -support.match


def _overall_verdict(claims: Sequence[Sequence[Support]]) -> tuple[ClaimVerdict, float]:
    """The worst verdict of the claims, each by its best cited span; partial at best, since a
    sentence whose claims are all supported comes here only with objections."""
    judged = []
    for supports in claims:
        cited = [support for support in supports if support.cited] or supports
        judged.append(
            max(
                (_strict_verdict(support) for support in cited),
                key=_verdict_rank,
                default=_NO_SUPPORT,
            )
        )
    verdicts = {verdict for verdict, _ in judged}
    sure = min((confidence for _, confidence in judged), default=1.0)
    if ClaimVerdict.CONTRADICTED in verdicts:
        return ClaimVerdict.CONTRADICTED, sure
    if not verdicts or verdicts == {ClaimVerdict.UNSUPPORTED}:
        return ClaimVerdict.UNSUPPORTED, sure
    return ClaimVerdict.PARTIAL, sure


_NO_SUPPORT: Final = (ClaimVerdict.UNSUPPORTED, 1.0)
_VERDICT_ORDER: Final = (
    ClaimVerdict.UNSUPPORTED,
    ClaimVerdict.CONTRADICTED,
    ClaimVerdict.PARTIAL,
    ClaimVerdict.SUPPORTED,
)


def _strict_verdict(support: Support) -> tuple[ClaimVerdict, float]:
    if support.verdict is ClaimVerdict.SUPPORTED and not support.is_sufficient:
        return ClaimVerdict.PARTIAL, support.confidence
    return support.verdict, support.confidence


def _verdict_rank(judged: tuple[ClaimVerdict, float]) -> tuple[int, float]:
    return _VERDICT_ORDER.index(judged[0]), judged[1]


def _reasons(claims: Sequence[Sequence[Support]]) -> tuple[str, ...]:
    """For each unsupported claim, what the nearest span lacks."""
    reasons: dict[str, None] = {}
    for supports in claims:
        if supports and not any(support.is_sufficient for support in supports):
            nearest = min(supports, key=_rank)
            reasons.update(dict.fromkeys(nearest.deviations or nearest.reasons))
        elif not supports:
            reasons["No passage speaks of it."] = None
    return tuple(reasons)


def _best_quote(claims: Sequence[Sequence[Support]]) -> Support | None:
    """The best span to quote: a cited one if possible; another needs a better match and the same
    context."""
    supports = [
        support for claim in claims for support in claim if support.cited or support.in_context
    ]
    matching = [
        support
        for support in supports
        if support.match >= (ALTERNATE if support.cited else THRESHOLD)
    ]
    return min(matching, key=_rank, default=None)
