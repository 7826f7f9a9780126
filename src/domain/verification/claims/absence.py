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
# Names of large countries and the words for what is theirs; short ones of letters alone are left
# out, since letters are looked for within words.
_COUNTRIES: Final = tuple(
    tuple(name.strip() for name in line.split(","))
    for line in """
United States, America, American, U.S.A.
United Kingdom, Britain, British
Germany, German
France, French
Spain, Spanish
Portugal, Portuguese
Netherlands, Dutch
Switzerland, Swiss
Sweden, Swedish
Denmark, Danish
Finland, Finnish
Norway, Norwegian
Poland, Polish
Ireland, Irish
Greece, Greek
Turkey, Turkish, Türkiye
China, Chinese
Brazil, Brazilian
Israel, Israeli
Iraq, Iraqi
Thailand, Thai
Philippines, Filipino, Philippine
""".strip().splitlines()
)


def absent(claim: str, document: str) -> tuple[str, ...]:
    """Names and numbers of two digits or more of the claim that the text of the whole document
    has nowhere, as the claim writes them. What may be a year is not looked for."""
    parsed = parse_claim(claim)
    words = [parsed.text[term.start : term.end] for term in parsed.terms if term.is_name]
    text = _letters(document)
    called = _called_otherwise(parsed.text, text)
    names = [
        name
        for name in dict.fromkeys(map(_name, words))
        if (letters := "".join(_LETTERS.findall(name)).casefold()) not in text
        and letters not in called
    ]
    numbers = [
        one
        for one in parsed.quantities
        if _DIGITS.search(one.text) and not _YEAR.fullmatch(one.text)
    ]
    missing = unstated(numbers, _quantities(document)) if numbers else ()
    return (*names, *(one.text for one in missing))


def _called_otherwise(claim: str, text: str) -> set[str]:
    """The words of the claim's names of countries for which ``text`` has another word."""
    found: set[str] = set()
    for names in _COUNTRIES:
        mine = [name for name in names if re.search(rf"\b{re.escape(name)}(?!\w)", claim)]
        if mine and any("".join(_LETTERS.findall(name)).casefold() in text for name in names):
            found |= {word.casefold() for name in mine for word in _LETTERS.findall(name)}
    return found


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
