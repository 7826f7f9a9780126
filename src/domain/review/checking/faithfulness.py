"""Strict faithfulness check of a sentence against one sentence of its evidence.

Unlike the judge, nothing is weighed: each number, name, content word, direction, negation,
hedge, restriction and connective of the sentence must be in the evidence, in an order that
keeps the roles. A paraphrase may fail; the caller then quotes the evidence instead. Words are
compared by stem and by synonym group (``function_words.synonym_stem``).
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from itertools import pairwise
from typing import Final, NamedTuple

from citeloom.domain.review.checking.certainty import hedges_dropped
from citeloom.domain.review.checking.function_words import (
    attribution_words,
    causal_words,
    connectives,
    count_negations,
    is_passive,
    markup,
    quantifiers,
    restrictions,
    synonym_stem,
)
from citeloom.domain.review.checking.qualifiers import dropped_qualifiers
from citeloom.domain.text.language import STOP_WORDS
from citeloom.domain.text.normalized_text import NormalizedText
from citeloom.domain.text.terms import stem
from citeloom.domain.text.words import forms, words
from citeloom.domain.verification.claims.features import ParsedSentence, parse_sentence
from citeloom.domain.verification.claims.polarity import Direction, are_aligned, are_opposed
from citeloom.domain.verification.claims.quantity import missing_quantities
from citeloom.domain.verification.claims.quotations import quoted_passages
from citeloom.domain.verification.claims.units import in_base

_MAX_SHOWN: Final = 5
# Words of the evidence that may be skipped at one place.
_MAX_SKIPPED: Final = 1
# Single letters as names of samples, programs, statistics; "A" only with another one.
_LETTER: Final = re.compile(r"(?<![\w.'’])(?!I\b)[A-Z](?![\w'’])")
# Function words, and words that have checks of their own.
_IGNORED: Final = STOP_WORDS["en"] | frozenset(
    "however therefore hence might could may respectively via among within upon et al".split()
)
_PHRASE: Final = re.compile(
    r"(?:in|on|at|for|during|within|among|by|with|since|after|before|from|through|across)\s",
    re.IGNORECASE,
)
_BOUNDARY: Final = re.compile(
    r"[;:–—,()]|\b(?:and|or|but|nor|not|while|whereas|although|though|than|versus|vs|which|who|"
    r"yet|respectively|und|oder|aber|sondern|et|ou|mais|y|o|pero|sino|e|ma|en|of|maar)\b",
    re.IGNORECASE,
)


class _Token(NamedTuple):
    """A content word or quantity at ``start``, compared by ``key``."""

    start: int
    key: str


def deviations(sentence: str, evidence: str) -> tuple[str, ...]:
    """Human-readable deviations of ``sentence`` from ``evidence``, one sentence of a source;
    none if it is faithful."""
    claim, source = parse_sentence(sentence), parse_sentence(evidence)
    claim_tokens, source_tokens = _tokens(claim), _tokens(source)
    return (
        *_unsupported_tokens(claim, source, claim_tokens, source_tokens),
        *_polarity_changes(claim, source, claim_tokens, source_tokens),
        *_function_word_changes(sentence, evidence),
        *_order_changes(claim, source, claim_tokens, source_tokens),
        *_dropped_qualifiers(source, claim_tokens, source_tokens),
    )


def misquoted(sentence: str, quotes: Iterable[str]) -> tuple[str, ...]:
    """Quotations in ``sentence``, single words included, that none of ``quotes`` has verbatim."""
    normalized_quotes = [NormalizedText(quote) for quote in quotes]
    missing_quotes = []
    for one in quoted_passages(sentence):
        letters = NormalizedText(one.text).letters
        if not letters or not any(any(s.places(letters)) for s in normalized_quotes):
            missing_quotes.append(one.text)
    return tuple(missing_quotes)


def _unsupported_tokens(
    claim: ParsedSentence,
    source: ParsedSentence,
    claim_tokens: Sequence[_Token],
    source_tokens: Sequence[_Token],
) -> Iterator[str]:
    for quantity in missing_quantities(claim.quantities, source.quantities):
        yield f"The evidence does not state “{quantity.text}”."
    source_keys = {token.key for token in source_tokens}
    matched_directions = {
        one.start
        for one in claim.directions
        if any(are_aligned(one, other) for other in source.directions)
    }  # their polarity is checked in _polarity_changes
    checked_elsewhere = matched_directions | {quantity.start for quantity in claim.quantities}
    unsupported = [
        t for t in claim_tokens if t.key not in source_keys and t.start not in checked_elsewhere
    ]
    if unsupported:
        words = dict.fromkeys(_word_at(claim.text, token.start) for token in unsupported)
        shown = ", ".join(f"“{word}”" for word in list(words)[:_MAX_SHOWN])
        yield f"The evidence does not have {shown}."
    # Digits within names and dates are no quantities, but must be in the evidence too.
    source_digits = set(_digits(source.text))
    quantity_texts = [q.text for q in claim.quantities]
    for digits in dict.fromkeys(_digits(claim.text)):
        if digits not in source_digits and not any(digits in text for text in quantity_texts):
            yield f"The evidence does not have “{digits}”."


def _polarity_changes(
    claim: ParsedSentence,
    source: ParsedSentence,
    claim_tokens: Sequence[_Token],
    source_tokens: Sequence[_Token],
) -> Iterator[str]:
    for direction in claim.directions:
        related = [
            o for o in source.directions if are_aligned(direction, o) or are_opposed(direction, o)
        ]
        if not related:
            if _direction_key(direction) not in {token.key for token in source_tokens}:
                yield f"The evidence names no direction as “{direction.word}” does."
        elif not _agrees_with(direction, related):
            yield (
                f"“{direction.word}” goes the other way in the evidence, or is said of something "
                "else."
            )
    if count_negations(claim.text) != count_negations(source.text):
        yield "One of the two denies what the other does not."
    elif (_negated_keys(claim, claim_tokens) ^ _negated_keys(source, source_tokens)) & _common_keys(
        claim_tokens, source_tokens
    ):
        yield "The two deny different things."


def _agrees_with(direction: Direction, related: Sequence[Direction]) -> bool:
    """Whether the evidence has the same word with equal negation, or without the word only words
    of the same direction."""
    if same := [other for other in related if _direction_key(other) == _direction_key(direction)]:
        return any(other.negated == direction.negated for other in same)
    return all(
        are_aligned(direction, other) and direction.negated == other.negated for other in related
    )


def _direction_key(direction: Direction) -> str:
    return synonym_stem(stem(direction.word))


def _function_word_changes(sentence: str, evidence: str) -> Iterator[str]:
    if hedges_dropped(sentence, evidence):
        yield "The evidence is less sure."
    for what, words_of in (
        ("tells as its own what the evidence reports, asks or expects", attribution_words),
        ("leaves out what restricts the evidence", restrictions),
        ("leaves out how many or how far", quantifiers),
    ):
        if gone := _first_extra(words_of(evidence), words_of(sentence)):
            yield f"The sentence {what}: “{gone}”."
    for what, words_of in (
        ("draws a link", connectives),
        ("restricts", restrictions),
        ("names a cause", causal_words),
        ("says how many or how far", quantifiers),
        ("has markup or an address", markup),
    ):
        if new := _first_extra(words_of(sentence), words_of(evidence)):
            yield f"The sentence {what} that the evidence does not have: “{new}”."


def _first_extra(some: Mapping[str, str], others: Mapping[str, str]) -> str:
    """The word of the first group that ``others`` lacks."""
    return next((word for name, word in some.items() if name not in others), "")


def _order_changes(
    claim: ParsedSentence,
    source: ParsedSentence,
    claim_tokens: Sequence[_Token],
    source_tokens: Sequence[_Token],
) -> Iterator[str]:
    """Reordered parts, and joined parts that the evidence separates."""
    alignment = _alignment(claim_tokens, source_tokens)
    descent = _longest_descent(alignment)
    kinds = {(one.unit, one.kind) for one in source.quantities}
    if claim.quantities and len(kinds) < len(source.quantities):
        if descent > 1 or missing_quantities(source.quantities, claim.quantities):
            yield "The evidence states several such numbers; which belongs to what is not sure."
    elif is_passive(claim.text) != is_passive(source.text):
        if descent <= 2:
            yield "One of the two is in the passive voice, and its parts stand in the same order."
    elif descent > 1 and not _is_moved_phrase(claim.text, source.text, alignment):
        yield "The parts of the sentence have changed places."
    if any(
        _are_separate(source.text, source_tokens, set(alignment), *pair)
        for pair in pairwise(alignment)
    ):
        yield "The sentence joins what the evidence keeps apart."


def _dropped_qualifiers(
    source: ParsedSentence, claim_tokens: Sequence[_Token], source_tokens: Sequence[_Token]
) -> Iterator[str]:
    if not (aligned := set(_alignment(claim_tokens, source_tokens))):
        return
    first, last = source_tokens[min(aligned)], source_tokens[max(aligned)]
    end = re.compile(r"\S*[^\W_]").match(source.text, last.start)
    for phrase in dropped_qualifiers(source.text, first.start, end.end() if end else last.start):
        yield f"The sentence leaves out “{phrase}”."


def _is_moved_phrase(sentence: str, evidence: str, alignment: Sequence[int]) -> bool:
    """Whether the only change of order is a phrase moved between the ends: *In 2020 the tool was
    used*, *the tool was used in 2020*."""
    descents = [at for at in range(1, len(alignment)) if alignment[at] < alignment[at - 1]]
    moves = len(descents) == 1 and alignment[-1] < alignment[0] and not count_negations(sentence)
    return moves and bool(_PHRASE.match(sentence) or _PHRASE.match(evidence))


def _are_separate(
    text: str, tokens: Sequence[_Token], aligned: AbstractSet[int], one: int, other: int
) -> bool:
    """Whether the evidence has more than one skipped word, or a clause boundary, between two
    tokens that are adjacent in the sentence."""
    if other == one + 1:
        return False
    if len(set(range(one + 1, other)) - aligned) > _MAX_SKIPPED:
        return True
    first, last = sorted((tokens[one], tokens[other]))
    return _BOUNDARY.search(text, first.start, last.start) is not None


def _tokens(sentence: ParsedSentence) -> list[_Token]:
    """Content words and quantities in order."""
    in_quantity = {at for one in sentence.quantities for at in range(one.start, one.end)}
    tokens = []
    for word in words(sentence.text):
        capital = word.text[:1].isupper() and word.start > 0
        for part in forms(word.text).parts:
            if word.start in in_quantity or not any(char.isalpha() for char in part):
                continue
            if len(part) > 1 and (part not in _IGNORED or (capital and part.isalpha())):
                tokens.append(_Token(word.start, synonym_stem(stem(part))))
    letters = [_Token(one.start(), one[0]) for one in _LETTER.finditer(sentence.text)]
    tokens += letters if {one.key for one in letters} != {"A"} else []
    for quantity in sentence.quantities:
        value, unit = in_base(quantity.value, quantity.unit)
        tokens.append(_Token(quantity.start, f"{value.normalize():f} {unit}"))
    return sorted(set(tokens))


def _negated_keys(sentence: ParsedSentence, tokens: Sequence[_Token]) -> set[str]:
    return {
        token.key
        for token in tokens
        if any(one.end <= token.start < one.scope for one in sentence.negations)
    }


def _alignment(claim_tokens: Sequence[_Token], source_tokens: Sequence[_Token]) -> list[int]:
    """Indices in the evidence of the shared tokens, in the sentence's order; of repeated tokens
    the first index after the previous one."""
    alignment: list[int] = []
    source_keys = [token.key for token in source_tokens]
    for token in claim_tokens:
        places = [at for at, key in enumerate(source_keys) if key == token.key]
        after = [at for at in places if not alignment or at > alignment[-1]]
        if places:
            alignment.append(after[0] if after else places[-1])
    return alignment


def _longest_descent(alignment: Sequence[int]) -> int:
    """Length of the longest descending subsequence."""
    best = [1] * len(alignment)
    for at, place in enumerate(alignment):
        best[at] = 1 + max((best[b] for b in range(at) if alignment[b] > place), default=0)
    return max(best, default=0)


def _common_keys(claim_tokens: Sequence[_Token], source_tokens: Sequence[_Token]) -> set[str]:
    return {token.key for token in claim_tokens} & {token.key for token in source_tokens}


def _digits(text: str) -> list[str]:
    return re.findall(r"\d+", text)


def _word_at(text: str, start: int) -> str:
    match = re.compile(r"[\w’'.-]+").match(text, start)
    return (match[0] if match else text[start : start + 20]).rstrip(".")
