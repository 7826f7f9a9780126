"""What a sentence says that its evidence does not: the strict half of a check.

A judge weighs how much of a claim is borne out. Here nothing is weighed: each number, name,
content word, direction, negation, hedge, restriction and link of a sentence has to be in one
sentence of the evidence, in an order that leaves who does what to whom as it was. A paraphrase
may fail; whoever asks then quotes the evidence instead, which is never wrong. Words are compared
by their stems, and those of one line of ``ALIKE`` are the same.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from itertools import pairwise
from typing import Final, NamedTuple

from citeloom.domain.review.checking.certainty import hedges_dropped
from citeloom.domain.review.checking.function_words import (
    alike,
    causes,
    denials,
    frames,
    is_passive,
    limits,
    links,
    marks,
    quantifiers,
)
from citeloom.domain.review.checking.qualifiers import left_out
from citeloom.domain.text.language import STOP_WORDS
from citeloom.domain.text.normalized_text import Setting
from citeloom.domain.text.terms import stem
from citeloom.domain.text.words import forms, words
from citeloom.domain.verification.claims.features import Read, read
from citeloom.domain.verification.claims.polarity import Direction, are_opposed, go_together
from citeloom.domain.verification.claims.quantity import missing
from citeloom.domain.verification.claims.quotations import quoted_passages
from citeloom.domain.verification.claims.units import in_base

_SHOWN: Final = 5
# Words that may be left out at one place within a sentence.
_LEFT_OUT: Final = 1
# Single letters that are names: samples, programs, statistics. "A" is one beside another.
_LETTER: Final = re.compile(r"(?<![\w.'’])(?!I\b)[A-Z](?![\w'’])")
# Words without a subject of their own, and those that are looked at by themselves.
_JOINING: Final = STOP_WORDS["en"] | frozenset(
    "however therefore hence might could may respectively via among within upon et al".split()
)
# Where a sentence goes on to something else.
_PHRASE: Final = re.compile(
    r"(?:in|on|at|for|during|within|among|by|with|since|after|before|from|through|across)\s",
    re.IGNORECASE,
)
_JOINT: Final = re.compile(
    r"[;:–—,()]|\b(?:and|or|but|nor|not|while|whereas|although|though|than|versus|vs|which|who|"
    r"yet|respectively|und|oder|aber|sondern|et|ou|mais|y|o|pero|sino|e|ma|en|of|maar)\b",
    re.IGNORECASE,
)


class _Token(NamedTuple):
    """A content word or a quantity, by what it is compared by, and where it stands."""

    start: int
    name: str


def departures(sentence: str, evidence: str) -> tuple[str, ...]:
    """What ``sentence`` says otherwise than ``evidence``, one sentence of a source: reasons for
    people; none where it keeps to it."""
    said, source = read(sentence), read(evidence)
    mine, theirs = _tokens(said), _tokens(source)
    return (
        *_absent(said, source, mine, theirs),
        *_turned(said, source, mine, theirs),
        *_manner(sentence, evidence),
        *_order(said, source, mine, theirs),
        *_ends(source, mine, theirs),
    )


def misquoted(sentence: str, quotes: Iterable[str]) -> tuple[str, ...]:
    """What stands in quotation marks in ``sentence`` and word for word in none of the
    passages; single words as well: who sets marks says whose word it is."""
    settings = [Setting(quote) for quote in quotes]
    found = []
    for one in quoted_passages(sentence):
        letters = Setting(one.text).letters
        if not letters or not any(any(s.places(letters)) for s in settings):
            found.append(one.text)
    return tuple(found)


def _absent(
    said: Read, source: Read, mine: Sequence[_Token], theirs: Sequence[_Token]
) -> Iterator[str]:
    for quantity in missing(said.quantities, source.quantities):
        yield f"The evidence does not state “{quantity.text}”."
    known = {token.name for token in theirs}
    along = {
        one.start
        for one in said.directions
        if any(go_together(one, other) for other in source.directions)
    }  # whether they do where it matters is looked at by itself
    elsewhere = along | {quantity.start for quantity in said.quantities}
    unsaid = [t for t in mine if t.name not in known and t.start not in elsewhere]
    if unsaid:
        words = dict.fromkeys(_word_at(said.text, token.start) for token in unsaid)
        shown = ", ".join(f"“{word}”" for word in list(words)[:_SHOWN])
        yield f"The evidence does not have {shown}."
    # Digits that are part of names and dates are no quantities, but have to be there as well.
    have = set(_digits(source.text))
    stated = [q.text for q in said.quantities]
    for digits in dict.fromkeys(_digits(said.text)):
        if digits not in have and not any(digits in text for text in stated):
            yield f"The evidence does not have “{digits}”."


def _turned(
    said: Read, source: Read, mine: Sequence[_Token], theirs: Sequence[_Token]
) -> Iterator[str]:
    for one in said.directions:
        kin = [o for o in source.directions if go_together(one, o) or are_opposed(one, o)]
        if not kin:
            if _name_of(one) not in {token.name for token in theirs}:
                yield f"The evidence names no direction as “{one.word}” does."
        elif not _goes_along(one, kin):
            yield f"“{one.word}” goes the other way in the evidence, or is said of something else."
    if denials(said.text) != denials(source.text):
        yield "One of the two denies what the other does not."
    elif (_denied(said, mine) ^ _denied(source, theirs)) & _common(mine, theirs):
        yield "The two deny different things."


def _goes_along(one: Direction, kin: Sequence[Direction]) -> bool:
    """Whether the evidence has the same word; another word of the same direction will do where
    it has none of the contrary."""
    if same := [other for other in kin if _name_of(other) == _name_of(one)]:
        return any(other.negated == one.negated for other in same)
    return all(go_together(one, other) and one.negated == other.negated for other in kin)


def _name_of(direction: Direction) -> str:
    return alike(stem(direction.word))


def _manner(sentence: str, evidence: str) -> Iterator[str]:
    if hedges_dropped(sentence, evidence):
        yield "The evidence is less sure."
    for what, words_of in (
        ("tells as its own what the evidence reports, asks or expects", frames),
        ("leaves out what restricts the evidence", limits),
        ("leaves out how many or how far", quantifiers),
    ):
        if gone := _beyond(words_of(evidence), words_of(sentence)):
            yield f"The sentence {what}: “{gone}”."
    for what, words_of in (
        ("draws a link", links),
        ("restricts", limits),
        ("names a cause", causes),
        ("says how many or how far", quantifiers),
        ("has markup or an address", marks),
    ):
        if new := _beyond(words_of(sentence), words_of(evidence)):
            yield f"The sentence {what} that the evidence does not have: “{new}”."


def _beyond(some: Mapping[str, str], others: Mapping[str, str]) -> str:
    """The first word of a group that the others have none of."""
    return next((word for name, word in some.items() if name not in others), "")


def _order(
    said: Read, source: Read, mine: Sequence[_Token], theirs: Sequence[_Token]
) -> Iterator[str]:
    """Whether the parts have changed places, or others were joined."""
    run = _places(mine, theirs)
    fall = _longest_fall(run)
    kinds = {(one.unit, one.kind) for one in source.quantities}
    if said.quantities and len(kinds) < len(source.quantities):
        if fall > 1 or missing(source.quantities, said.quantities):
            yield "The evidence states several such numbers; which belongs to what is not sure."
    elif is_passive(said.text) != is_passive(source.text):
        if fall <= 2:
            yield "One of the two is in the passive voice, and its parts stand in the same order."
    elif fall > 1 and not _turned_about(said.text, source.text, run):
        yield "The parts of the sentence have changed places."
    if any(_parted(source.text, theirs, set(run), *pair) for pair in pairwise(run)):
        yield "The sentence joins what the evidence keeps apart."


def _ends(source: Read, mine: Sequence[_Token], theirs: Sequence[_Token]) -> Iterator[str]:
    if not (shared := set(_places(mine, theirs))):
        return
    first, last = theirs[min(shared)], theirs[max(shared)]
    end = re.compile(r"\S*[^\W_]").match(source.text, last.start)
    for phrase in left_out(source.text, first.start, end.end() if end else last.start):
        yield f"The sentence leaves out “{phrase}”."


def _turned_about(sentence: str, evidence: str, run: Sequence[int]) -> bool:
    """Whether all that has moved is a phrase at the one end, which stood at the other: *In 2020
    the tool was used*, *the tool was used in 2020*."""
    descents = [at for at in range(1, len(run)) if run[at] < run[at - 1]]
    moves = len(descents) == 1 and run[-1] < run[0] and not denials(sentence)
    return moves and bool(_PHRASE.match(sentence) or _PHRASE.match(evidence))


def _parted(
    text: str, tokens: Sequence[_Token], said: AbstractSet[int], one: int, other: int
) -> bool:
    """Whether between two parts that a sentence puts next to each other the evidence has more
    than a word, or goes on to something else."""
    if other == one + 1:
        return False
    if len(set(range(one + 1, other)) - said) > _LEFT_OUT:
        return True
    first, last = sorted((tokens[one], tokens[other]))
    return _JOINT.search(text, first.start, last.start) is not None


def _tokens(sentence: Read) -> list[_Token]:
    """Words without those that only join, and quantities."""
    counted = {at for one in sentence.quantities for at in range(one.start, one.end)}
    found = []
    for word in words(sentence.text):
        capital = word.text[:1].isupper() and word.start > 0
        for part in forms(word.text).parts:
            if word.start in counted or not any(char.isalpha() for char in part):
                continue
            if len(part) > 1 and (part not in _JOINING or (capital and part.isalpha())):
                found.append(_Token(word.start, alike(stem(part))))
    letters = [_Token(one.start(), one[0]) for one in _LETTER.finditer(sentence.text)]
    found += letters if {one.name for one in letters} != {"A"} else []
    for quantity in sentence.quantities:
        value, unit = in_base(quantity.value, quantity.unit)
        found.append(_Token(quantity.start, f"{value.normalize():f} {unit}"))
    return sorted(set(found))


def _denied(sentence: Read, tokens: Sequence[_Token]) -> set[str]:
    return {
        token.name
        for token in tokens
        if any(one.end <= token.start < one.scope for one in sentence.negations)
    }


def _places(mine: Sequence[_Token], theirs: Sequence[_Token]) -> list[int]:
    """Where in the evidence what the sentence shares with it stands, in the sentence's order:
    what comes more than once, at its first place after what was before it."""
    found: list[int] = []
    names = [token.name for token in theirs]
    for token in mine:
        places = [at for at, name in enumerate(names) if name == token.name]
        after = [at for at in places if not found or at > found[-1]]
        if places:
            found.append(after[0] if after else places[-1])
    return found


def _longest_fall(run: Sequence[int]) -> int:
    """The length of the longest part of ``run`` that only falls."""
    best = [1] * len(run)
    for at, place in enumerate(run):
        best[at] = 1 + max((best[b] for b in range(at) if run[b] > place), default=0)
    return max(best, default=0)


def _common(mine: Sequence[_Token], theirs: Sequence[_Token]) -> set[str]:
    return {token.name for token in mine} & {token.name for token in theirs}


def _digits(text: str) -> list[str]:
    return re.findall(r"\d+", text)


def _word_at(text: str, start: int) -> str:
    found = re.compile(r"[\w’'.-]+").match(text, start)
    return (found[0] if found else text[start : start + 20]).rstrip(".")
