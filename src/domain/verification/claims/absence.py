"""What a claim names and its source nowhere has."""

import re
from functools import lru_cache
from typing import Final

from citeloom.domain.verification.claims.parsed_sentence import parse_claim
from citeloom.domain.verification.quantities.counted_nouns import unstated
from citeloom.domain.verification.quantities.quantity import Quantity
from citeloom.domain.verification.quantities.quantity_extraction import quantities

# Two is said of what the reader counted; 18 points or 0.53 must stand somewhere.
_DIGITS: Final = re.compile(r"\d\D?\d")
_YEAR: Final = re.compile(r"(?:1[5-9]|20)\d\d")
_LETTERS: Final = re.compile(r"[^\W_]+")


def absent(claim: str, document: str) -> tuple[str, ...]:
    """Names and numbers of two digits or more of the claim that the text of the whole document
    has nowhere, as the claim writes them. What may be a year is not looked for."""
    parsed = parse_claim(claim)
    words = [parsed.text[term.start : term.end] for term in parsed.terms if term.is_name]
    text = _letters(document)
    names = [
        name
        for name in dict.fromkeys(map(_name, words))
        if "".join(_LETTERS.findall(name)).casefold() not in text
    ]
    numbers = [
        one
        for one in parsed.quantities
        if _DIGITS.search(one.text) and not _YEAR.fullmatch(one.text)
    ]
    missing = unstated(numbers, _quantities(document)) if numbers else ()
    return (*names, *(one.text for one in missing))


# A draft cites a document many times.
@lru_cache(maxsize=4)
def _letters(document: str) -> str:
    return "".join(_LETTERS.findall(document)).casefold()


@lru_cache(maxsize=4)
def _quantities(document: str) -> tuple[Quantity, ...]:
    return quantities(document)


def _name(word: str) -> str:
    """The part of a compound that names: *French* of *French-speaking*; "" for a number."""
    if not any(letter.isupper() for letter in word):
        return ""
    return re.sub(r"[-\u2010\u2011][a-z]+\Z", "", word)
