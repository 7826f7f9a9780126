"""Another number for the same, another name of a series, a *not* put in: plain enough to
decide alone."""

import re
from collections.abc import Sequence
from typing import Final

from citeloom.domain.verification.claims.counted_nouns import counted, may_replace, unstated
from citeloom.domain.verification.claims.features import Read, coverage, stems_of
from citeloom.domain.verification.claims.quantity import Quantity, missing

# Of the claim's content words, weighted, that the sentence has where it speaks of the same.
_SAME_SUBJECT: Final = 0.6
# Of those that it has where it repeats the sentence but for a name.
_REPEATED: Final = 0.75
# And where it has but a negation more.
_ALL: Final = 0.95
_NUMBERED: Final = re.compile(
    r"(?<![\w.-])(?P<series>[^\W\d_]+)[-\u2010\u2011\s]?(?P<number>\d+(?:\.\d+)*)(?![\d%])"
)


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


def puts_in_a_negation(claim: Read, source: Read) -> bool:
    """Whether a claim repeats a sentence that denies nothing, and does. (One that denies nothing
    may well repeat half of a sentence that does.)"""
    if source.negations or not claim.negations:
        return False
    return coverage(claim, stems_of(source)) >= _ALL


def other_names(claim: Read, source: Read) -> tuple[tuple[str, str], ...]:
    """Numbered names of the claim, and those of the same series that the source has instead:
    *IL-6* and *IL-8*, *Phase 2* and *Phase 3*. None where much else is different."""
    if coverage(claim, stems_of(source)) < _REPEATED:
        return ()
    mine, theirs = _numbered(claim), _numbered(source)
    return tuple(
        (written, other)
        for (series, number), written in mine.items()
        if (series, number) not in theirs
        for (same, another), other in theirs.items()
        if same == series and (same, another) not in mine
    )


def _numbered(sentence: Read) -> dict[tuple[str, str], str]:
    taken = [(one.start, one.end) for one in sentence.quantities]
    return {
        (match["series"].casefold(), match["number"]): match[0]
        for match in _NUMBERED.finditer(sentence.text)
        if not any(start < match.end() and match.start() < end for start, end in taken)
    }


def _stands_for(one: Quantity, claim: Read, other: Quantity, source: Read) -> bool:
    mine = counted(one, claim.terms, claim.text)
    theirs = counted(other, source.terms, source.text)
    if not one.unit and one.kind == "number" and not mine & theirs:
        return False
    return may_replace(one, mine, other, theirs)
