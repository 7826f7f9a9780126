"""Reasons of a verdict, in sentences that a person can check."""

import re
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from typing import Final

from citeloom.domain.text.terms import stem
from citeloom.domain.verification.quantities.quantity import unstated

from .function_words import count_negations
from .parsed_sentence import ParsedSentence, content_tokens, stems_of, without_tail
from .polarity import negations

#: The begin of a sentence that names words of the claim.
LACKS: Final = "The nearest sentence does not have"
#: The begin of what names those of them that another sentence has.
ANOTHER: Final = "another sentence of the source has"
_QUOTED: Final = re.compile("“([^”]+)”")
_WORD: Final = re.compile(r"[^\W_]+")
_MAX_NAMED: Final = 6


def denial(claim: ParsedSentence, source: ParsedSentence) -> str:
    """Which of two sentences with different numbers of denials has more, and the words for those
    that the other lacks."""
    fewer, more = sorted((claim, source), key=lambda one: count_negations(one.text))
    known, words = [one.casefold() for one in _denials(fewer)], _denials(more)
    words = [one for one in words if one.casefold() not in known] or words
    shown = ", ".join(dict.fromkeys(f"“{word}”" for word in words))
    tail = len(without_tail(claim, source))
    if more is source and shown and all(one.start >= tail for one in negations(source.text)):
        return f"The source goes on with a denial: {shown}."
    who = "your sentence" if more is claim else "the source"
    if count_negations(fewer.text):
        return f"{who[0].upper()}{who[1:]} denies more{shown and ': '}{shown}."
    return f"Only {who} denies something{shown and ': '}{shown}."


def _denials(sentence: ParsedSentence) -> list[str]:
    return [sentence.text[start:end] for start, end, _ in negations(sentence.text)]


def missing(claim: ParsedSentence, source: ParsedSentence) -> list[str]:
    """One sentence for the words and one for each number that the source does not have."""
    known = stems_of(source)
    content = {one.start for one in content_tokens(claim)} - {q.start for q in claim.quantities}
    absent = dict.fromkeys(
        claim.text[term.start : term.end]
        for term in claim.terms
        if term.start in content and term.stem not in known
    )
    reasons = []
    if absent:
        reasons.append(f"{LACKS} {_listed(list(absent)[:_MAX_NAMED])}.")
    reasons += [
        f"The nearest sentence does not state “{one.text}”."
        for one in unstated(claim.quantities, source.quantities)
        if one.text.casefold() != "one"  # mostly a pronoun
    ]
    return reasons


def told_once(texts: Sequence[str], subject: AbstractSet[str]) -> tuple[str, ...]:
    """Reasons, each word of the claim named in one of them. Words of the title are not missing:
    a sentence may leave its subject unnamed."""
    told: set[str] = set()
    shown = {}
    for text in sorted(dict.fromkeys(texts), key=lambda one: one.startswith(LACKS)):
        is_list, named = text.startswith(LACKS), _QUOTED.findall(text)
        known = subject if is_list else ()
        new = [w for w in named if w.casefold() not in told and stem(w.casefold()) not in known]
        if named and not (new if is_list else new[:1] == named[:1]):
            continue
        shown[text] = f"{LACKS} {_listed(new)}." if is_list else text
        told.update(one.casefold() for one in (named if is_list else named[:1]))
    return tuple(shown[text] for text in dict.fromkeys(texts) if text in shown) or tuple(texts)


def found_in_another(reasons: Sequence[str], others: Sequence[str]) -> tuple[str, ...]:
    """The reasons; where the nearest sentence lacks words, those that one of ``others`` has are
    named apart: the one with most of them."""
    known = [{stem(one.casefold()) for one in _WORD.findall(text)} for text in others]
    said = []
    for text in reasons:
        named = _QUOTED.findall(text) if text.startswith(LACKS) else []
        stems = {word: {stem(one) for one in _WORD.findall(word.casefold())} for word in named}
        in_each = ([word for word in named if stems[word] <= one] for one in known)
        has = max(in_each, key=len, default=[])
        lacking = [one for one in named if one not in has]
        if has:
            first = f"{LACKS} {_listed(lacking)}; {ANOTHER}" if lacking else ANOTHER.capitalize()
            text = f"{first} {_listed(has)}."
        said.append(text)
    return tuple(said)


def _listed(words: Sequence[str]) -> str:
    return ", ".join(f"“{one}”" for one in words)
