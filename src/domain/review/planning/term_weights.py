"""Which words of a question tell what it is about, and how much of them a text has.

A word that few passages of a library have tells more than one that most have (inverse document
frequency, Spärck Jones 1972, in the form of BM25: Robertson & Zaragoza 2009, eq. 3.3); words that
questions of any subject have (*effects*, *challenges*) tell little.
"""

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from citeloom.domain.text.language import STOP_WORDS
from citeloom.domain.text.terms import Spread, stem, terms
from citeloom.domain.text.words import forms, words

_COMMON: Final = frozenset().union(*STOP_WORDS.values())
# They say what is asked of a subject, or of papers at large, not which subject it is.
_FORMAL: Final = frozenset(
    stem(word)
    for word in """
    effect effects impact impacts influence influences outcome outcomes result results finding
    findings find finds found evidence challenge challenges problem problems difficulty difficulties
    advantage advantages disadvantage disadvantages benefit benefits drawback drawbacks limitation
    limitations strength strengths weakness weaknesses risk risks role importance relevance
    difference differences similarity similarities reason reasons cause causes way ways kind kinds
    type types example examples approach approaches strategy strategies aspect aspects factor
    factors literature paper papers study studies author authors article articles research known
    say says said report reports describe described discuss discussed argue happen depend depends
    affect affects improve improves improved help helps helped better best worse good bad more less
    part use used uses using make makes take took work works different important main current
    versus compare compared comparison
    percentage percent share number amount extent average
    """.split()
)
_FORMAL_WEIGHT: Final = 0.3
# A word of fewer passages tells no more: it may stand in one by chance.
_FEWEST: Final = 2
# Words as long as this are the same where so many letters at their beginning are.
_LONG, _SAME = 8, 7
_SHORTEST_ACRONYM, _LONGEST_ACRONYM = 3, 5
_ACRONYM: Final = re.compile(rf"[A-Z]{{{_SHORTEST_ACRONYM},{_LONGEST_ACRONYM}}}s?")
_IRREGULAR: Final = dict(
    pair.split(":")
    for pair in """
    taught:teach learnt:learn built:build chosen:choose chose:choose written:write wrote:write
    grown:grow grew:grow fell:fall fallen:fall rose:rise risen:rise kept:keep held:hold led:lead
    lost:lose spent:spend drawn:draw drew:draw driven:drive drove:drive broken:break broke:break
    thought:think understood:understand bought:buy brought:bring began:begin begun:begin
    slept:sleep fed:feed won:win met:meet paid:pay shown:show seen:see gave:give given:give
    children:child women:woman men:man mice:mouse people:person feet:foot teeth:tooth
    satisfaction:satisfy criteria:criterion phenomena:phenomenon data:datum
    """.split()
)


class Sought(NamedTuple):
    """A question by its words. ``weights`` are by stem, ``keys`` under what each is found;
    ``acronyms`` are the short forms of words that follow each other in it; ``names`` are stems of
    names that the library has, ``own`` those of words that are not only of its subject where it
    has one (else none); ``absent`` are words that no passage has, as they were asked."""

    weights: Mapping[str, float]
    keys: Mapping[str, frozenset[str]]
    acronyms: Mapping[str, frozenset[str]]
    names: frozenset[str]
    own: frozenset[str]
    absent: tuple[str, ...]

    def in_text(self, text: str) -> frozenset[str]:
        """The stems of its words that ``text`` has, be it as a part of a short form."""
        there = _keys_in(text)
        found = {one for one, keys in self.keys.items() if not keys.isdisjoint(there)}
        for acronym in _ACRONYM.findall(text):
            found |= self.acronyms.get(acronym.removesuffix("s"), frozenset())
        short = [one for one in self.weights if one.isupper()]
        if short:
            initials = "".join(part[0] for part in _parts(text) if part[0].isalpha())
            found.update(one for one in short if one.casefold() in initials)
        return frozenset(found)

    def stems_of(self, word: str) -> frozenset[str]:
        """Under which stems one of its words is counted."""
        return frozenset({word, *map(_stem, _parts(word))}) & self.weights.keys()

    def share(self, text: str) -> float:
        """The share of its words that a text has, by their weights, 0..1."""
        whole = sum(self.weights.values())
        return sum(self.weights[one] for one in self.in_text(text)) / whole if whole else 0.0

    def is_on_it(self, text: str) -> bool:
        """Whether a text has more of it than its subject."""
        return not self.own or not self.own.isdisjoint(self.in_text(text))

    def names_one(self, text: str) -> bool:
        """Whether a text has one of its names, if it has names."""
        return not self.names or not self.names.isdisjoint(self.in_text(text))


