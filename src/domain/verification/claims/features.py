"""Numeric features of a claim against the best sentence of its evidence."""

from collections.abc import Sequence
from typing import Final, NamedTuple

from citeloom.domain.text.terms import Term, terms
from citeloom.domain.value import Value
from citeloom.domain.verification.claims.counted_nouns import counted_stems, is_comparable, unstated
from citeloom.domain.verification.claims.polarity import (
    Direction,
    Negation,
    are_aligned,
    are_opposed,
    comparison,
    count_certainties,
    count_hedges,
    directions,
    negations,
)
from citeloom.domain.verification.claims.quantity import Quantity, missing_quantities
from citeloom.domain.verification.claims.quantity_extraction import quantities

# Weight of names and abbreviations relative to other content words.
_NAME_WEIGHT: Final = 2.0
# Minimum coverage of a claim that repeats a sentence verbatim.
_VERBATIM: Final = 0.85
# Content words on each side by which direction words are paired.
_WINDOW: Final = 4


class ParsedSentence(NamedTuple):
    """A sentence with its terms, quantities, directions and negations."""

    text: str
    terms: tuple[Term, ...]
    quantities: tuple[Quantity, ...]
    directions: tuple[Direction, ...]
    negations: tuple[Negation, ...]


class Features(Value):
    """A claim against its best evidence sentence; shares and scores are in 0..1.

    ``score`` is the retrieval score, ``nearest`` the highest of all the evidence; ``coverage``
    the share of the claim's content words in the sentence, ``context`` in it and its
    neighbours, ``whole`` in all the evidence, ``names`` that of names and abbreviations (1
    without any); ``missing`` the share of the claim's quantities that sentence and neighbours
    do not state; ``conflict``: the sentence has another comparable quantity; ``along`` and
    ``opposed`` count agreeing and opposed direction words; ``denied`` is the share of common
    words negated in one of the two only; ``one_denies``: only one has a negation; ``swapped``:
    the sides of a comparison changed places; ``overstated``: the claim is certain, the source
    hedged."""

    score: float
    nearest: float
    coverage: float
    context: float
    whole: float
    names: float
    missing: float
    conflict: bool
    along: int
    opposed: int
    denied: float
    one_denies: bool
    swapped: bool
    overstated: bool


class ClaimComparison(NamedTuple):
    """The features with the words and quantities behind them, for people to check."""

    features: Features
    unsupported_words: tuple[str, ...]
    missing_quantities: tuple[Quantity, ...]
    conflicting_quantities: tuple[Quantity, ...]
    opposed_directions: tuple[tuple[Direction, Direction], ...]


def parse_sentence(text: str) -> ParsedSentence:
    return ParsedSentence(text, terms(text), quantities(text), directions(text), negations(text))


def coverage(claim: ParsedSentence, stems: frozenset[str]) -> float:
    """Share of a claim's content words among ``stems``, names counting double."""
    weights = {
        term.stem: _NAME_WEIGHT if term.is_name else 1.0
        for term in sorted(claim.terms, key=lambda term: term.is_name)
    }
    total = sum(weights.values())
    return sum(w for s, w in weights.items() if s in stems) / total if total else 0.0


def stems_of(*sentences: ParsedSentence) -> frozenset[str]:
    """Stems of the content words of ``sentences``."""
    return frozenset(term.stem for sentence in sentences for term in sentence.terms)


def compare(
    claim: ParsedSentence,
    best: ParsedSentence,
    around: Sequence[ParsedSentence],
    *,
    score: float,
    nearest: float,
    whole: float,
) -> ClaimComparison:
    """A claim against its best sentence; ``around`` are the sentences before and after it. The
    other arguments are as in ``Features``."""
    best_stems = stems_of(best)
    context_stems = stems_of(best, *around)
    name_stems = {term.stem for term in claim.terms if term.is_name}
    stated = [one for sentence in (best, *around) for one in sentence.quantities]
    unmatched = unstated(claim.quantities, stated)
    conflicting = _conflicting_quantities(
        claim, best, unmatched, coverage(claim, best_stems) >= _VERBATIM
    )
    along, contrary = _aligned_directions(claim, best)
    swapped = _sides_are_swapped(claim, best)
    if swapped and contrary:  # "B is lower than A" is what "A is higher than B" says
        along, contrary, swapped = along + 1, (), False
    return ClaimComparison(
        Features(
            score=score,
            nearest=nearest,
            coverage=coverage(claim, best_stems),
            context=coverage(claim, context_stems),
            whole=whole,
            names=len(name_stems & context_stems) / len(name_stems) if name_stems else 1.0,
            missing=len(unmatched) / len(claim.quantities) if claim.quantities else 0.0,
            conflict=bool(conflicting),
            along=along,
            opposed=len(contrary),
            denied=_negation_difference(claim, best),
            one_denies=bool(claim.negations) != bool(best.negations),
            swapped=swapped,
            overstated=bool(count_hedges(best.text))
            and not count_hedges(claim.text)
            and bool(count_certainties(claim.text))
            and not count_certainties(best.text),
        ),
        tuple(dict.fromkeys(_word(claim, t) for t in claim.terms if t.stem not in context_stems)),
        unmatched,
        conflicting,
        contrary,
    )


