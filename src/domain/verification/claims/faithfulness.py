"""Deviations of a sentence from its evidence.

Nothing is weighed: each number, name, content word, direction, negation, hedge, restriction and
connective of the sentence must be in the evidence, in an order that keeps the roles. A paraphrase
may fail. Words are compared by stem and by synonym group (``synonyms``).
"""

import re
from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from enum import StrEnum
from itertools import islice, pairwise
from typing import Final, NamedTuple

from citeloom.domain.text.terms import stem
from citeloom.domain.text.words import forms, words
from citeloom.domain.verification.quantities.quantity import (
    missing_quantities,
    same_value,
)

from .contradictions import (
    counts_of_others,
    denied_otherwise,
    exchanges_numbered,
    has_swapped_sides,
    idle_denials,
    is_turned_round,
    said_of_another,
)
from .exchanges import exchanges
from .function_words import (
    HEDGE,
    added,
    attribution_words,
    causal_words,
    count_negations,
    dropped,
    governs,
    hedges_dropped,
    markup,
    other_reasons,
    quantifiers,
    restrictions,
    widened,
)
from .parsed_sentence import (
    ParsedSentence,
    Token,
    alignment_of,
    content_tokens,
    coverage,
    parse_sentence,
    self_reference,
    stems_of,
    synonym_stem,
    without_asides,
    without_tail,
    word_at,
)
from .polarity import Direction, are_aligned, are_opposed, opposed_by_prefix
from .reasons import LACKS, denial
from .roles import (
    bearing_clause,
    dropped_qualifiers,
    exchanged_places,
    exchanged_roles,
    has_other_agent,
    has_other_verbs,
    mixes_clauses,
    other_owners,
    replaced,
    several_for_one,
    unclear_numbers,
    with_opening_last,
)

_EXCHANGED: Final = "Parts of your sentence have changed places."
_MAX_SHOWN: Final = 5
_MAX_PARTS: Final = 20  # sentences of one sentence of the source
_MAX_SHORTER: Final = 6
_SAME_NAME: Final = 5
# Words of the evidence that may be skipped at one place, unless the sentence repeats this share
# of the stretch of evidence that it is on.
_MAX_SKIPPED: Final = 1
_WHOLE: Final = 0.75
_SENTENCE_END: Final = re.compile(r"[.!?](?=\s+[^\W\d_])|[•▪]")
_BOUNDARY: Final = re.compile(
    r"[;:–—,()]|\b(?:and|or|but|nor|not|while|whereas|although|though|than|versus|vs|which|who|"
    r"yet|respectively|und|oder|aber|sondern|et|ou|mais|y|o|pero|sino|e|ma|en|of|maar)\b",
    re.IGNORECASE,
)


class DeviationKind(StrEnum):
    """``RESERVATION``: the evidence says it with a hedge, a restriction or an attribution that
    the sentence omits. ``ADDITION``: the sentence has a restriction or quantifier of its
    own. ``SCOPE``: it leaves out where, when or of whom. ``REPLACED``: another word in the same
    place. ``ORDER``: parts have changed places. ``APART``: words that are further apart in the
    evidence. ``DIRECTION``: a word that goes the other way there. ``CAUSE``: a reason or cause that
    the evidence does not give. ``SHADE``: what other words may keep: *we argue*, *several*,
    *can*, a second hedge. ``REASON``: a reason that the evidence gives as a fact."""

    WORD = "word"
    NUMBER = "number"
    POLARITY = "polarity"
    RESERVATION = "reservation"
    ADDITION = "addition"
    SCOPE = "scope"
    REPLACED = "replaced"
    DIRECTION = "direction"
    CAUSE = "cause"
    SHADE = "shade"
    REASON = "reason"
    ORDER = "order"
    APART = "apart"


class Deviation(NamedTuple):
    """``text`` is a sentence that describes it for people. ``is_hard``: no wording says the same;
    others are for a model to judge."""

    kind: DeviationKind
    text: str
    is_hard: bool = False


