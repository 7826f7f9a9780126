"""A reworded claim that gives another number for the same: plain enough to decide by itself."""

from collections.abc import Sequence
from typing import Final

from citeloom.domain.claims.comparing import Read, coverage, stems_of
from citeloom.domain.claims.counting import counted, may_replace, unstated
from citeloom.domain.claims.quantity import Quantity, missing

# Of the claim's content words, weighted, that the sentence has where it speaks of the same.
_SAME_SUBJECT: Final = 0.6


def other_number(claim: Read, sentences: Sequence[Read], best: int) -> bool:
    """Whether the best sentence speaks of what the claim does and has another number where no
    sentence of the evidence has the claim's: of the same unit, or of the same things."""
    if coverage(claim, stems_of(sentences[best])) < _SAME_SUBJECT:
        return False
    stated = [one for sentence in sentences for one in sentence.quantities]
    absent = unstated(claim.quantities, stated)
    others = missing(sentences[best].quantities, claim.quantities)
    return any(
        _stands_for(one, claim, other, sentences[best]) for one in absent for other in others
    )


def _stands_for(one: Quantity, claim: Read, other: Quantity, source: Read) -> bool:
    mine = counted(one, claim.terms, claim.text)
    theirs = counted(other, source.terms, source.text)
    if not one.unit and one.kind == "number" and not mine & theirs:
        return False
    return may_replace(one, mine, other, theirs)
