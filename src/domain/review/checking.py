"""Checks of a written sentence: certainty, qualifiers, faithfulness to its source."""

import re
from collections.abc import Sequence
from enum import StrEnum
from typing import Final, NamedTuple
from uuid import UUID

from citeloom.domain.research.session import ClaimVerdict, Correction
from citeloom.domain.verification.claims.function_words import HEDGE
from citeloom.domain.verification.claims.judgement import Judgement
from citeloom.domain.verification.claims.parsed_sentence import coverage, parse_sentence, stems_of
from citeloom.domain.verification.verdict import Verdict

#: Base score, and the terms for a source phrase, a hedge, and more than half of the words in
#: the evidence; thresholds of high and low. Constants of the deep-research model.
NEUTRAL: Final = 0.5
STATED: Final = 0.15
HEDGED: Final = -0.2
REPEATED: Final = 0.3
HIGH: Final = 0.85
LOW: Final = 0.5
_MIN_COVERAGE: Final = 0.5

# The longest match counts, without overlap.
_SOURCE_PHRASE: Final = re.compile(
    r"\b(?:according to|as (?:stated|reported|shown|described) (?:in|by)|as (?:stated|reported)|"
    r"(?:data|results?|figures?|evidence) (?:show|confirm|demonstrate)s?(?: that)?|"
    r"(?:confirm|demonstrat|establish|prov)(?:e[sd]?|s|ed|en|es)\b(?: that)?|"
    r"officially|explicitly|clearly states?)\b",
    re.IGNORECASE,
)


class CertaintyLevel(StrEnum):
    HIGH = "high"
    MEDIUM = "medium"
    LOW = "low"


def certainty(sentence: str, evidence: str = "") -> float:
    """Certainty in 0..1; whole words only, so that "may" is not in "Mayor"."""
    value = NEUTRAL
    value += STATED * len(_SOURCE_PHRASE.findall(sentence))
    value += HEDGED * len(HEDGE.findall(sentence))
    if (
        evidence
        and coverage(parse_sentence(evidence), stems_of(parse_sentence(sentence))) > _MIN_COVERAGE
    ):
        value += REPEATED
    return min(1.0, max(0.0, value))


def certainty_level(confidence: float) -> CertaintyLevel:
    """A neutral sentence (0.5) is medium."""
    if confidence >= HIGH:
        return CertaintyLevel.HIGH
    return CertaintyLevel.LOW if confidence < LOW else CertaintyLevel.MEDIUM


# An independent clause may follow; reasons, conditions and comparisons stay with their clause.
_CLAUSE_BOUNDARY: Final = re.compile(
    r";\s+(?:and\s|but\s|while\s|whereas\s|however,\s)?|,\s+(?:and|but|while|whereas|yet)\s+"
    r"|\s+(?:while|whereas)\s+",
    re.IGNORECASE,
)
# Finite verbs, one of which an independent clause has after its first word.
_VERB: Final = re.compile(
    r"\b(?:is|are|was|were|has|have|had|does|do|did|can|could|may|might|will|would|should|must|"
    r"\w{3,}(?:ed|es|[^su]s))\b",
    re.IGNORECASE,
)
_WORD: Final = re.compile(r"[^\W\d_][\w'’-]*|\d[\d.,%]*")
_DEPENDENT: Final = re.compile(
    r"(?:in|on|at|of|for|by|with|to|from|than|as|into|over|under|which|that|who|whose|where|when|"
    r"because|since|if|including|such|not|it|they|its|their|this|these|those|he|she|both|"
    r"then|also)\b",
    re.IGNORECASE,
)
_MIN_WORDS: Final = 4


def split_claims(sentence: str) -> tuple[str, ...]:
    """The clauses of ``sentence`` if each is independent, else the sentence. Only conjunctions
    are lost."""
    clauses = [clause.strip() for clause in _CLAUSE_BOUNDARY.split(sentence)]
    if len(clauses) > 1 and all(map(_is_independent, clauses)):
        return tuple(clauses)
    return (sentence,)


def _is_independent(clause: str) -> bool:
    words = _WORD.findall(clause)
    return (
        len(words) >= _MIN_WORDS
        and not _DEPENDENT.match(clause)
        and any(_VERB.fullmatch(word) for word in words[1:])
    )


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
        return decide(cited, claims, ("No passage that fits well enough supports it.",))
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
    """What the nearest span lacks, for each unsupported claim."""
    reasons: dict[str, None] = {}
    for supports in claims:
        if supports and not any(support.is_sufficient for support in supports):
            nearest = min(supports, key=_rank)
            reasons.update(dict.fromkeys(nearest.deviations or nearest.reasons))
        elif not supports:
            reasons["No passage is about it."] = None
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