def deviations(
    claim: ParsedSentence, source: ParsedSentence, subject: AbstractSet[str] = frozenset()
) -> tuple[Deviation, ...]:
    """The deviations of ``claim`` from ``source``, a sentence of its evidence; none if it is
    faithful. If the source has several sentences, one may be enough. ``subject``: stems of the
    known subject of the sentence, which it may call *it*."""
    shorter = islice(_before_other_measurements(claim, source), _MAX_SHORTER)
    parts = [*islice(dict.fromkeys(_parts(source.text)), _MAX_PARTS), *shorter]
    parts.append(without_asides(claim, source))
    sources = [source, *(parse_sentence(part) for part in parts if part != source.text)]
    found = [
        (_deviations(claim, one, subject), coverage(claim, stems_of(one)), len(one.text))
        for one in sources
    ]
    # A part that has less of the claim deviates in fewer ways, and in worse; what a longer one has
    # more is of something else.
    least = min(found, key=lambda one: (bool(one[0]), -one[1], len(one[0]), one[2]))[0]
    if any(one.is_hard for one in least):
        return least
    if not least and mixes_clauses(claim, source):  # of a clause that was left out
        return (Deviation(DeviationKind.ORDER, _EXCHANGED, is_hard=True),)
    return (*least, *_denials_elsewhere(claim, source))


def _denials_elsewhere(claim: ParsedSentence, source: ParsedSentence) -> Iterator[Deviation]:
    """What deviates from the only clause with the words of the claim, where another one denies as
    much: *A fell, whereas B did not fall*, *A did not fall*."""
    if (clause := bearing_clause(claim, source)) and count_negations(source.text):
        found = _polarity_changes(claim, parse_sentence(clause))
        yield from (d for d in found if d.is_hard and d.kind is DeviationKind.POLARITY)


def vetoes(
    claim: ParsedSentence, source: ParsedSentence, subject: AbstractSet[str] = frozenset()
) -> tuple[Deviation, ...]:
    """The deviations that no wording explains, so no model may find support in ``source``. The
    title counts as the subject only if the sentence names none."""
    named = {one.stem for one in source.terms if one.is_name} - stems_of(claim)
    return tuple(
        one
        for one in deviations(claim, source, frozenset() if named - subject else subject)
        if one.is_hard
    )


def _deviations(
    claim: ParsedSentence, source: ParsedSentence, subject: AbstractSet[str]
) -> tuple[Deviation, ...]:
    return (
        *_unsupported_tokens(claim, source, subject),
        *_polarity_changes(claim, source),
        *_function_word_changes(claim, source),
        *_substitutions(claim, source, subject),
        *_order_changes(claim, source),
        *_dropped_qualifiers(claim, source),
        *(Deviation(DeviationKind.ORDER, one, is_hard=True) for one in exchanges(claim, source)),
    )


def _parts(text: str) -> list[str]:
    ends = [0, *(match.end() for match in _SENTENCE_END.finditer(text)), len(text)]
    return [text[start:end].strip() for start, end in pairwise(ends)]


def _before_other_measurements(claim: ParsedSentence, source: ParsedSentence) -> Iterator[str]:
    """The beginning of a sentence that goes on, after a comma, with another value of the claim's
    unit: *1.7 K at 5 m, at 100 m only 0.3 K*."""
    units = {one.unit for one in claim.quantities if one.unit}
    for comma in re.finditer(r",\s", source.text):
        if any(one.start > comma.start() and one.unit in units for one in source.quantities):
            yield source.text[: comma.start()]


