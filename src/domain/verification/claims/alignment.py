"""Content words of a claim that its source lacks, each with the word that stands for it there, and
how likely it is that the source bears the claim out."""

import re
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Final, NamedTuple

from citeloom.domain.text.terms import stem

from .faithfulness import Deviation, DeviationKind
from .function_words import context_dependent
from .parsed_sentence import (
    ParsedSentence,
    Token,
    content_tokens,
    parse_claim,
    self_reference,
    synonym_stem,
    word_at,
)
from .slots import is_named, is_thing, may_be_verb

# A sentence that lacks more of the claim is another.
_MOST_MISSING: Final = 12
_MOST_LEFT: Final = 60
_PART: Final = re.compile(r"[^\W_]+")


class MissingWord(NamedTuple):
    """A ``word`` of a claim, and the ``other`` word of the source in its place, of those that the
    claim lacks. ``is_verb``: surely a verb or adverb. ``is_sure``: both are surely things, between
    the same words, or beside the same word if it is a name."""

    word: str
    other: str | None
    is_verb: bool
    is_sure: bool = False


def missing_words(
    claim: ParsedSentence, source: ParsedSentence, subject: AbstractSet[str] = frozenset()
) -> tuple[MissingWord, ...]:
    """``subject``: stems of the source's known subject."""
    claimed, stated = content_tokens(claim), content_tokens(source)
    mine = {one.key for one in claimed}
    theirs = {one.key for one in stated} | self_reference(source)
    counted = {one.start for one in claim.quantities}
    left = [n for n, one in enumerate(stated) if one.key not in mine][:_MOST_LEFT]
    beside = {n: _beside(stated, n) for n in left}
    found = []
    for at, one in enumerate(claimed):
        if one.key in theirs | subject or one.start in counted:
            continue
        found.append(_missing(claim, at, source, beside))
        if len(found) == _MOST_MISSING:
            break
    return tuple(found)


def _missing(
    claim: ParsedSentence,
    at: int,
    source: ParsedSentence,
    beside: Mapping[int, AbstractSet[tuple[int, str]]],
) -> MissingWord:
    """The word of the claim's token ``at``; ``beside`` has the neighbours of the source's words
    that the claim lacks."""
    tokens = content_tokens(claim)
    word, around = _word(claim, tokens[at]), _beside(tokens, at)
    is_name = is_named(claim, tokens[at])
    is_verb = not is_name and may_be_verb(claim, tokens[at])
    place = next((n for n in beside if around & beside[n]), None)
    if place is None:
        return MissingWord(word, None, is_verb)
    there = content_tokens(source)[place]
    is_exchanged = is_thing(claim, tokens[at]) and is_thing(source, there)
    is_sure = is_exchanged and (around == beside[place] or is_name)
    return MissingWord(word, _word(source, there), is_verb and not is_exchanged, is_sure)


def _beside(tokens: Sequence[Token], at: int) -> set[tuple[int, str]]:
    """The keys of the token before and of that after."""
    near = ((step, at + step) for step in (-1, 1))
    return {(step, tokens[n].key) for step, n in near if 0 <= n < len(tokens)}


# Where a sentence goes on with another statement.
_NEXT: Final = re.compile(r";\s|,\s(?:and|but|while|whereas)\s", re.IGNORECASE)
_LEAST_WORDS: Final = 3


def clauses(claim: ParsedSentence) -> tuple[str, ...]:
    """The statements of a claim that consists of several, each of three content words or more."""
    first, *others = [one.strip() for one in _NEXT.split(claim.text)]
    if not others or any(map(context_dependent, others)):
        return ()
    parts = (first, *others)
    is_whole = all(len(content_tokens(parse_claim(one))) >= _LEAST_WORDS for one in parts)
    return parts if is_whole else ()


def _word(sentence: ParsedSentence, token: Token) -> str:
    """The word of a token, or the part of a compound."""
    word = word_at(sentence.text, token.start)
    parts = _PART.findall(word)
    return next((one for one in parts if synonym_stem(stem(one.casefold())) == token.key), word)


class _Thresholds(NamedTuple):
    """Least probabilities of support of a text that has all content words of a claim; that lacks
    verbs or adverbs; that lacks others; and that has another word in the place of one."""

    same_words: float
    reworded: float
    other_words: float
    replaced: float


# Of such texts on material not seen before, 8 of 10 supported the claim (benchmarks/RESULTS.md).
_LEAST: Final = _Thresholds(0.7, 0.8, 0.88, 0.75)
# Measured share of right ones among the texts above the thresholds.
_RIGHT: Final = 0.8
# Share of words that are in the source in no form, from which a sentence is another.
_MOST_OTHER: Final = 0.34


class ClaimReading(NamedTuple):
    """What is known of a claim and one text of its source: probabilities of the bundled model,
    deviations, the words that the text lacks, and the number of ``words`` of the claim."""

    support: float
    contradict: float
    deviations: Sequence[Deviation]
    missing: Sequence[MissingWord]
    words: int

    @property
    def confidence(self) -> float:
        """Measured share of right ones among texts like this one, if nothing in it is surely
        otherwise; 0 where support is not to be found."""
        is_other = len(self.missing) > _MOST_OTHER * self.words
        if is_other or any(one.is_sure for one in self.missing):
            return 0.0
        if self.contradict > self.support:
            return 0.0
        kinds = {one.kind for one in self.deviations}
        is_replaced = DeviationKind.REPLACED in kinds
        if is_replaced and self.support < _LEAST.replaced:
            return 0.0
        least = _LEAST.reworded if self.missing else _LEAST.same_words
        if any(not one.is_verb for one in self.missing):
            least = _LEAST.other_words
        return _RIGHT if self.support >= least else 0.0
