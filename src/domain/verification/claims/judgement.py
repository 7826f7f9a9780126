"""Judgement of a claim against sentences of a source, by rules and logistic regression.

If a claim repeats a sentence nearly verbatim, its changes decide: another number, an added
negation, an opposite direction, swapped sides of a comparison. Otherwise a multinomial
logistic regression over ``Features`` does.
"""

from collections.abc import Mapping, Sequence
from hashlib import sha256
from math import exp
from typing import Final, NamedTuple

from pydantic import Field

from citeloom.domain.value import Value
from citeloom.domain.verification.claims.contradictions import (
    adds_negation,
    changed_names,
    has_other_number,
)
from citeloom.domain.verification.claims.features import (
    ClaimComparison,
    Features,
    ParsedSentence,
    compare,
    coverage,
    parse_sentence,
    stems_of,
)
from citeloom.domain.verification.verdict import Verdict

# Minimum weighted coverage of a claim that repeats a sentence.
_REPEATED: Final = 0.8
# Precision of the rules: 11 of the 14 pairs of claim and abstract that they decide among
# SciFact's training claims.
_RULE_CONFIDENCE: Final = 0.8
# Fitted on the 919 pairs of claim and cited abstract of SciFact's training claims (Wadden et
# al. 2020): intercept, then one weight for each value of ``vector``, against UNSUPPORTED.
_WEIGHTS: Final[Mapping[str, tuple[float, ...]]] = {
    "SUPPORTED": (-7.26, 6.93, -0.45, 6.18, -1.10, -2.73, -0.26, -1.85, -1.44, 0.39),
    "CONTRADICTED": (-8.31, 7.70, -0.64, 5.43, -0.71, -2.22, -0.29, 0.57, 0.90, 1.31),
}
# Factor on the probability of CONTRADICTED, the rarest class there: gives a better macro-F1
# (0.62 for 0.59 in five folds).
_CONTRADICTION_FACTOR: Final = 1.8
_DENIED: Final = "The claim denies what the evidence says."
#: Digest of these parameters, part of the judge's version.
PARAMETERS_DIGEST: Final = sha256(
    repr((_REPEATED, _RULE_CONFIDENCE, _WEIGHTS, _CONTRADICTION_FACTOR)).encode()
).hexdigest()[:12]


class SourceSentence(NamedTuple):
    """A sentence of the source; ``score`` is its cosine to the claim, 0..1. ``place`` is its
    index in the source, by which adjacent sentences are the context; None where unknown."""

    text: str
    score: float
    place: int | None = None


class Judgement(Value):
    """``best`` is the index of the deciding evidence, None without any; ``confidence`` the
    probability of the verdict; ``reasons`` are sentences that a person can check."""

    verdict: Verdict
    confidence: float = Field(ge=0, le=1)
    best: int | None
    reasons: tuple[str, ...]
    features: Features | None


def judge(claim: str, evidence: Sequence[SourceSentence]) -> Judgement:
    """The verdict of one source's sentences on ``claim``, a single statement."""
    if not evidence:
        return Judgement(
            verdict=Verdict.UNSUPPORTED,
            confidence=1.0,
            best=None,
            reasons=("The source has no sentence on this.",),
            features=None,
        )
    parsed_claim = parse_sentence(claim)
    sentences = [parse_sentence(one.text) for one in evidence]
    best = best_sentence(parsed_claim, sentences, evidence)
    compared = compare(
        parsed_claim,
        sentences[best],
        _context(evidence, sentences, best),
        score=evidence[best].score,
        nearest=max(one.score for one in evidence),
        whole=coverage(parsed_claim, stems_of(*sentences)),
    )
    by_class = probabilities(compared.features)
    if not _has_conflict(compared.features):
        del by_class[Verdict.CONTRADICTED]  # nothing checkable supports it
    verdict, confidence = _decide(compared.features, by_class)
    if verdict in (Verdict.PARTIAL, Verdict.CONTRADICTED) and has_other_number(
        parsed_claim, sentences, best
    ):
        verdict, confidence = Verdict.CONTRADICTED, _RULE_CONFIDENCE
    renamed = changed_names(parsed_claim, sentences[best])
    negated = adds_negation(parsed_claim, sentences[best])
    if renamed or negated:
        verdict, confidence = Verdict.CONTRADICTED, _RULE_CONFIDENCE
    return Judgement(
        verdict=verdict,
        confidence=confidence,
        best=best,
        reasons=(
            *_reasons(compared),
            *([_DENIED] if negated and not compared.features.denied else []),
            *(f"The claim says “{mine}”, the evidence “{theirs}”." for mine, theirs in renamed),
        ),
        features=compared.features,
    )


