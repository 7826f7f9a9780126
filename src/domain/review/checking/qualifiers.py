"""What stands at either end of a sentence and says of whom, when or where it holds: *in mice*,
*after surgery*. Who leaves it out says more than the sentence does."""

import re
from collections.abc import Iterator
from typing import Final

from citeloom.domain.text.phrasing import shortened

_IN: Final = (
    r"(?:in|among|amongst|within|during|after|before|with|without|for|at|on|under|when|where|if|"
    r"unless|following|across|between|compared|relative|than|until|since|from|through|throughout|"
    r"against|upon|near|beside|above|below|beyond|up to|as long as)"
)
_FOLLOWS: Final = re.compile(rf"[\s,]*\b{_IN}\s", re.IGNORECASE)
_BEGINS: Final = re.compile(rf"\W*{_IN}\s[^,;:]*,\s", re.IGNORECASE)
# Such a phrase that says nothing of where the rest holds.
_OPENING: Final = re.compile(
    r"\W*(?:in|for|at|on|from|with|after|through)\s(?:\w+\s)?(?:conclusion|addition|summary|fact|"
    r"particular|general|total|contrast|brief|short|turn|example|instance|paper|study|article|work|"
    r"section|chapter|average|other words|the one hand|the other hand|this end|this purpose|"
    r"this reason|this regard|all)\b[^,;:]*,",
    re.IGNORECASE,
)
_LONGEST: Final = 60


def left_out(evidence: str, start: int, end: int) -> Iterator[str]:
    """What of ``evidence`` stands before ``start`` or behind ``end``, between which all is that
    another sentence says, and restricts it; nothing where a clause of its own is there."""
    head, tail = evidence[:start], evidence[end:]
    if (found := _BEGINS.match(head)) and not _OPENING.match(head):
        yield _shown(found[0])
    if _FOLLOWS.match(tail):
        yield _shown(tail)


def _shown(phrase: str) -> str:
    text = " ".join(phrase.split()).strip(" ,.;")
    return shortened(text, _LONGEST)
