"""Slots of a sentence: the places where a claim has something else than its source, while both
agree around them.

A slot is a run of words of the claim that the source lacks, and the run of words that the claim
lacks between the same neighbours. Words that may be one in other forms are the same.
"""

import re
from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from typing import Final, NamedTuple

from citeloom.domain.text.phrasing import shortened

from .parsed_sentence import ParsedSentence, Token, content_tokens, self_reference, word_at

# Where a phrase ends: a mark, or a word other than these between two content words.
_END: Final = re.compile(
    r"[.,;:)–—]\s|\s[(–—]|(?<![^\W\d_])(?!(?:of|and|the|an?|for|s)\b)[^\W\d_]+", re.IGNORECASE
)
_GLUE: Final = re.compile(r"(?<![^\W_])(?!(?:the|an?|its?|their|this|s)\b)[^\W\d_]+", re.IGNORECASE)
_LONGEST: Final = 60
# The least number of words around a slot that stand alike; and that from which one thing is enough.
_LEAST_FRAME: Final = 2
_WIDE_FRAME: Final = 6


class Slot(NamedTuple):
    """What the claim says in a place (``mine``, as written ``said``) and what the source states
    there; ``frame`` is the number of words around it that stand alike."""

    said: str
    stated: str
    mine: Sequence[Token]
    theirs: Sequence[Token]
    frame: int


def slots(claim: ParsedSentence, source: ParsedSentence) -> Iterator[Slot]:
    claimed, stated = content_tokens(claim), content_tokens(source)
    others = list(_runs(source, {one.key for one in claimed}))
    for mine in _runs(claim, {one.key for one in stated} | self_reference(source)):
        found = [(_frame(claim, mine, source, theirs), theirs) for theirs in others]
        frame, theirs = max(found, key=lambda one: one[0], default=(0, range(0)))
        if frame:
            yield Slot(
                _written(claim, mine),
                _written(source, theirs),
                claimed[mine.start : mine.stop],
                stated[theirs.start : theirs.stop],
                frame,
            )


def changed_things(
    claim: ParsedSentence,
    source: ParsedSentence,
    others: Sequence[ParsedSentence],
    *,
    only_names: bool = False,
) -> Iterator[str]:
    """Sentences for the slots in which a thing, or if ``only_names`` a name, stands in the place of
    another, unless one of ``others``, further sentences of the source, has the claim's beside the
    same word."""
    turning = {one.start for one in claim.directions} | {one.start for one in claim.quantities}
    for slot in slots(claim, source):
        is_name = slot.said[0].isupper() and any(is_named(source, one) for one in slot.theirs)
        things = (
            any(is_thing(claim, one) for one in slot.mine),
            any(is_thing(source, one) for one in slot.theirs),
        )
        are_things = all(things) or (any(things) and slot.frame >= _WIDE_FRAME)
        if not (is_name or (are_things and not only_names)) or _may_be_short(slot):
            continue
        is_turning = not turning.isdisjoint(one.start for one in slot.mine)
        if not is_turning and not any(_has(one, claim, slot) for one in others):
            yield f"Your sentence says “{slot.said}”, the source “{slot.stated}”."


def _may_be_short(slot: Slot) -> bool:
    """Whether one may abbreviate the other: *PB*, *petabytes*; *NN*, *nearest neighbor*."""
    short, whole = sorted((slot.said, slot.stated), key=len)
    letters = ".*".join(re.escape(one) for one in short.rstrip("s").casefold())
    return short[1:2].isupper() and bool(re.match(letters, whole.casefold()))


def _has(sentence: ParsedSentence, claim: ParsedSentence, slot: Slot) -> bool:
    """Whether a sentence has all of the claim's words of a slot next to the same word."""
    there, tokens = [one.key for one in content_tokens(sentence)], content_tokens(claim)
    begin = tokens.index(slot.mine[0])
    keys = [one.key for one in tokens[max(0, begin - 1) : begin + len(slot.mine) + 1]]
    length = len(slot.mine) + 1
    parts = [keys[n : n + length] for n in range(len(keys) - length + 1)]
    return any(there[n : n + length] in parts for n in range(len(there) - length + 1))


def _runs(sentence: ParsedSentence, known: AbstractSet[str]) -> Iterator[range]:
    """The places of words in a row, within one phrase, that are not ``known``; a quantity alone."""
    tokens = content_tokens(sentence)
    counted = {one.start for one in sentence.quantities}
    start: int | None = None
    for at in range(len(tokens) + 1):
        is_new = at < len(tokens) and not _is_among(tokens[at].key, known)
        goes_on = is_new and start is not None and not _is_end(sentence, at)
        if start is not None and not (
            goes_on and counted.isdisjoint((tokens[at].start, tokens[at - 1].start))
        ):
            yield range(start, at)
            start = None
        if is_new and start is None:
            start = at