def best_sentence(
    claim: ParsedSentence, sentences: Sequence[ParsedSentence], evidence: Sequence[SourceSentence]
) -> int:
    """The index of the sentence with the highest sum of cosine and coverage."""
    return max(
        range(len(sentences)),
        key=lambda n: evidence[n].score + coverage(claim, stems_of(sentences[n])),
    )


def probabilities(features: Features) -> dict[str, float]:
    """Class probabilities of the multinomial logistic regression: an intercept and a weight for
    each value of ``vector``, with UNSUPPORTED as reference class."""
    values = (1.0, *vector(features))
    raw = {
        name: exp(sum(w * v for w, v in zip(weights, values, strict=True)))
        for name, weights in _WEIGHTS.items()
    }
    raw[Verdict.UNSUPPORTED] = 1.0
    total = sum(raw.values())
    return {name: value / total for name, value in raw.items()}


def vector(features: Features) -> tuple[float, ...]:
    """The input vector of the regression."""
    return (
        features.nearest,
        features.coverage,
        features.whole,
        features.missing,
        features.conflict * features.coverage,
        min(features.along, 2) * features.coverage,
        min(features.opposed, 2) * features.coverage,
        features.denied * features.coverage,
        features.one_denies * features.score,
    )


def _context(
    evidence: Sequence[SourceSentence], sentences: Sequence[ParsedSentence], best: int
) -> list[ParsedSentence]:
    place = evidence[best].place
    if place is None:
        return []
    return [
        sentence
        for one, sentence in zip(evidence, sentences, strict=True)
        if one.place in (place - 1, place + 1)
    ]


def _decide(features: Features, by_class: Mapping[str, float]) -> tuple[Verdict, float]:
    """Verdict and confidence: by rules if the claim repeats its sentence, else by
    ``by_class``."""
    if features.coverage >= _REPEATED:
        if _has_conflict(features):
            return Verdict.CONTRADICTED, _RULE_CONFIDENCE
        if features.missing or features.overstated:
            return Verdict.PARTIAL, _RULE_CONFIDENCE
    name = max(
        by_class,
        key=lambda name: (
            by_class[name] * (_CONTRADICTION_FACTOR if name == Verdict.CONTRADICTED else 1)
        ),
    )
    if name == Verdict.SUPPORTED:
        partial = features.missing or features.overstated
        return (Verdict.PARTIAL if partial else Verdict.SUPPORTED), by_class[name]
    return Verdict(name), by_class[name]


def _has_conflict(features: Features) -> bool:
    return bool(features.conflict or features.opposed or features.denied or features.swapped)


def _reasons(compared: ClaimComparison) -> list[str]:
    """One sentence for each difference."""
    features = compared.features
    reasons = [f"{features.context:.0%} of the claim's content words stand in the evidence."]
    if compared.unsupported_words:
        shown = ", ".join(f"“{word}”" for word in compared.unsupported_words[:6])
        reasons.append(f"The evidence does not have {shown}.")
    reasons += [f"The evidence does not state “{one.text}”." for one in compared.missing_quantities]
    if compared.conflicting_quantities:
        shown = ", ".join(f"“{one.text}”" for one in compared.conflicting_quantities[:4])
        reasons.append(f"It has {shown} instead.")
    for mine, theirs in compared.opposed_directions:
        denied = [" (denied)" if one.negated else "" for one in (mine, theirs)]
        reasons.append(
            f"The claim says “{mine.word}”{denied[0]}, the evidence “{theirs.word}”{denied[1]}."
        )
    if features.denied:
        reasons.append("One of the two denies what the other says.")
    if features.swapped:
        reasons.append("The sides of the comparison have changed places.")
    if features.overstated:
        reasons.append("The claim is certain where the evidence is not.")
    return reasons