def _unsupported_tokens(
    claim: ParsedSentence, source: ParsedSentence, subject: AbstractSet[str]
) -> Iterator[Deviation]:
    claim_tokens, source_tokens = content_tokens(claim), content_tokens(source)
    others = missing_quantities(source.quantities, claim.quantities)
    for quantity in missing_quantities(claim.quantities, source.quantities):
        unit = quantity.text.casefold().removeprefix("one ")
        article = r"an?\s(?:\w+\s)?" if unit != quantity.text.casefold() else ""
        stated = re.search(rf"\b{article}{re.escape(unit)}\b", source.text, re.IGNORECASE)
        if stated and (article or quantity.kind == "ordinal"):
            continue  # "one week" is "a week"; "our fifth time"
        text = f"The nearest sentence does not state “{quantity.text}”."
        yield Deviation(DeviationKind.NUMBER, text, is_hard=unit != "one" or bool(others))
    source_keys = {one.key for one in source_tokens} | _joined(source.text) | self_reference(source)
    matched_directions = {
        one.start
        for one in claim.directions
        if any(are_aligned(one, other) for other in source.directions)
        or is_turned_round(claim, source)
    }  # their polarity is checked in _polarity_changes
    within = (range(one.start, one.end) for one in claim.quantities)
    checked_elsewhere = matched_directions.union(*within)
    unsupported = [
        token
        for token in claim_tokens
        if token.key not in source_keys | subject and token.start not in checked_elsewhere
    ]
    if unsupported:
        directions = {one.start for one in claim.directions}
        named = [token for token in unsupported if token.start not in directions]
        words = dict.fromkeys(word_at(claim.text, token.start) for token in named or unsupported)
        shown = ", ".join(f"“{word}”" for word in list(words)[:_MAX_SHOWN])
        names = {term.start for term in claim.terms if term.is_name}
        begun = {key[:_SAME_NAME] for key in source_keys}  # *America*, *American*
        is_hard = any(
            one.start in names and one.key[:_SAME_NAME] not in begun for one in unsupported
        )
        # A direction is told by ``_polarity_changes`` too, in these words.
        said = LACKS if named else "The source does not say"
        yield Deviation(DeviationKind.WORD, f"{said} {shown}.", is_hard)
    # Digits within names and dates are not quantities, but must be in the evidence too.
    source_digits = set(re.findall(r"\d+", " ".join((source.text, *subject))))
    quantity_texts = [q.text for q in claim.quantities]
    told = [*quantity_texts, *(word_at(claim.text, one.start) for one in unsupported)]
    for digits in dict.fromkeys(re.findall(r"\d+", claim.text)):
        if digits not in source_digits and not any(digits in text for text in told):
            text = f"{LACKS} “{digits}”."
            yield Deviation(DeviationKind.NUMBER, text, is_hard=True)


def _joined(text: str) -> set[str]:
    """Compounds written as one word: *online* of *on-line*."""
    return {
        synonym_stem(stem(other))
        for word in words(text)
        if not word.text.isalnum()
        for other in forms(word.text).others
    }


def _polarity_changes(claim: ParsedSentence, source: ParsedSentence) -> Iterator[Deviation]:
    source_tokens = content_tokens(source)
    elsewhere = list(said_of_another(claim, source, of_subject=True))
    said = {_direction_key(one) for one in claim.directions}
    for direction in () if is_turned_round(claim, source) else claim.directions:
        key = _direction_key(direction)
        related = [  # others of the claim's words are said again
            o
            for o in source.directions
            if (are_aligned(direction, o) or are_opposed(direction, o))
            and (_direction_key(o) == key or _direction_key(o) not in said)
        ]
        if not related:
            if key not in {token.key for token in source_tokens}:
                yield Deviation(
                    DeviationKind.POLARITY,
                    f"The source does not say “{direction.word}”.",
                )
        elif not _agrees_with(direction, related) or direction in elsewhere:
            is_time = direction.axis == "order"
            yield Deviation(
                DeviationKind.POLARITY if is_time else DeviationKind.DIRECTION,
                f"“{direction.word}” goes the other way in the source, or is said of something "
                "else.",
                is_hard=True,
            )
    if count_negations(claim.text) != count_negations(source.text):
        mine, theirs = (
            count_negations(one.text) - idle_denials(one, other)
            for one, other in ((claim, source), (source, claim))
        )
        is_hard = (mine - theirs) % 2 == 1
        yield Deviation(DeviationKind.POLARITY, denial(claim, source), is_hard)
        return
    for one, other in ((claim, source), (source, claim)):
        if otherwise := denied_otherwise(one, other):
            is_hard = not otherwise.isdisjoint(token.key for token in content_tokens(other))
            text = "The two deny different things."
            yield Deviation(DeviationKind.POLARITY, text, is_hard)
            return


