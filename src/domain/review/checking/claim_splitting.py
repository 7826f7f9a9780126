"""A sentence cut into what it claims one by one."""

import re
from typing import Final

# After these a clause of its own may follow; reasons, conditions and comparisons are part of
# what they stand with.
_CUT: Final = re.compile(
    r";\s+(?:and\s|but\s|while\s|whereas\s|however,\s)?|,\s+(?:and|but|while|whereas|yet)\s+"
    r"|\s+(?:while|whereas)\s+",
    re.IGNORECASE,
)
# A clause that stands by itself: something, and a verb of it near its beginning.
_VERB: Final = re.compile(
    r"\b(?:is|are|was|were|has|have|had|does|do|did|can|could|may|might|will|would|should|must|"
    r"\w{3,}(?:ed|es|[^su]s))\b",
    re.IGNORECASE,
)
_WORD: Final = re.compile(r"[^\W\d_][\w'’-]*|\d[\d.,%]*")
_DEPENDENT: Final = re.compile(
    r"(?:in|on|at|of|for|by|with|to|from|than|as|into|over|under|which|that|who|whose|where|when|"
    r"because|since|if|including|such|not|it|they|its|their|this|these|those|he|she|both|"
    r"then|also)\b",
    re.IGNORECASE,
)
_LEAST: Final = 4


def claims_in(sentence: str) -> tuple[str, ...]:
    """The clauses of ``sentence`` if each stands by itself, else the whole of it. Nothing of it
    is lost but what joins them."""
    parts = [part.strip() for part in _CUT.split(sentence)]
    if len(parts) > 1 and all(map(_stands, parts)):
        return tuple(parts)
    return (sentence,)


def _stands(part: str) -> bool:
    words = _WORD.findall(part)
    return (
        len(words) >= _LEAST
        and not _DEPENDENT.match(part)
        and any(_VERB.fullmatch(word) for word in words[1:])
    )
