"""Which way a sentence goes: what it denies, which direction it names, how sure it is.

Word lists of our own, for the English of papers. The scope of a negation is rough: what
follows it up to the end of its clause, eight words at most (most negation scopes of the
BioScope corpus, Vincze et al. 2008, end with their clause).
"""

import re
from collections.abc import Iterator
from typing import Final, Literal, NamedTuple

from citeloom.domain.claims.terms import stem

Axis = Literal["amount", "effect", "quality", "relation", "order", "presence"]

_SCOPE: Final = 8
_NEGATION: Final = re.compile(
    r"\b(?:no(?! (?:more|less|fewer) than)(?! doubt)|not(?! only)|never|without|neither|nor|none|"
    r"cannot|lack(?:s|ed|ing)?(?: of)?|absence of|absent|fail(?:s|ed|ing|ure)? (?:to|in)|"
    r"unable to|rather than|instead of|free of|devoid of|hardly|barely|unlikely|rul(?:e|es|ed) "
    r"out|n[eo]ither|few(?! of)|little(?! by))\b|n['’]t\b",
    re.IGNORECASE,
)
_CLAUSE_END: Final = re.compile(
    r"[.;:?!]|,\s|\b(?:but|although|though|whereas|while|however|because|which|unless|except)\b",
    re.IGNORECASE,
)
_WORD: Final = re.compile(r"[^\W\d_]+(?:[-\u2010\u2011'’][^\W\d_]+)*")

# On each axis: words of the one direction | words of the other.
_OPPOSITES: Final[tuple[tuple[Axis, str], ...]] = (
    (
        "amount",
        "increase increasing rise rises rising rose risen raise higher high highest more most "
        "greater great greatest larger large largest elevate elevation upregulate upregulation "
        "up-regulate up-regulation gain grow grew grown growth expand expansion accelerate "
        "augment faster fast longer long above exceed exceeding multiply maximize maximum many "
        "up heighten overexpress overexpression majority frequent frequently often older "
        "| decrease decreasing decline fall falls falling fell fallen lower low lowest less least "
        "fewer smaller small smallest drop reduce reduction diminish downregulate downregulation "
        "down-regulate down-regulation lose loss shrink shrank shrinkage decelerate slower slow "
        "shorter short below lessen minimize minimum attenuate down minority rare rarely seldom "
        "depress younger deplete depletion",
    ),
    (
        "effect",
        "promote stimulate activate activation induce induction enhance enhancement facilitate "
        "enable trigger cause support boost allow encourage "
        "| inhibit inhibition suppress suppression deactivate inactivate block prevent prevention "
        "impede impair impairment hinder abolish disrupt restrict repress repression discourage "
        "forbid",
    ),
    (
        "quality",
        "improve improvement better best beneficial benefit effective success successful "
        "easier easy strong stronger strengthen advantage safe protective useful good accurate "
        "| worsen worse worst harmful harm ineffective failure unsuccessful harder hard difficult "
        "weak weaker weaken disadvantage unsafe dangerous useless bad inaccurate deteriorate",
    ),
    ("relation", "positive positively direct | negative negatively inverse inversely"),
    (
        "order",
        "before earlier first initial precede beginning start begin "
        "| after later last final follow end finish",
    ),
    (
        "presence",
        "present presence include inclusion accept acceptance agree same similar common "
        "dependent sensitive sensitivity always necessary required sufficient possible "
        "| absent absence exclude exclusion reject rejection disagree different dissimilar "
        "uncommon independent resistant resistance never none unnecessary optional "
        "insufficient impossible",
    ),
)
# What one side of an axis means for another: to inhibit is to lower, to promote is to raise.
_ALIKE: Final = {"effect": "amount"}
_HEDGE: Final = re.compile(
    r"\b(?:may|might|could|suggest(?:s|ed|ing)?|likely|possibly|perhaps|probably|appears?|"
    r"seems?|potential(?:ly)?|presumably|hypothes[ie][sz]e?[sd]?|tend(?:s|ed)? to|"
    r"indicat(?:e|es|ed|ing)|putative|uncertain|unclear)\b",
    re.IGNORECASE,
)
_CERTAIN: Final = re.compile(
    r"\b(?:prove[sdn]?|proof|certainly|always|definitely|undoubtedly|must|establish(?:es|ed)|"
    r"conclusively|clearly|all|every|never)\b",
    re.IGNORECASE,
)
_COMPARISON: Final = re.compile(
    r"\b(?:than|compared (?:to|with)|relative to|versus|in comparison (?:to|with)|over)\b",
    re.IGNORECASE,
)