def _agrees_with(direction: Direction, related: Sequence[Direction]) -> bool:
    """Whether the evidence has the same word, denials aside, or without it only words of the same
    direction."""
    if any(_direction_key(other) == _direction_key(direction) for other in related):
        return True
    return all(
        are_aligned(direction, other) and direction.negated == other.negated for other in related
    )


def _direction_key(direction: Direction) -> str:
    return synonym_stem(stem(direction.word))


def _function_word_changes(claim: ParsedSentence, source: ParsedSentence) -> Iterator[Deviation]:
    sentence, evidence = claim.text, source.text
    said = without_tail(claim, source)
    is_more_exact = _is_more_exact(claim, source)
    if is_more_exact or hedges_dropped(sentence, said):
        is_shade = not is_more_exact and HEDGE.search(sentence)
        kind = DeviationKind.SHADE if is_shade else DeviationKind.RESERVATION
        given = sentence.casefold()
        hedges = (one[0] for one in HEDGE.finditer(said) if one[0].casefold() not in given)
        hedge = next(hedges, None)
        text = f"The source is less sure: “{hedge}”." if hedge else "The source is less sure."
        yield Deviation(kind, text, is_hard=True)
    for what, words_of in (
        ("You state as fact what the source only reports or expects", attribution_words),
        ("Your sentence leaves out a restriction of the source", restrictions),
        ("Your sentence leaves out how many or how far", quantifiers),
    ):
        found = dropped(sentence, said, words_of)
        for gone in [one for one in found if not _is_stated(one.word, source, claim)][:1]:
            text = f"{what}: “{gone.word}”."
            is_over = words_of is not attribution_words or governs(gone.word, claim, source)
            is_whole = is_over and not gone.is_shade
            kind = DeviationKind.RESERVATION if is_whole else DeviationKind.SHADE
            yield Deviation(kind, text, gone.is_hard)
    for what, words_of in (
        ("adds a restriction", restrictions),
        ("names a cause", causal_words),
        ("says how many or how far", quantifiers),
        ("has markup or an address", markup),
    ):
        found = added(sentence, evidence, words_of)
        is_cause = words_of is causal_words
        if is_cause:  # *stores the results in*
            known = {stem(one.text.casefold()) for one in words(evidence)}
            found = [one for one in found if stem(one.word.split()[0].casefold()) not in known]
        for new in [one for one in found if not _is_stated(one.word, claim, source)][:1]:
            text = f"Your sentence {what} that the source does not have: “{new.word}”."
            kind = DeviationKind.CAUSE if is_cause else DeviationKind.ADDITION
            yield Deviation(kind, text, new.is_hard)


def _is_stated(word: str, one: ParsedSentence, other: ParsedSentence) -> bool:
    """Whether a word of ``one`` is a number that ``other`` states as well: *half* and *50 %*."""
    named = (q for q in one.quantities if q.text.casefold() == word.casefold())
    return any(same_value(quantity, stated) for quantity in named for stated in other.quantities)


def _is_more_exact(claim: ParsedSentence, source: ParsedSentence) -> bool:
    """Whether a number of the claim is one that the source has only with *about*."""
    for one in claim.quantities:
        same = [other.approximate for other in source.quantities if same_value(one, other)]
        if not one.approximate and one.relation == "=" and same and all(same):
            return True
    return False


def _substitutions(
    claim: ParsedSentence, source: ParsedSentence, subject: AbstractSet[str]
) -> Iterator[Deviation]:
    known = subject | self_reference(source)
    found = (
        *counts_of_others(claim, source),
        *replaced(claim, source, known),
        *other_owners(claim.text, source.text),
        *((*pair, True) for pair in opposed_by_prefix(claim.text, source.text)),
    )
    for said, stated, are_other in found:
        text = f"Your sentence says “{said}”, the source “{stated}”."
        yield Deviation(DeviationKind.REPLACED, text, are_other)
    for word in (*widened(claim, source), *several_for_one(claim.text, source.text)):
        text = f"Your sentence says “{word}” of something else than the source."
        yield Deviation(DeviationKind.REPLACED, text, is_hard=True)
    for word, is_said in other_reasons(claim, source):
        text = f"Your sentence gives a reason that the source does not: “{word}”."
        kind = DeviationKind.REASON if is_said else DeviationKind.CAUSE
        yield Deviation(kind, text, is_hard=True)


