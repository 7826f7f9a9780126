"""Leading and trailing qualifiers of a sentence (*in mice*, *after surgery*), which a claim must
not drop."""

import re
from collections.abc import Iterator
from typing import Final

from citeloom.domain.text.phrasing import shortened

_PREPOSITION: Final = (
    r"(?:in|among|amongst|within|during|after|before|with|without|for|at|on|under|when|where|if|"
    r"unless|following|across|between|compared|relative|than|until|since|from|through|throughout|"
    r"against|upon|near|beside|above|below|beyond|up to|as long as)"
)
_TRAILING: Final = re.compile(rf"[\s,]*\b{_PREPOSITION}\s", re.IGNORECASE)
_LEADING: Final = re.compile(rf"\W*{_PREPOSITION}\s[^,;:]*,\s", re.IGNORECASE)
# Leading phrases that are no qualifiers.
_DISCOURSE_OPENING: Final = re.compile(
    r"\W*(?:in|for|at|on|from|with|after|through)\s(?:\w+\s)?(?:conclusion|addition|summary|fact|"
    r"particular|general|total|contrast|brief|short|turn|example|instance|paper|study|article|work|"
    r"section|chapter|average|other words|the one hand|the other hand|this end|this purpose|"
    r"this reason|this regard|all)\b[^,;:]*,",
    re.IGNORECASE,
)
_LONGEST: Final = 60


def dropped_qualifiers(evidence: str, start: int, end: int) -> Iterator[str]:
    """Qualifiers of ``evidence`` before ``start`` and after ``end``, the part that another
    sentence restates."""
    head, tail = evidence[:start], evidence[end:]
    if (found := _LEADING.match(head)) and not _DISCOURSE_OPENING.match(head):
        yield _shortened(found[0])
    if _TRAILING.match(tail):
        yield _shortened(tail)


def _shortened(phrase: str) -> str:
    text = " ".join(phrase.split()).strip(" ,.;")
    return shortened(text, _LONGEST)
