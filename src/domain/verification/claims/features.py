"""What a claim and a sentence of its source have in common, and where they part, as numbers."""

from collections.abc import Sequence
from typing import Final, NamedTuple

from citeloom.domain.text.terms import Term, terms
from citeloom.domain.value import Value
from citeloom.domain.verification.claims.counted_nouns import counted, may_replace, unstated
from citeloom.domain.verification.claims.polarity import (
    Direction,
    Negation,
    are_opposed,
    certainties,
    comparison,
    directions,
    go_together,
    hedges,
    negations,
)
from citeloom.domain.verification.claims.quantity import Quantity, missing
from citeloom.domain.verification.claims.quantity_extraction import quantities

# Names and abbreviations say more of what is spoken of than other words.
_NAME_WEIGHT: Final = 2.0
# From this coverage on a claim repeats a sentence word for word.
_VERBATIM: Final = 0.85
# So many content words on each side tell which of several direction words is meant.
_AROUND: Final = 4


class Read(NamedTuple):
    """A sentence with all that is looked at in it."""

    text: str
    terms: tuple[Term, ...]
    quantities: tuple[Quantity, ...]
    directions: tuple[Direction, ...]
    negations: tuple[Negation, ...]


class Features(Value):
    """How a claim stands to its best evidence sentence; shares and the score are in 0..1.

    ``score`` is the retrieval score, ``nearest`` the highest one of all the evidence;
    ``coverage`` the share of the claim's content words in the sentence, ``context`` that in
    it and its neighbours, ``whole`` that in all the evidence, ``names`` that of names and
    abbreviations (1 without any); ``missing`` the share of the claim's quantities that
    sentence and neighbours do not state; ``conflict`` whether the sentence has another
    quantity of that kind instead; ``along`` and ``opposed`` count direction words that agree
    and that are contrary; ``denied`` is the share of common words that one of the two denies,
    ``one_denies`` whether only one has a negation at all; ``swapped`` whether what is compared
    has changed places; ``overstated`` whether the claim
    is sure where the source is not."""

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


class Compared(NamedTuple):
    """The features, and what they were read from, for a person to check."""

    features: Features
    unsaid: tuple[str, ...]
    absent: tuple[Quantity, ...]
    instead: tuple[Quantity, ...]
    contrary: tuple[tuple[Direction, Direction], ...]


def read(text: str) -> Read:
    """A sentence, taken apart."""
    return Read(text, terms(text), quantities(text), directions(text), negations(text))


def coverage(claim: Read, stems: frozenset[str]) -> float:
    """The share of a claim's content words among ``stems``, names counting double."""
    weights = {
        term.stem: _NAME_WEIGHT if term.is_name else 1.0
        for term in sorted(claim.terms, key=lambda term: term.is_name)
    }
    whole = sum(weights.values())
    return sum(w for s, w in weights.items() if s in stems) / whole if whole else 0.0


def stems_of(*sentences: Read) -> frozenset[str]:
    """The content words of sentences."""
    return frozenset(term.stem for sentence in sentences for term in sentence.terms)


def compare(
    claim: Read,
    best: Read,
    around: Sequence[Read],
    *,
    score: float,
    nearest: float,
    whole: float,
) -> Compared:
    """A claim against its best sentence; ``around`` are the sentences before and after it.
    For the numbers see ``Features``."""
    near = stems_of(best)
    wide = stems_of(best, *around)
    named = {term.stem for term in claim.terms if term.is_name}
    stated = [one for sentence in (best, *around) for one in sentence.quantities]
    absent = unstated(claim.quantities, stated)
    instead = _instead(claim, best, absent, coverage(claim, near) >= _VERBATIM)
    along, contrary = _aligned(claim, best)
    crossed = _crossed(claim, best)
    if crossed and contrary:  # "B is lower than A" is what "A is higher than B" says
        along, contrary, crossed = along + 1, (), False
    return Compared(
        Features(
            score=score,
            nearest=nearest,
            coverage=coverage(claim, near),
            context=coverage(claim, wide),
            whole=whole,
            names=len(named & wide) / len(named) if named else 1.0,
            missing=len(absent) / len(claim.quantities) if claim.quantities else 0.0,
            conflict=bool(instead),
            along=along,
            opposed=len(contrary),
            denied=_denied(claim, best),
            one_denies=bool(claim.negations) != bool(best.negations),
            swapped=crossed,
            overstated=bool(hedges(best.text))
            and not hedges(claim.text)
            and bool(certainties(claim.text))
            and not certainties(best.text),
        ),
        tuple(dict.fromkeys(_word(claim, t) for t in claim.terms if t.stem not in wide)),
        absent,
        instead,
        contrary,
    )