def _frame(claim: ParsedSentence, mine: range, source: ParsedSentence, theirs: range) -> int:
    """How many words before and after two runs are the same; 0 where they do not stand alike: on
    both sides beside the same word, or on one, with another that is the same, and with the end of
    the phrase on the other side, or the same function words on this."""
    claimed, stated = ([one.key for one in content_tokens(each)] for each in (claim, source))
    left = _common(claimed[: mine.start][::-1], stated[: theirs.start][::-1])
    right = _common(claimed[mine.stop :], stated[theirs.stop :])
    if (left and right) or left + right < _LEAST_FRAME:
        return left + right if left and right else 0
    ends = (mine.stop, theirs.stop) if left else (mine.start, theirs.start)
    starts = (mine.start, theirs.start) if left else (mine.stop, theirs.stop)
    both_end = _is_end(claim, ends[0]) and _is_end(source, ends[1])
    is_beside = _GLUE.findall(_between(claim, starts[0])) == _GLUE.findall(
        _between(source, starts[1])
    )
    return left + right if both_end or is_beside else 0


def _is_end(sentence: ParsedSentence, at: int) -> bool:
    """Whether a phrase ends before the token at a place."""
    return not 0 < at < len(content_tokens(sentence)) or bool(_END.search(_between(sentence, at)))


def _between(sentence: ParsedSentence, at: int) -> str:
    """The text between the token at a place and that before it."""
    tokens = content_tokens(sentence)
    return sentence.text[_end(sentence, tokens[at - 1]) : tokens[at].start]


def _written(sentence: ParsedSentence, run: range) -> str:
    tokens = content_tokens(sentence)
    text = sentence.text[tokens[run.start].start : _end(sentence, tokens[run.stop - 1])]
    return shortened(text, _LONGEST)


def _end(sentence: ParsedSentence, token: Token) -> int:
    counted = (one.end for one in sentence.quantities if one.start == token.start)
    return next(counted, token.start + len(word_at(sentence.text, token.start)))


_LEAST_ALIKE: Final = 4
_ALIKE: Final = 0.6


def _is_among(key: str, known: AbstractSet[str]) -> bool:
    return key in known or (" " not in key and any(_may_be_one(key, one) for one in known))


def _may_be_one(one: str, other: str) -> bool:
    """Whether two stems may be of one word: *experi* and *experiment*; *struture*, *structure*."""
    length, begin = max(len(one), len(other)), _common(one, other)
    if begin < _LEAST_ALIKE or " " in other:
        return False
    return begin >= _ALIKE * length or begin + _common(one[::-1], other[::-1]) >= length - 1


def _common(one: Sequence[str], other: Sequence[str]) -> int:
    """The length of what both begin with."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((n for n, (a, b) in pairs if a != b), min(len(one), len(other)))


# A verb or adverb, as far as its ending or the word before it says so; and a thing.
_VERB: Final = re.compile(r"\w{2}(?:ed|ing|ly|i[sz](?:e|es|ed)|if(?:y|ies|ied))\Z")
_BEFORE_VERB: Final = frozenset(
    "to can could may might will would must should shall did do does not we they it which that "
    "who".split()
)
_AFTER_VERB: Final = re.compile(r"\s(?:the|an?|its|their|these|those|this)\s", re.IGNORECASE)
_THING: Final = re.compile(r"\w{2}(?:tions?|ments?|ness|it(?:y|ies)|[eo]rs?|ists?|ship|ism)\Z")
_BEFORE_THING: Final = frozenset(
    "the a an of in for with by on from at as their its our his her these those this each every "
    "some any no all most many several few both".split()
)


def is_named(sentence: ParsedSentence, token: Token) -> bool:
    return any(one.is_name and one.start == token.start for one in sentence.terms)


def is_thing(sentence: ParsedSentence, token: Token) -> bool:
    return is_named(sentence, token) or (
        not _VERB.search(word_at(sentence.text, token.start).casefold())
        and _stands_as(sentence, token, _THING, _BEFORE_THING)
    )


def may_be_verb(sentence: ParsedSentence, token: Token) -> bool:
    return _stands_as(sentence, token, _VERB, _BEFORE_VERB)


def _stands_as(
    sentence: ParsedSentence, token: Token, ending: re.Pattern[str], before: AbstractSet[str]
) -> bool:
    """Whether a word has an ending, or follows one of these words."""
    head = sentence.text[: token.start].casefold().split()
    is_after = bool(head) and head[-1].strip("“\"'(") in before
    word = word_at(sentence.text, token.start).casefold()
    is_before = ending is _VERB and bool(_AFTER_VERB.match(sentence.text, token.start + len(word)))
    return is_after or is_before or bool(ending.search(word))