def _conflicting_quantities(
    claim: ParsedSentence,
    best: ParsedSentence,
    unmatched: Sequence[Quantity],
    verbatim: bool,
) -> tuple[Quantity, ...]:
    """Quantities of the sentence that are comparable to unmatched ones of the claim. If the claim
    repeats the sentence verbatim, neighbours do not count, and with equally many quantities
    each that differs is in conflict."""
    if verbatim:
        unmatched = unstated(claim.quantities, best.quantities)
    others = missing_quantities(best.quantities, claim.quantities)
    if verbatim and len(claim.quantities) == len(best.quantities):
        return others
    of_claim = [(one, counted_stems(one, claim.terms, claim.text)) for one in unmatched]
    return tuple(
        one
        for one in others
        if any(
            is_comparable(one, counted_stems(one, best.terms, best.text), *of) for of in of_claim
        )
    )


def _word(sentence: ParsedSentence, term: Term) -> str:
    return sentence.text[term.start : term.end]


def _aligned_directions(
    claim: ParsedSentence, best: ParsedSentence
) -> tuple[int, tuple[tuple[Direction, Direction], ...]]:
    """The number of direction words that agree with the source, and the opposed pairs. Each is
    paired with the one of most common surrounding words: first among equal words, then among
    the rest of its axis."""
    pairs: list[tuple[Direction, Direction]] = []
    unpaired = list(best.directions)
    deferred: list[Direction] = []

    def pair(one: Direction, candidates: Sequence[Direction]) -> None:
        mine = _surrounding_stems(claim, one)
        other = max(
            candidates, key=lambda o: (len(mine & _surrounding_stems(best, o)), are_aligned(one, o))
        )
        unpaired.remove(other)
        pairs.append((one, other))

    for one in claim.directions:
        if same := [other for other in unpaired if other.word == one.word]:
            pair(one, same)
        else:
            deferred.append(one)
    for one in deferred:
        if related := [o for o in unpaired if are_aligned(one, o) or are_opposed(one, o)]:
            pair(one, related)
    contrary = tuple(
        (one, other)
        for one, other in pairs
        if are_aligned(one, other) != (one.negated == other.negated)
    )
    return len(pairs) - len(contrary), contrary


def _surrounding_stems(sentence: ParsedSentence, direction: Direction) -> frozenset[str]:
    before = [t.stem for t in sentence.terms if t.end <= direction.start]
    after = [t.stem for t in sentence.terms if t.start >= direction.end]
    return frozenset(before[-_WINDOW:] + after[:_WINDOW])


def _negation_difference(claim: ParsedSentence, best: ParsedSentence) -> float:
    """Share of common content words in the scope of a negation in one of the two only; 0 if both
    have equally many negations."""
    claim_states, best_states = _negation_states(claim), _negation_states(best)
    common = claim_states.keys() & best_states.keys()
    if not common:
        return 0.0
    if _count_negations(claim, common) == _count_negations(best, common):
        return 0.0
    return sum(not claim_states[stem] & best_states[stem] for stem in common) / len(common)


def _negation_states(sentence: ParsedSentence) -> dict[str, set[bool]]:
    """For each stem, whether its occurrences are under an odd number of negations."""
    states: dict[str, set[bool]] = {}
    for term in sentence.terms:
        count = sum(one.end <= term.start < one.scope for one in sentence.negations)
        states.setdefault(term.stem, set()).add(count % 2 == 1)
    return states


def _count_negations(sentence: ParsedSentence, stems: set[str]) -> int:
    return sum(
        any(t.stem in stems and one.end <= t.start < one.scope for t in sentence.terms)
        for one in sentence.negations
    )


def _sides_are_swapped(claim: ParsedSentence, best: ParsedSentence) -> bool:
    """Whether the sides of the claim's comparison are swapped in the source."""
    mine, theirs = comparison(claim.text), comparison(best.text)
    if mine is None or theirs is None:
        return False
    left, right = _sides(claim, mine.middle, mine.after)
    other_left, other_right = _sides(best, theirs.middle, theirs.after)
    straight = len(left & other_left) + len(right & other_right)
    crossed = len(left & other_right) + len(right & other_left)
    return crossed > straight and bool(left & other_right) and bool(right & other_left)


def _sides(sentence: ParsedSentence, middle: int, after: int) -> tuple[set[str], set[str]]:
    left = {t.stem for t in sentence.terms if t.end <= middle}
    right = {t.stem for t in sentence.terms if t.start >= after}
    return left - right, right - left