def telling_words(question: str) -> tuple[str, ...]:
    """The content words of a question as they are written, each once; those that any question
    has, last."""
    found = dict.fromkeys(question[term.start : term.end] for term in terms(question))
    return tuple(sorted(found, key=_is_formal))


def sought(question: str, spread: Spread | None = None, subject: str = "") -> Sought:
    """``spread`` is of the ``telling_words`` of both; without it all of them tell the same.
    ``subject`` are words that the question only points back to: they tell little."""
    weights: dict[str, float] = {}
    keys: dict[str, frozenset[str]] = {}
    names: set[str] = set()
    mine: set[str] = set()
    absent = []
    whole = f"{subject}: {question}" if subject else question
    named = {whole[t.start : t.end] for t in terms(whole) if t.is_name}
    own = frozenset(telling_words(question))
    for word in telling_words(whole):
        there = spread.having.get(word, 0) if spread else 1
        weight = _weight(word, spread) * (1.0 if word in own else _FORMAL_WEIGHT)
        if not there and not _is_formal(word):
            absent.append(word)
        for part in _parts(word):
            one = word if _ACRONYM.fullmatch(word) else _stem(part)
            weights[one] = max(weight, weights.get(one, 0.0))
            keys[one] = keys.get(one, frozenset()) | _keys(part)
            if subject and word in own:
                mine.add(one)
            if word in named and there:
                names.add(one)
    return Sought(weights, keys, _acronyms(whole), frozenset(names), frozenset(mine), tuple(absent))


def acronyms_in(question: str, texts: Sequence[str]) -> tuple[str, ...]:
    """Short forms of the question's words that the texts use and it does not."""
    known = _acronyms(question)
    there = {one.removesuffix("s") for text in texts for one in _ACRONYM.findall(text)}
    own = {one.removesuffix("s") for one in _ACRONYM.findall(question)}
    return tuple(one for one in known if one in there and one not in own)


def _weight(word: str, spread: Spread | None) -> float:
    weight = 1.0
    if spread is not None and spread.passages:
        having = min(spread.passages, max(_FEWEST, spread.having.get(word, 0)))
        weight = math.log(1 + (spread.passages - having + 0.5) / (having + 0.5))
    return weight * (_FORMAL_WEIGHT if _is_formal(word) else 1.0)


def _is_formal(word: str) -> bool:
    return stem(word.casefold()) in _FORMAL


def _acronyms(text: str) -> Mapping[str, frozenset[str]]:
    """By the initials of words that follow each other: the stems of these words."""
    parts = [part for part in _parts(text) if part[0].isalpha()]
    found: dict[str, frozenset[str]] = {}
    for start in range(len(parts)):
        for length in range(_SHORTEST_ACRONYM, _LONGEST_ACRONYM + 1):
            run = parts[start : start + length]
            if len(run) == length:
                initials = "".join(part[0] for part in run).upper()
                found.setdefault(initials, frozenset(map(_stem, run)))
    return found


def _keys_in(text: str) -> set[str]:
    return {key for part in _parts(text) for key in _keys(part)}


def _keys(part: str) -> frozenset[str]:
    stemmed = _stem(part)
    return frozenset({stemmed, f"{part[:_SAME]}…"}) if len(part) >= _LONG else frozenset({stemmed})


def _stem(part: str) -> str:
    return part if part[0].isdigit() else stem(_IRREGULAR.get(part, part))


def _parts(text: str) -> Iterator[str]:
    """Parts of its words, in small letters; without what only stands before others (*re-*)."""
    for word in words(text):
        parts = forms(word.text).parts
        for part in parts:
            is_prefix = len(parts) > 1 and len(part) < 3 and part.isalpha()
            if part not in _COMMON and not is_prefix:
                yield part
