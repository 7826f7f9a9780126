"""Nouns counted by a quantity: *16 points*, *two readings*; none in *d = 1.15*."""

import re
from collections.abc import Iterable, Sequence
from typing import Final

from citeloom.domain.text.terms import Term
from citeloom.domain.verification.quantities.quantity import Quantity, missing_quantities

# "two short readings": maximum length of a counted noun phrase, in words.
_WORDS: Final = 3
_PHRASE: Final = re.compile(
    r"(?:\sor\s(?:more|fewer|less))?"
    r"(?:[\s\u00a0-]+(?!(?:to|in|for|with|and|or|by|at|on|from|than|as|per)\b)[^\W\d_][\w’'-]*)"
    rf"{{1,{_WORDS}}}"
)


def is_comparable(
    one: Quantity, counted: frozenset[str], other: Quantity, other_counted: frozenset[str]
) -> bool:
    """Whether two quantities measure the same: equal unit, or without units a common counted
    noun, or none on either side."""
    if one.unit != other.unit or one.kind != other.kind:
        return False
    return (
        bool(one.unit)
        or one.kind != "number"
        or bool(counted & other_counted)
        or not (counted or other_counted)
    )


def counted_stems(quantity: Quantity, terms: Iterable[Term], text: str) -> frozenset[str]:
    """The stems of the content words right after a number, up to punctuation."""
    phrase = _PHRASE.match(text, quantity.end)
    end = phrase.end() if phrase else quantity.end
    return frozenset(t.stem for t in terms if quantity.end <= t.start < end)


def unstated(claimed: Iterable[Quantity], stated: Sequence[Quantity]) -> tuple[Quantity, ...]:
    """``missing_quantities``, except counts that an ordinal implies (*second*: two)."""
    ordinals = {one.value for one in stated if one.kind == "ordinal"}
    return tuple(
        one
        for one in missing_quantities(claimed, stated)
        if not (_is_count_in_words(one) and one.value in ordinals)
    )


def _is_count_in_words(one: Quantity) -> bool:
    return one.kind == "number" and not one.unit and one.text.isalpha()