def _order_changes(claim: ParsedSentence, source: ParsedSentence) -> Iterator[Deviation]:
    """Exchanged roles, numbers of other things, and joined parts that the evidence separates."""
    claim_tokens, source_tokens = content_tokens(claim), content_tokens(source)
    alignment = alignment_of(claim_tokens, source_tokens)
    mine, theirs = with_opening_last(claim), with_opening_last(source)
    exchanged = exchanged_places(claim, source)
    is_sure = has_other_agent(mine, theirs) or exchanged is not None
    is_sure |= exchanges_numbered(claim, source) or mixes_clauses(claim, source)
    is_sure |= has_swapped_sides(claim, source)
    if is_sure or exchanged_roles(mine, theirs):
        kind = DeviationKind.ORDER if is_sure else DeviationKind.APART
        text = "“{}” and “{}” have changed places.".format(*exchanged) if exchanged else _EXCHANGED
        yield Deviation(kind, text, is_hard=True)
    for is_of_another in unclear_numbers(claim, source):
        text = "The source has several such numbers; it is not clear which one is meant."
        yield Deviation(DeviationKind.ORDER, text, is_of_another)
    if has_other_verbs(claim, source):
        text = "The source has these words in other forms, and may say something else."
        yield Deviation(DeviationKind.ORDER, text)
    aligned = set(alignment)
    stretch = max(aligned, default=0) - min(aligned, default=0) + 1
    renames = any(
        _replaces_next(source.text, source_tokens, aligned, *pair) for pair in pairwise(alignment)
    )
    if len(aligned) >= _WHOLE * stretch:
        joins = renames
    else:
        joins = any(
            _are_separate(source.text, source_tokens, aligned, *pair)
            for pair in pairwise(alignment)
        )
    if joins:
        text = "The source has these words further apart, or in another order."
        yield Deviation(DeviationKind.APART, text, renames)


def _dropped_qualifiers(claim: ParsedSentence, source: ParsedSentence) -> Iterator[Deviation]:
    claim_tokens, source_tokens = content_tokens(claim), content_tokens(source)
    if not (aligned := set(alignment_of(claim_tokens, source_tokens))):
        return
    first, last = source_tokens[min(aligned)], source_tokens[max(aligned)]
    end = re.compile(r"\S*[^\W_]").match(source.text, last.start)
    for phrase in dropped_qualifiers(source.text, first.start, end.end() if end else last.start):
        if phrase.casefold() in claim.text.casefold():
            continue
        yield Deviation(DeviationKind.SCOPE, f"Your sentence leaves out “{phrase}”.")


def _replaces_next(
    text: str, tokens: Sequence[Token], aligned: AbstractSet[int], one: int, other: int
) -> bool:
    """Whether the sentence continues after a token with words from elsewhere in the evidence, where
    a name follows that the sentence lacks."""
    after = one + 1
    if other in (after, after + 1) or after >= len(tokens):
        return False  # left out alone, it is a name that tells which
    if tokens[after].key in {tokens[at].key for at in aligned}:
        return False
    is_name = text[tokens[after].start].isupper()
    return is_name and not _BOUNDARY.search(text, tokens[one].start, tokens[after].start)


def _are_separate(
    text: str, tokens: Sequence[Token], aligned: AbstractSet[int], one: int, other: int
) -> bool:
    """Whether the evidence has more than one skipped word, or a clause boundary, between two
    tokens that are adjacent in the sentence."""
    if other == one + 1:
        return False
    if len(set(range(one + 1, other)) - aligned) > _MAX_SKIPPED:
        return True
    first, last = sorted((tokens[one], tokens[other]))
    return _BOUNDARY.search(text, first.start, last.start) is not None
