"""The parts that decide an unsupported claim: its quantities and quotations.

A page that has none of them, in any form, does not support the claim. A sentence that has all of
them, of the same things, is the claim's source, whatever the two say.
"""

import re
from decimal import Decimal
from typing import Final

from .claims.parsed_sentence import (
    ParsedSentence,
    coverage,
    parse_claim,
    stems_of,
)
from .claims.quotations import quoted_passages
from .quantities.quantity import (
    Quantity,
    quantities,
    same_value,
    unstated,
)

# Minimum weighted shares of the claim's content words in a sentence beside all its quantities, and
# beside less; and the minimum number of such words.
_SAME_THINGS: Final = 0.5
_MOST: Final = 0.6
_LEAST_SHARED: Final = 2
# So many words in a row, or a verb among them, are not a term that the marks set off.
_SURELY_QUOTED: Final = 6
_VERB: Final = re.compile(
    r"\b(?:am|is|are|was|were|be|been|has|have|had|do|does|did|can|could|will|would|shall|should|may"
    r"|might|must|cannot|\w+n['’]t)\b",
    re.IGNORECASE,
)
_TWO_DIGITS: Final = re.compile(r"\d\D?\d")
_YEAR: Final = re.compile(r"(?:1[5-9]|20)\d\d")
_NUMBER: Final = re.compile(r"\d+(?:,\d{3})*(?:\.\d+)?")


def decisive_quantities(claim: ParsedSentence) -> tuple[Quantity, ...]:
    """The quantities in digits that have a unit, or two digits or more; no years, no ordinals."""
    return tuple(
        one
        for one in _measured(claim)
        if _TWO_DIGITS.search(one.text) or (one.unit and _NUMBER.search(one.text))
    )


def may_state(text: str, quantity: Quantity) -> bool:
    """Whether ``text`` may state a quantity, or an end of a range, in whatever form: in another
    unit, in words, more exactly, or as the bare digits of a table."""
    given = numbers(text)
    for digits in _NUMBER.findall(quantity.text):
        half = Decimal(5).scaleb(-1 - len(digits.partition(".")[2]))
        if any(abs(number - _decimal(digits)) <= half for number in given):
            return True
    plain = quantity._replace(upper=None, spread=None)
    return any(same_value(plain, one) for one in quantities(text))


def numbers(text: str) -> frozenset[Decimal]:
    """The numbers that a text has in digits."""
    return frozenset(map(_decimal, _NUMBER.findall(text)))


def has_its_quantities(claim: ParsedSentence, sentence: ParsedSentence) -> bool:
    """Whether a sentence states every quantity of the claim, and speaks of the same things."""
    return not unstated(_measured(claim), sentence.quantities) and _shares(
        claim, sentence, _SAME_THINGS
    )


def has_its_quotation(claim: ParsedSentence, quotation: str, sentence: ParsedSentence) -> bool:
    """Whether the claim takes a quotation of ``sentence`` from it. Then it is long, or a clause; or
    it has a quantity, and the sentence the claim's others; or the sentence has most of the claim's
    words. Else the marks may set off a term."""
    if len(quotation.split()) >= _SURELY_QUOTED or _VERB.search(quotation):
        return True
    if decisive_quantities(parse_claim(quotation)):
        return not unstated(_measured(claim), sentence.quantities)
    return _shares(claim, sentence, _MOST)


def has_its_rest(claim: str, sentence: ParsedSentence) -> bool:
    """Whether a sentence has most words of a claim outside its quotations."""
    for one in reversed(quoted_passages(claim)):
        claim = claim[: one.start] + claim[one.end :]
    return _shares(parse_claim(claim), sentence, _MOST)


def _measured(claim: ParsedSentence) -> list[Quantity]:
    return [
        one
        for one in claim.quantities
        if one.kind not in ("year", "ordinal") and not _YEAR.fullmatch(one.text)
    ]


def _shares(claim: ParsedSentence, sentence: ParsedSentence, least: float) -> bool:
    stems = stems_of(sentence)
    shared = {term.stem for term in claim.terms if term.stem in stems}
    return len(shared) >= _LEAST_SHARED and coverage(claim, stems) >= least


def _decimal(digits: str) -> Decimal:
    return Decimal(digits.replace(",", ""))
