"""What two sentences say of a noun: whether one or several, and whose it is."""

import re
from collections.abc import Iterator
from typing import Final

from citeloom.domain.text.terms import stem

# Not *the same metrics*, which may be several.
_ONE_OF: Final = re.compile(
    r"\b(?:a single|one and the same|the same) (?!\w*[^\Wisu]s\b)(\w+)", re.IGNORECASE
)
_SEVERAL_OF: Final = re.compile(
    r"\b(?:several|multiple|many|various|different) (\w+)", re.IGNORECASE
)


def several_for_one(claim: str, source: str) -> Iterator[str]:
    """*Several* and the like of the claim before what the source has once only: *several scopes*
    for *a single scope*; and *a single scope* for *several scopes*."""
    for mine, theirs in ((_SEVERAL_OF, _ONE_OF), (_ONE_OF, _SEVERAL_OF)):
        same, other = ({stem(one.casefold()) for one in p.findall(source)} for p in (mine, theirs))
        for found in mine.finditer(claim):
            if stem(found[1].casefold()) in other - same:
                yield found[0]


# Not one of several: *of Stasis and Berkeley DB*, *Kolmogorov and Gödel's*.
_OWNED: Final = re.compile(r"(?<!and )\b(?P<who>[A-Z]\w+)['’]s (?P<what>\w+)")
_OF: Final = re.compile(r"\b(?P<what>\w+) of (?P<who>[A-Z]\w+)\b(?! (?:\w+ )?and\b)")


def other_owners(claim: str, source: str) -> Iterator[tuple[str, str, bool]]:
    """Whose something is in the claim, and in the source: *supervision of Turing*, *Church's
    supervision*; both are surely other ones."""
    mine, theirs = _owners(claim), _owners(source)
    for noun in mine.keys() & theirs.keys():
        if mine[noun].isdisjoint(theirs[noun]):
            yield min(mine[noun]), min(theirs[noun]), True


def _owners(text: str) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for pattern in (_OWNED, _OF):
        for one in pattern.finditer(text):
            found.setdefault(stem(one["what"].casefold()), set()).add(one["who"])
    return found
