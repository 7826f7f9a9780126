"""Judgement of a claim against sentences of a source, by rules.

Support and contradiction are claimed only of a sentence that the claim repeats or paraphrases
word by word: nothing that matters may be added, changed or left out, or exactly one thing that
decides (a number, a negation, a direction, a member of a series). Anything else is not
established.
"""

from collections.abc import Sequence
from typing import Final, NamedTuple

from pydantic import Field

from citeloom.domain.value import Value
from citeloom.domain.verification.claims.contradictions import contradictions
from citeloom.domain.verification.claims.faithfulness import (
    Deviation,
    DeviationKind,
    deviations,
)
from citeloom.domain.verification.claims.parsed_sentence import (
    ParsedSentence,
    coverage,
    parse_claim,
    parse_sentence,
    stems_of,
)
from citeloom.domain.verification.quantities.counted_nouns import unstated
from citeloom.domain.verification.verdict import Basis, Verdict

# Minimum weighted coverage of a claim that may be a paraphrase of a sentence, and of one that
# repeats it.
_PARAPHRASED: Final = 0.6
_REPEATED: Final = 0.8
_LEAVES_A_PART: Final = frozenset({DeviationKind.RESERVATION, DeviationKind.NUMBER})
_MAX_SHOWN: Final = 6
# Of a model the probability from which its verdicts count.
_CERTAINTY: Final = {Basis.EXACT: 1.0, Basis.JUDGED: 0.8}


class SourceSentence(NamedTuple):
    """A sentence of the source; ``score`` is its cosine to the claim, 0..1. ``place`` is its
    index in the source, by which adjacent sentences are the context; None where unknown."""

    text: str
    score: float
    place: int | None = None


class Judgement(Value):
    """``best`` is the index of the deciding or nearest evidence, None without any; ``confidence``
    the measured probability that the verdict is right, None where it was not measured;
    ``reasons`` are sentences that a person can check. ``basis`` is None for NOT_ESTABLISHED.
    ``provisional``: by rules alone, since the model that was to decide gave no usable answer."""

    verdict: Verdict
    basis: Basis | None = Basis.EXACT
    confidence: float | None = Field(default=None, ge=0, le=1)
    best: int | None = None
    reasons: tuple[str, ...] = ()
    provisional: bool = False

    @property
    def certainty(self) -> float:
        """The confidence; without one 1 for an exact verdict, 0.8 for a model's, 0 where nothing
        is established."""
        if self.confidence is not None:
            return self.confidence
        return 0.0 if self.basis is None else _CERTAINTY[self.basis]


def judge(claim: str, evidence: Sequence[SourceSentence]) -> Judgement:
    """The verdict of one source's sentences on ``claim``, a single statement."""
    if not evidence:
        return Judgement(
            verdict=Verdict.UNSUPPORTED, reasons=("The source has no sentence on this.",)
        )
    parsed_claim = parse_claim(claim)
    sentences = [parse_sentence(one.text) for one in evidence]
    covered = [coverage(parsed_claim, stems_of(sentence)) for sentence in sentences]
    found = {
        n: deviations(parsed_claim, sentence)
        for n, sentence in enumerate(sentences)
        if covered[n] >= _PARAPHRASED
    }
    if faithful := [n for n, differing in found.items() if not differing]:
        best = max(faithful, key=lambda n: evidence[n].score)
        return Judgement(
            verdict=Verdict.SUPPORTED,
            best=best,
            reasons=("The evidence says all of it: words, names, numbers, reservations.",),
        )
    best = _nearest(parsed_claim, sentences, [one.score for one in evidence], covered)
    if wrong := contradictions(parsed_claim, sentences, best):
        return Judgement(verdict=Verdict.CONTRADICTED, best=best, reasons=wrong)
    return _undecided(parsed_claim, sentences, best, found.get(best), covered[best])


def _nearest(
    claim: ParsedSentence,
    sentences: Sequence[ParsedSentence],
    scores: Sequence[float],
    covered: Sequence[float],
) -> int:
    """The sentence with most of the claim's words and meaning; of those with as many of its words
    one that states all its numbers."""
    places = range(len(sentences))
    best = max(places, key=lambda n: scores[n] + covered[n])
    if unstated(claim.quantities, sentences[best].quantities):
        stating = [
            n
            for n in places
            if covered[n] >= covered[best]
            and not unstated(claim.quantities, sentences[n].quantities)
        ]
        best = max(stating, key=lambda n: scores[n] + covered[n], default=best)
    return best


def _undecided(
    claim: ParsedSentence,
    sentences: Sequence[ParsedSentence],
    best: int,
    differing: Sequence[Deviation] | None,
    covered: float,
) -> Judgement:
    """PARTIAL if only reservations and numbers are missing, else NOT_ESTABLISHED."""
    if differing is None:
        reasons = tuple(_missing(claim, sentences[best]))
        return Judgement(verdict=Verdict.NOT_ESTABLISHED, basis=None, best=best, reasons=reasons)
    reasons = tuple(dict.fromkeys(one.text for one in differing))
    kinds = {one.kind for one in differing}
    absent = unstated(claim.quantities, [q for one in sentences for q in one.quantities])
    leaves_a_part = kinds <= _LEAVES_A_PART and (DeviationKind.NUMBER not in kinds or absent)
    if covered >= _REPEATED and leaves_a_part:
        return Judgement(verdict=Verdict.PARTIAL, best=best, reasons=reasons)
    return Judgement(verdict=Verdict.NOT_ESTABLISHED, basis=None, best=best, reasons=reasons)


def _missing(claim: ParsedSentence, source: ParsedSentence) -> list[str]:
    """One sentence for the words and one for each number that the source does not have."""
    known = stems_of(source)
    absent = dict.fromkeys(
        claim.text[term.start : term.end] for term in claim.terms if term.stem not in known
    )
    reasons = []
    if absent:
        shown = ", ".join(f"“{word}”" for word in list(absent)[:_MAX_SHOWN])
        reasons.append(f"The nearest sentence does not have {shown}.")
    reasons += [
        f"The nearest sentence does not state “{one.text}”."
        for one in unstated(claim.quantities, source.quantities)
    ]
    return reasons
