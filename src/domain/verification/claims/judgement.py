"""The judgement of a claim by rules.

Support and contradiction are claimed only of a sentence that the claim repeats or paraphrases word
by word: nothing that matters may be added, changed or left out, or exactly one thing that decides
(a number, a negation, a direction, a member of a series). Anything else is not established.
"""

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from typing import Final, NamedTuple

from pydantic import Field

from citeloom.domain.value import Value
from citeloom.domain.verification.quantities.quantity import unstated
from citeloom.domain.verification.verdict import Basis, Verdict

from .contradictions import contradictions
from .faithfulness import Deviation, DeviationKind, deviations
from .parsed_sentence import (
    ParsedSentence,
    coverage,
    parse_claim,
    parse_sentence,
    stems_of,
    without_asides,
)
from .reasons import missing, told_once

# Minimum weighted coverage of a claim that may be a paraphrase of a sentence, and of one that
# repeats it, as it is or with a word changed.
_PARAPHRASED: Final = 0.6
_REPEATED: Final = 0.8
_CHANGED: Final = 0.7
_LEAVES_A_PART: Final = frozenset(map(DeviationKind, "reservation scope number".split()))
_NAMED: Final = frozenset(map(DeviationKind, "reservation addition cause replaced".split()))
# What weighs most is told first.
_MAX_REASONS: Final = 3
_BY_WEIGHT: Final = (
    "number direction polarity replaced word reservation shade reason scope addition cause"
    " order".split()
)
_WEIGHTS: Final = [
    (is_hard, kind) for is_hard in (True, False) for kind in map(DeviationKind, _BY_WEIGHT)
] + [(True, DeviationKind.APART), (False, DeviationKind.APART)]
# Of a model the probability from which its verdicts count.
_CERTAINTY: Final = {Basis.EXACT: 1.0, Basis.JUDGED: 0.8}


class SourceSentence(NamedTuple):
    """A sentence of the source; ``score`` is its cosine to the claim, 0..1. ``place`` is its
    index in the source, by which adjacent sentences are the context; None where unknown.
    ``subject`` is the title of the source, which a sentence may call *it*."""

    text: str
    score: float
    place: int | None = None
    subject: str = ""


class Judgement(Value):
    """``best`` is the index of the deciding or nearest evidence, None without any; ``also`` those
    of the sentences that decide together with it; ``confidence`` the measured probability that the
    verdict is right, None where it was not measured; ``reasons`` are sentences that a person can
    check. ``basis`` is None for NOT_ESTABLISHED, and for PARTIAL where a model
    finds support unlikely. ``leaning``: the probability of support that a model gives ``best`` of
    an open claim, if it is likely. ``provisional``: by rules alone, since the model that was to
    decide gave no usable answer."""

    verdict: Verdict
    basis: Basis | None = Basis.EXACT
    confidence: float | None = Field(default=None, ge=0, le=1)
    best: int | None = None
    also: tuple[int, ...] = ()
    reasons: tuple[str, ...] = ()
    leaning: float = 0.0
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
            reasons=("The source says all of it: words, names, numbers, reservations.",),
        )
    best = _nearest(parsed_claim, sentences, [one.score for one in evidence], covered)
    wrong = contradictions(parsed_claim, sentences, best)
    if not wrong:
        sentences[best] = parse_sentence(without_asides(parsed_claim, sentences[best]))
        wrong = contradictions(parsed_claim, sentences, best)
    if wrong:
        return Judgement(verdict=Verdict.CONTRADICTED, best=best, reasons=wrong)
    subject = stems_of(parse_sentence(evidence[best].subject))
    return _undecided(parsed_claim, sentences, best, found.get(best), covered[best], subject)


def _nearest(
    claim: ParsedSentence,
    sentences: Sequence[ParsedSentence],
    scores: Sequence[float],
    covered: Sequence[float],
) -> int:
    """The sentence with most of the claim's words and meaning; of those with as many of its words
    one that states most of its numbers."""
    places = range(len(sentences))
    best = max(places, key=lambda n: scores[n] + covered[n])
    return min(
        (n for n in places if covered[n] >= covered[best]),
        key=lambda n: (
            len(unstated(claim.quantities, sentences[n].quantities)),
            -scores[n] - covered[n],
        ),
    )


def _undecided(
    claim: ParsedSentence,
    sentences: Sequence[ParsedSentence],
    best: int,
    differing: Sequence[Deviation] | None,
    covered: float,
    subject: AbstractSet[str],
) -> Judgement:
    """PARTIAL if the sentence is repeated and what was changed can be named, or only reservations
    and numbers are missing; else NOT_ESTABLISHED."""
    if differing is None:
        reasons = told_once(missing(claim, sentences[best]), subject)
        return Judgement(verdict=Verdict.NOT_ESTABLISHED, basis=None, best=best, reasons=reasons)
    weighty = [one for one in differing if one.kind is not DeviationKind.APART] or differing
    ordered = sorted(weighty, key=lambda one: _WEIGHTS.index((one.is_hard, one.kind)))
    reasons = told_once([one.text for one in ordered], subject)[:_MAX_REASONS]
    kinds = {one.kind for one in differing}
    absent = unstated(claim.quantities, [q for one in sentences for q in one.quantities])
    leaves_a_part = kinds <= _LEAVES_A_PART and (DeviationKind.NUMBER not in kinds or absent)
    hard = {one.kind for one in differing if one.is_hard}
    is_named = covered >= _CHANGED and bool(hard) and hard <= _NAMED
    if is_named or (covered >= _REPEATED and leaves_a_part):
        return Judgement(verdict=Verdict.PARTIAL, best=best, reasons=reasons)
    return Judgement(verdict=Verdict.NOT_ESTABLISHED, basis=None, best=best, reasons=reasons)
