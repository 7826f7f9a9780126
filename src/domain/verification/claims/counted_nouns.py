"""What a number counts: *16 points*, *two readings*, and *d = 1.15* nothing."""

import re
from collections.abc import Iterable, Sequence
from typing import Final

from citeloom.domain.text.terms import Term
from citeloom.domain.verification.claims.quantity import Quantity, missing

# "two short readings": so many words after a number say what it counts.
_WORDS: Final = 3
_PHRASE: Final = re.compile(rf"(?:[\s\u00a0-]+[^\W\d_][\w’'-]*){{1,{_WORDS}}}")


def may_replace(
    one: Quantity, mine: frozenset[str], other: Quantity, theirs: frozenset[str]
) -> bool:
    """Whether one can stand in the other's place: the same unit, and where neither has one,
    the same things ``counted``, or nothing by both."""
    if one.unit != other.unit or one.kind != other.kind:
        return False
    return bool(one.unit) or one.kind != "number" or bool(mine & theirs) or not (mine or theirs)


def counted(quantity: Quantity, terms: Iterable[Term], text: str) -> frozenset[str]:
    """The stems of the content words right after a number, up to punctuation."""
    phrase = _PHRASE.match(text, quantity.end)
    end = phrase.end() if phrase else quantity.end
    return frozenset(t.stem for t in terms if quantity.end <= t.start < end)


def unstated(claimed: Iterable[Quantity], stated: Sequence[Quantity]) -> tuple[Quantity, ...]:
    """``missing``, but who writes of a *second* reading has said that there were two."""
    ordinals = {one.value for one in stated if one.kind == "ordinal"}
    return tuple(
        one
        for one in missing(claimed, stated)
        if not (_is_count_in_words(one) and one.value in ordinals)
    )


def _is_count_in_words(one: Quantity) -> bool:
    return one.kind == "number" and not one.unit and one.text.isalpha()
