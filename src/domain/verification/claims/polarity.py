"""Polarity of a sentence: negations with scope, directions, comparisons.

Own word lists for the English of papers. The scope of a negation is approximate: up to the end of
its clause, at most eight words (most negation scopes of the BioScope corpus, Vincze et al. 2008,
end with their clause).
"""

import re
from bisect import bisect_left
from collections.abc import Iterator
from typing import Final, NamedTuple

from citeloom.domain.text.terms import stem

#: How a number begins.
NUMBER: Final = (
    r"[$€£~≈]?\d|(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|thirty|half"
    r"|a (?:hundred|thousand|million|third|quarter|dozen))\b"
)
_MAX_SCOPE_WORDS: Final = 8
# These deny their object alone.
_REMOVES: Final = re.compile(r"rul|obviat|avoid|eliminat", re.IGNORECASE)
_MAX_OBJECT_WORDS: Final = 4
_NEGATION: Final = re.compile(
    r"\b(?:no(?! (?:more|less|fewer) than| doubt| matter)|"
    r"not(?! only| simply| merely| solely| least)|never|without|neither|nor|none|"
    r"cannot|lack(?:s|ed|ing)?(?: of)?|absence of|absent|fail(?:s|ed|ing|ure)? (?:to|in)|"
    r"unable to|rather than|instead of|free of|devoid of|hardly|barely|unlikely|rul(?:e|es|ed) "
    r"out|obviat(?:es?|ed|ing)|avoid(?:s|ed|ing)?|eliminat(?:es?|ed|ing)|"
    r"(?<!\ba )(?<!\bonly )(?<!\bare )few|(?<!\ba )little(?! by))\b|n['’]t\b",
    re.IGNORECASE,
)
_CLAUSE_END: Final = re.compile(
    r"[.;:?!]|,\s|\b(?:but|although|though|whereas|while|however|because|which|unless|except)\b",
    re.IGNORECASE,
)
_WORD: Final = re.compile(r"[^\W\d_]+(?:[-\u2010\u2011'’][^\W\d_]+)*")
# *Key-value* reaches as far as *key value*.
_LETTERS: Final = re.compile(r"[^\W\d_]+")

