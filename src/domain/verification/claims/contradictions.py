"""Decisive contradictions: another number, another numbered name, an added negation."""

import re
from collections.abc import Sequence
from typing import Final

from citeloom.domain.verification.claims.counted_nouns import counted_stems, is_comparable, unstated
from citeloom.domain.verification.claims.features import ParsedSentence, coverage, stems_of
from citeloom.domain.verification.claims.quantity import Quantity, missing_quantities

# Minimum weighted coverage of the claim: same subject, same sentence but for a name, verbatim.
_SAME_SUBJECT: Final = 0.6

_SAME_SENTENCE: Final = 0.75

_VERBATIM: Final = 0.95
_NUMBERED: Final = re.compile(
    r"(?<![\w.-])(?P<series>[^\W\d_]+)[-\u2010\u2011\s]?(?P<number>\d+(?:\.\d+)*)(?![\d%])"
)


def has_other_number(claim: ParsedSentence, sentences: Sequence[ParsedSentence], best: int) -> bool:
    """Whether the best sentence is on the claim's subject and has another quantity, of the same
    unit or counted noun, in place of one that no sentence of the evidence states."""
    if coverage(claim, stems_of(sentences[best])) < _SAME_SUBJECT:
        return False
    stated = [quantity for sentence in sentences for quantity in sentence.quantities]
    absent = unstated(claim.quantities, stated)
    others = missing_quantities(sentences[best].quantities, claim.quantities)
    return any(
        _replaces(quantity, claim, other, sentences[best])
        for quantity in absent
        for other in others
    )


def adds_negation(claim: ParsedSentence, source: ParsedSentence) -> bool:
    """Whether a claim repeats a sentence without negations and adds one. (The reverse may be a
    faithful half of a sentence.)"""
    if source.negations or not claim.negations:
        return False
    return coverage(claim, stems_of(source)) >= _VERBATIM


def changed_names(claim: ParsedSentence, source: ParsedSentence) -> tuple[tuple[str, str], ...]:
    """Pairs of a numbered name of the claim and one of the same series in the source: *IL-6* and
    *IL-8*, *Phase 2* and *Phase 3*. None if much else differs."""
    if coverage(claim, stems_of(source)) < _SAME_SENTENCE:
        return ()
    claim_names, source_names = _numbered_names(claim), _numbered_names(source)
    return tuple(
        (written, other)
        for (series, number), written in claim_names.items()
        if (series, number) not in source_names
        for (same, another), other in source_names.items()
        if same == series and (same, another) not in claim_names
    )


def _numbered_names(sentence: ParsedSentence) -> dict[tuple[str, str], str]:
    quantity_spans = [(one.start, one.end) for one in sentence.quantities]
    return {
        (match["series"].casefold(), match["number"]): match[0]
        for match in _NUMBERED.finditer(sentence.text)
        if not any(start < match.end() and match.start() < end for start, end in quantity_spans)
    }


def _replaces(
    one: Quantity, claim: ParsedSentence, other: Quantity, source: ParsedSentence
) -> bool:
    counted_by_claim = counted_stems(one, claim.terms, claim.text)
    counted_by_source = counted_stems(other, source.terms, source.text)
    if not one.unit and one.kind == "number" and not counted_by_claim & counted_by_source:
        return False
    return is_comparable(one, counted_by_claim, other, counted_by_source)
