"""Whether sentences of a source bear out a claim: a verdict by rules and a few weights.

Where a claim repeats a sentence nearly word for word, what it changes decides: another
number, a negation more, the opposite direction, sides of a comparison that changed places.
Elsewhere a multinomial logistic regression over ``Features`` does.
"""

from collections.abc import Mapping, Sequence
from hashlib import sha256
from math import exp
from typing import Final, NamedTuple

from pydantic import Field

from citeloom.domain.value import Value
from citeloom.domain.verification.claims.contradictions import (
    other_names,
    other_number,
    puts_in_a_negation,
)
from citeloom.domain.verification.claims.features import (
    Compared,
    Features,
    Read,
    compare,
    coverage,
    read,
    stems_of,
)
from citeloom.domain.verification.verdict import Verdict

# Of the claim's content words, weighted, that the sentence has where it is repeated.
_REPEATED: Final = 0.8
# How often the rules are right where they decide: 11 of the 14 such pairs of claim and
# abstract among SciFact's training claims.
_SURE: Final = 0.8
# Fitted on the 919 pairs of claim and cited abstract of SciFact's training claims (Wadden et
# al. 2020): intercept, then one weight for each value of ``vector``, against UNSUPPORTED.
_WEIGHTS: Final[Mapping[str, tuple[float, ...]]] = {
    "SUPPORTED": (-7.26, 6.93, -0.45, 6.18, -1.10, -2.73, -0.26, -1.85, -1.44, 0.39),
    "CONTRADICTED": (-8.31, 7.70, -0.64, 5.43, -0.71, -2.22, -0.29, 0.57, 0.90, 1.31),
}
# Contradictions are the rarest there: they are told up to so many times less likely than the
# likeliest verdict, which gives a better macro-F1 (0.62 for 0.59 in five folds).
_LEAN: Final = 1.8
_DENIED: Final = "The claim denies what the evidence says."
#: Names these numbers: findings of other ones are not of this judge.
FITTED: Final = sha256(repr((_REPEATED, _SURE, _WEIGHTS, _LEAN)).encode()).hexdigest()[:12]


class SourceSentence(NamedTuple):
    """A sentence of the source; ``score`` is how near it is to the claim, 0..1 (the cosine of
    their vectors). ``place`` counts the sentences of the source: those next to each other in
    it are read together; None where it is not known."""

    text: str
    score: float
    place: int | None = None


class Judgement(Value):
    """``best`` is the index of the evidence that decided, None without any. ``confidence`` is
    the probability of the verdict. ``reasons`` are sentences that a person can check."""

    verdict: Verdict
    confidence: float = Field(ge=0, le=1)
    best: int | None
    reasons: tuple[str, ...]
    features: Features | None


def judge(claim: str, evidence: Sequence[SourceSentence]) -> Judgement:
    """Whether the sentences of one source bear out ``claim``, which says one thing."""
    if not evidence:
        return Judgement(
            verdict=Verdict.UNSUPPORTED,
            confidence=1.0,
            best=None,
            reasons=("The source has no sentence on this.",),
            features=None,
        )
    asked = read(claim)
    sentences = [read(one.text) for one in evidence]
    best = best_of(asked, sentences, evidence)
    compared = compare(
        asked,
        sentences[best],
        _around(evidence, sentences, best),
        score=evidence[best].score,
        nearest=max(one.score for one in evidence),
        whole=coverage(asked, stems_of(*sentences)),
    )
    found = probabilities(compared.features)
    if not _is_contrary(compared.features):
        del found[Verdict.CONTRADICTED]  # nothing that a person could check speaks for it
    verdict, confidence = _decided(compared.features, found)
    if verdict in (Verdict.PARTIAL, Verdict.CONTRADICTED) and other_number(asked, sentences, best):
        verdict, confidence = Verdict.CONTRADICTED, _SURE
    renamed = other_names(asked, sentences[best])
    denied = puts_in_a_negation(asked, sentences[best])
    if renamed or denied:
        verdict, confidence = Verdict.CONTRADICTED, _SURE
    return Judgement(
        verdict=verdict,
        confidence=confidence,
        best=best,
        reasons=(
            *_reasons(compared),
            *([_DENIED] if denied and not compared.features.denied else []),
            *(f"The claim says “{mine}”, the evidence “{theirs}”." for mine, theirs in renamed),
        ),
        features=compared.features,
    )


def best_of(claim: Read, sentences: Sequence[Read], evidence: Sequence[SourceSentence]) -> int:
    """The index of the sentence that is nearest to the claim, by meaning and by words."""
    return max(
        range(len(sentences)),
        key=lambda n: evidence[n].score + coverage(claim, stems_of(sentences[n])),
    )


def probabilities(features: Features) -> dict[str, float]:
    """Of SUPPORTED, CONTRADICTED and UNSUPPORTED: a multinomial logistic regression, of each
    the intercept, then a weight for each value of ``vector``, against UNSUPPORTED."""
    values = (1.0, *vector(features))
    raw = {
        name: exp(sum(w * v for w, v in zip(weights, values, strict=True)))
        for name, weights in _WEIGHTS.items()
    }
    raw[Verdict.UNSUPPORTED] = 1.0
    whole = sum(raw.values())
    return {name: value / whole for name, value in raw.items()}


def vector(features: Features) -> tuple[float, ...]:
    """The features as the regression sees them."""
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


def _around(evidence: Sequence[SourceSentence], sentences: Sequence[Read], best: int) -> list[Read]:
    place = evidence[best].place
    if place is None:
        return []
    return [
        sentence
        for one, sentence in zip(evidence, sentences, strict=True)
        if one.place in (place - 1, place + 1)
    ]


def _decided(features: Features, found: Mapping[str, float]) -> tuple[Verdict, float]:
    """The verdict and its confidence: by rules where the claim repeats its sentence, elsewhere
    by the probabilities ``found``."""
    if features.coverage >= _REPEATED:
        if _is_contrary(features):
            return Verdict.CONTRADICTED, _SURE
        if features.missing or features.overstated:
            return Verdict.PARTIAL, _SURE
    name = max(found, key=lambda name: found[name] * (_LEAN if name == Verdict.CONTRADICTED else 1))
    if name == Verdict.SUPPORTED:
        partial = features.missing or features.overstated
        return (Verdict.PARTIAL if partial else Verdict.SUPPORTED), found[name]
    return Verdict(name), found[name]


def _is_contrary(features: Features) -> bool:
    return bool(features.conflict or features.opposed or features.denied or features.swapped)


def _reasons(compared: Compared) -> list[str]:
    """What was compared, one sentence for each finding."""
    features = compared.features
    found = [f"{features.context:.0%} of the claim's content words stand in the evidence."]
    if compared.unsaid:
        shown = ", ".join(f"“{word}”" for word in compared.unsaid[:6])
        found.append(f"The evidence does not have {shown}.")
    found += [f"The evidence does not state “{one.text}”." for one in compared.absent]
    if compared.instead:
        shown = ", ".join(f"“{one.text}”" for one in compared.instead[:4])
        found.append(f"It has {shown} instead.")
    for mine, theirs in compared.contrary:
        denied = [" (denied)" if one.negated else "" for one in (mine, theirs)]
        found.append(
            f"The claim says “{mine.word}”{denied[0]}, the evidence “{theirs.word}”{denied[1]}."
        )
    if features.denied:
        found.append("One of the two denies what the other says.")
    if features.swapped:
        found.append("The sides of the comparison have changed places.")
    if features.overstated:
        found.append("The claim is certain where the evidence is not.")
    return found