# One axis a line: words of one direction | words of the other.
_OPPOSITES: Final = """
amount: increase increasing rise rises rising rose risen raise higher high highest more most
 greater greatest elevate elevation upregulate upregulation up-regulate up-regulation gain grow
 grew grown growth expand expansion augment above exceed exceeding maximize maximum up heighten
 overexpress overexpression majority multiply
 | decrease decreasing decline fall falls falling fell fallen lower low lowest less least fewer
 drop reduce reduction diminish downregulate downregulation down-regulate down-regulation lose
 loss shrink shrank shrinkage below lessen minimize minimum attenuate down minority depress
 deplete depletion
size: large larger largest big bigger | small smaller smallest little
number: many numerous | few
duration: long longer longest lengthen | short shorter shortest shorten
speed: fast faster fastest accelerate quick quickly | slow slower slowest decelerate slowly
age: old older oldest | young younger youngest new newer
frequency: frequent frequently often always usually | rare rarely seldom infrequent never
effect: promote stimulate activate activation induce induction enhance enhancement facilitate
 enable trigger cause boost allow encourage support help helps helped helping helpful
 | inhibit inhibition suppress suppression deactivate inactivate block prevent prevention impede
 impair impairment limit dampen hinder hindered hamper hampered abolish disrupt restrict repress
 repression
 discourage forbid oppose
quality: improve improvement better best beneficial benefit
 | worsen worse worst harmful harm deteriorate deterioration detrimental
success: effective success successful succeed succeeded useful
 | ineffective failure unsuccessful useless
ease: easy easier easily easiest simple simplify | hard harder hardly difficult complex complicate
strength: strong stronger strongly strengthen reinforce | weak weaker weakly weaken
safety: safe safely protective | unsafe dangerous toxic
accuracy: accurate accurately correct | inaccurate inaccurately incorrect wrong
value: advantage good | disadvantage bad
relation: positive positively | negative negatively inverse inversely
order: before earlier early precede preceding | after later late follow following
extent: extensive considerable maximal vast | minimal slight negligible marginal
limits: first begin beginning start initial | last end ending finish final
presence: presence | absence absent
inclusion: include inclusion | exclude exclusion
consent: accept acceptance agree agreement | reject rejection disagree disagreement
likeness: same similar alike identical | different differ dissimilar
spread: common widespread | uncommon scarce
dependence: dependent depend | independent independently
response: sensitive sensitivity | resistant resistance insensitive
need: necessary required essential | unnecessary optional dispensable
enough: sufficient adequate | insufficient inadequate
chance: possible likely | impossible unlikely
"""
# Axes that imply another: to inhibit is to lower, to promote is to raise.
_MERGED_AXES: Final = {
    "effect": "amount",
    "size": "amount",
    "number": "amount",
    "spread": "frequency",
}
# Bounds of a number, and names, which are not directions.
_BOUND: Final = re.compile(
    r"\b(?:(?:the|an?|its|their|each|of|into|these|per)\sblocks?|block[- ]?(?:sizes?|chains?)"
    r"|high[- ]school(?:s|ers?)?|higher education"
    r"|(?:set(?:s|ting)?|writ\w+|wrote|not(?:e[sd]?|ing)|jot\w*|look\w*|ma[dk]\w+|follow\w*"
    r"|sign(?:s|ed|ing)?|shut\w*)\s(?:up|down))\b"
    rf"|\b(?:more|less|fewer|greater|higher|lower) than (?={NUMBER})"
    rf"|\bat (?:least|most) (?={NUMBER})|\b(?:up to|above|below) (?={NUMBER})",
    re.IGNORECASE,
)
_COMPARISON: Final = re.compile(
    r"\b(?:than|compared (?:to|with)|relative to|versus|in comparison (?:to|with)|over)\b",
    re.IGNORECASE,
)


_ORDER: Final = re.compile(r"\b(?:before|after)\b", re.IGNORECASE)


class Negation(NamedTuple):
    """A negation at ``text[start:end]``; its scope is ``text[end:scope]``."""

    start: int
    end: int
    scope: int


class Direction(NamedTuple):
    """A direction word; ``sign`` is 1 or -1 on its ``axis``, negation aside. ``negated``: it is in
    the scope of a negation."""

    start: int
    end: int
    word: str
    axis: str
    sign: int
    negated: bool


def _signs() -> dict[str, tuple[str, int]]:
    signs: dict[str, tuple[str, int]] = {}
    for line in _OPPOSITES.strip().replace("\n ", " ").splitlines():
        axis, _, written = line.partition(":")
        for sign, side in zip((1, -1), written.split("|"), strict=True):
            for word in side.split():
                signs[word] = (axis, sign)
    return signs


_SIGNS: Final = _signs()
# Inflected forms match by stem; words of up to four letters only exactly.
_STEMS: Final = {stem(word): found for word, found in reversed(_SIGNS.items()) if len(word) > 4}


def negations(text: str) -> tuple[Negation, ...]:
    return tuple(_negations(text))


# "Requires no changes": no changes are required.
_OF_NONE: Final = re.compile(r"\s(?:no|neither)\b", re.I)
# Whether "cannot be changed and depends" denies the second verb, too, is not certain.
_AND: Final = re.compile(r"\band\b", re.I)


def directions(text: str) -> tuple[Direction, ...]:
    """The direction words of a text, in order."""
    negation_scopes = negations(text)
    bounds = [match.span() for match in _BOUND.finditer(text)]
    result = []
    for match in _WORD.finditer(text):
        if any(start <= match.start() < end for start, end in bounds):
            continue
        for start, end in _compound(match):
            word = text[start:end].casefold().replace("\u2010", "-").replace("\u2011", "-")
            known = _SIGNS.get(word) or (_STEMS.get(stem(word)) if len(word) > 4 else None)
            if known:
                before = (one for one in negation_scopes if one.end <= start < one.scope)
                denied = sum(not _AND.search(text, one.end, start) for one in before)
                is_after = denied % 2 == 1
                negated = is_after is not bool(_OF_NONE.match(text, end))
                result.append(Direction(start, end, word, *known, negated))
                break
    return tuple(result)