def _instead(
    claim: Read, best: Read, absent: Sequence[Quantity], verbatim: bool
) -> tuple[Quantity, ...]:
    """The sentence's own quantities of the kind of those that the claim has and it has not.
    Where the claim repeats it, what its neighbours state is no excuse, and as many but other
    quantities are other ones."""
    if verbatim:
        absent = unstated(claim.quantities, best.quantities)
    others = missing(best.quantities, claim.quantities)
    if verbatim and len(claim.quantities) == len(best.quantities):
        return others
    of_claim = [(one, counted(one, claim.terms, claim.text)) for one in absent]
    return tuple(
        one
        for one in others
        if any(may_replace(one, counted(one, best.terms, best.text), *of) for of in of_claim)
    )


def _word(sentence: Read, term: Term) -> str:
    return sentence.text[term.start : term.end]


def _aligned(claim: Read, best: Read) -> tuple[int, tuple[tuple[Direction, Direction], ...]]:
    """How many direction words go along with the source, and the pairs that do not. Each is
    paired with the one that has most of the same words around it: first with the same word,
    then with what is left of its kind."""
    pairs: list[tuple[Direction, Direction]] = []
    left = list(best.directions)
    waiting: list[Direction] = []

    def pair(one: Direction, rivals: Sequence[Direction]) -> None:
        mine = _neighbours(claim, one)
        other = max(rivals, key=lambda o: (len(mine & _neighbours(best, o)), go_together(one, o)))
        left.remove(other)
        pairs.append((one, other))

    for one in claim.directions:
        if same := [other for other in left if other.word == one.word]:
            pair(one, same)
        else:
            waiting.append(one)
    for one in waiting:
        if kin := [o for o in left if go_together(one, o) or are_opposed(one, o)]:
            pair(one, kin)
    contrary = tuple(
        (one, other)
        for one, other in pairs
        if go_together(one, other) != (one.negated == other.negated)
    )
    return len(pairs) - len(contrary), contrary


def _neighbours(sentence: Read, direction: Direction) -> frozenset[str]:
    before = [t.stem for t in sentence.terms if t.end <= direction.start]
    after = [t.stem for t in sentence.terms if t.start >= direction.end]
    return frozenset(before[-_AROUND:] + after[:_AROUND])


def _denied(claim: Read, best: Read) -> float:
    """The share of common content words that stand in the scope of a negation in one of the
    two only; 0 where both deny as often."""
    mine, theirs = _states(claim), _states(best)
    common = mine.keys() & theirs.keys()
    if not common:
        return 0.0
    if _denials(claim, common) == _denials(best, common):
        return 0.0
    return sum(not mine[stem] & theirs[stem] for stem in common) / len(common)


def _states(sentence: Read) -> dict[str, set[bool]]:
    """Whether each word stands under an odd number of negations, once for each place."""
    found: dict[str, set[bool]] = {}
    for term in sentence.terms:
        count = sum(one.end <= term.start < one.scope for one in sentence.negations)
        found.setdefault(term.stem, set()).add(count % 2 == 1)
    return found


def _denials(sentence: Read, stems: set[str]) -> int:
    return sum(
        any(t.stem in stems and one.end <= t.start < one.scope for t in sentence.terms)
        for one in sentence.negations
    )


def _crossed(claim: Read, best: Read) -> bool:
    """Whether the one side of the claim's comparison is the other side of the source's."""
    mine, theirs = comparison(claim.text), comparison(best.text)
    if mine is None or theirs is None:
        return False
    left, right = _sides(claim, mine.middle, mine.after)
    other_left, other_right = _sides(best, theirs.middle, theirs.after)
    straight = len(left & other_left) + len(right & other_right)
    crossed = len(left & other_right) + len(right & other_left)
    return crossed > straight and bool(left & other_right) and bool(right & other_left)


def _sides(sentence: Read, middle: int, after: int) -> tuple[set[str], set[str]]:
    left = {t.stem for t in sentence.terms if t.end <= middle}
    right = {t.stem for t in sentence.terms if t.start >= after}
    return left - right, right - left