class Negation(NamedTuple):
    """A word that denies, and how far: ``text[start:end]`` is the word, its scope ends at
    ``scope``."""

    start: int
    end: int
    scope: int


class Direction(NamedTuple):
    """A word that names a direction; ``sign`` is 1 or -1 on its ``axis``, as the word says.
    ``negated`` tells whether it stands in the scope of a negation."""

    start: int
    end: int
    word: str
    axis: Axis
    sign: int
    negated: bool


class Comparison(NamedTuple):
    """What is compared: ``text[:middle]`` with ``text[after:]``."""

    middle: int
    after: int


def _signs() -> dict[str, tuple[Axis, int]]:
    found: dict[str, tuple[Axis, int]] = {}
    for axis, written in _OPPOSITES:
        for sign, side in zip((1, -1), written.split("|"), strict=True):
            for word in side.split():
                found.setdefault(word, (axis, sign))
    return found


_SIGNS: Final = _signs()
# Inflected forms are found by their stems; words of four letters and fewer only as they are.
_STEMS: Final = {stem(word): found for word, found in reversed(_SIGNS.items()) if len(word) > 4}


def negations(text: str) -> tuple[Negation, ...]:
    """The words that deny, in order."""
    return tuple(_negations(text))


def directions(text: str) -> tuple[Direction, ...]:
    """The words that name a direction, in order."""
    denied = negations(text)
    found = []
    for match in _WORD.finditer(text):
        word = match[0].casefold().replace("\u2010", "-").replace("\u2011", "-")
        known = _SIGNS.get(word) or (_STEMS.get(stem(word)) if len(word) > 4 else None)
        if known:
            axis, sign = known
            within = sum(one.end <= match.start() < one.scope for one in denied) % 2 == 1
            found.append(Direction(*match.span(), word, axis, sign, within))
    return tuple(found)


def are_opposed(one: Direction, other: Direction) -> bool:
    """Whether two words name opposite directions of the same kind, their negations aside."""
    return _same_axis(one, other) and one.sign != other.sign


def go_together(one: Direction, other: Direction) -> bool:
    """Whether two words name the same direction, their negations aside."""
    return _same_axis(one, other) and one.sign == other.sign


def hedges(text: str) -> int:
    """How many words of a text say that it is not sure."""
    return len(_HEDGE.findall(text))


def certainties(text: str) -> int:
    """How many words of a text say that there is no doubt or no exception."""
    return len(_CERTAIN.findall(text))


def comparison(text: str) -> Comparison | None:
    """The first comparison of a text: *A is higher than B*."""
    match = _COMPARISON.search(text)
    return Comparison(match.start(), match.end()) if match else None


def _same_axis(one: Direction, other: Direction) -> bool:
    return _ALIKE.get(one.axis, one.axis) == _ALIKE.get(other.axis, other.axis)


def _negations(text: str) -> Iterator[Negation]:
    for match in _NEGATION.finditer(text):
        clause = _CLAUSE_END.search(text, match.end())
        limit = clause.start() if clause else len(text)
        scope = match.end()
        for count, word in enumerate(_WORD.finditer(text, match.end(), limit)):
            if count == _SCOPE:
                break
            scope = word.end()
        yield Negation(match.start(), match.end(), scope)