def _compound(match: re.Match[str]) -> Iterator[tuple[int, int]]:
    """Spans of a word and of the parts of a compound: *down-regulate*, *high-level*."""
    yield match.span()
    if not match[0].isalpha():
        for part in re.finditer(r"[^\W\d_]+", match[0]):
            yield match.start() + part.start(), match.start() + part.end()


def are_opposed(one: Direction, other: Direction) -> bool:
    """Whether two words are opposite directions of one axis, negations aside."""
    return _same_axis(one, other) and one.sign != other.sign


def are_aligned(one: Direction, other: Direction) -> bool:
    """Whether two words are the same direction of one axis, negations aside."""
    return _same_axis(one, other) and one.sign == other.sign


def comparison(text: str) -> re.Match[str] | None:
    """The words of the first comparison, between its sides: *A is higher than B*; without one
    *before* or *after*."""
    return _COMPARISON.search(text) or _ORDER.search(text)


def _same_axis(one: Direction, other: Direction) -> bool:
    return _MERGED_AXES.get(one.axis, one.axis) == _MERGED_AXES.get(other.axis, other.axis)


def _negations(text: str) -> Iterator[Negation]:
    ends: list[int] = []
    for match in _NEGATION.finditer(text):
        ends = ends or [*(end.start() for end in _CLAUSE_END.finditer(text)), len(text)]
        limit = ends[bisect_left(ends, match.end())]
        scope = match.end()
        most = _MAX_OBJECT_WORDS if _REMOVES.match(match[0]) else _MAX_SCOPE_WORDS
        for count, word in enumerate(_LETTERS.finditer(text, match.end(), limit)):
            if count == most:
                break
            scope = word.end()
        yield Negation(match.start(), match.end(), scope)


# Prefixes of which one is the opposite of the other before the same word.
_OPPOSITE_PREFIXES: Final = tuple(
    tuple(pair.split("|"))
    for pair in "within|between intra|inter pre|post over|under up|down on|off un| non|".split()
)
_PREFIXED: Final = re.compile(
    rf"\b({'|'.join(one for pair in _OPPOSITE_PREFIXES for one in pair if one)})"
    r"(?:[-\u2010\u2011]|(?<=within)\s|(?<=between)\s)?([^\W\d_]{3,})",
    re.IGNORECASE,
)


def opposed_by_prefix(claim: str, source: str) -> Iterator[tuple[str, str]]:
    """Words of the claim with their opposites in the source, which lacks them: *within-subject* and
    *between-subject*, *suitable* and *unsuitable*. Not of *pre- and post-test*, nor of *unsuitable*
    and *not suitable*."""
    mine, theirs = _prefixed(claim), _prefixed(source)
    is_denied = bool(negations(claim)) != bool(negations(source))
    for one, other in (pair for a, b in _OPPOSITE_PREFIXES for pair in ((a, b), (b, a))):
        is_listed = one and re.search(rf"\b{one}-?\s(?:and|or|to|vs)\b", source, re.IGNORECASE)
        for prefix, rest in () if is_listed or (is_denied and "" in (one, other)) else mine:
            opposite = theirs.get((other, rest)) if prefix == one else None
            if opposite and (one, rest) not in theirs and (other, rest) not in mine:
                yield mine[one, rest], opposite


def _prefixed(text: str) -> dict[tuple[str, str], str]:
    """The words by their prefix and the stem of the rest; each without a prefix, too."""
    found = {("", stem(one[0].casefold())): one[0] for one in _LETTERS.finditer(text)}
    return found | {
        (one[1].casefold(), stem(one[2].casefold())): one[0] for one in _PREFIXED.finditer(text)
    }
