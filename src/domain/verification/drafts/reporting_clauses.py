"""Clauses of a claim that name the authors whom it cites: *Hoare warns that …*.

Who says it is the citation; the source need not name its own authors.
"""

import re
from collections.abc import Sequence

_VERBS = (
    r"(?:reports?|notes?|states?|finds?|shows?|observes?|writes?|explains?|mentions?|describes?|"
    r"points?\sout|says?|concludes?|warns?|argues?|claims?|suggests?|proves?|demonstrates?|"
    r"establish(?:es)?|maintains?|asserts?|believes?|emphasi[sz]es?|stress(?:es)?|holds?|admits?|"
    r"acknowledges?|remarks?|estimates?|indicates?|reveals?|confirms?|discovers?|add|adds|"
    r"reported|noted|stated|found|showed|shown|observed|wrote|written|explained|mentioned|"
    r"described|pointed\sout|said|concluded|warned|argued|claimed|suggested|proved|proven|"
    r"demonstrated|established|maintained|asserted|believed|emphasi[sz]ed|stressed|held|admitted|"
    r"acknowledged|remarked|estimated|indicated|revealed|confirmed|discovered|added)"
)
_ADVERB = r"(?:(?:have|has|had|also|further|clearly|explicitly|even|already|first)\s)*"
_OTHERS = r"(?:,?\set\sal\.?|,?\s(?:and|&)\s(?:others|colleagues|co-?workers))?"
_BETWEEN = r"(?:,\s(?:and\s|&\s)?|\s(?:and|&)\s)"
_GIVEN = r"(?:[^\W\d_a-zß-öø-ÿ][\w.’'-]*\s){0,3}?"


def without_authors(claim: str, authors: Sequence[str]) -> str:
    """``claim`` without a clause that says that ``authors`` say it, and without their names as
    possessors at its beginning. Any other name stays."""
    names = "|".join(re.escape(name) for name in sorted(_family_names(authors), key=len)[::-1])
    if not names:
        return claim
    one = rf"(?:{_GIVEN}(?:{names}))"
    people = rf"{one}(?:{_BETWEEN}{one})*{_OTHERS}"
    for pattern, instead in (
        (rf"\W*{people}\s{_ADVERB}{_VERBS}\sthat\s", ""),
        (rf"\W*(?i:as|according\sto)\s{people}(?:\s{_VERBS})?,\s", ""),
        (rf"\W*{people}[’']s?\s", "The "),
    ):
        if match := re.match(pattern, claim):
            rest = instead + claim[match.end() :]
            return rest[:1].upper() + rest[1:]
    return claim


def _family_names(authors: Sequence[str]) -> set[str]:
    """Of *Hoare, C. A. R.* and *C. A. R. Hoare* the last name."""
    found = set()
    for author in authors:
        family, comma, _ = author.partition(",")
        words = family.split()
        if words:
            found.add(family.strip() if comma else words[-1])
    return found
