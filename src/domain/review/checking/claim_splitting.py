"""Splitting a sentence into independent clauses, one claim each."""

import re
from typing import Final

# An independent clause may follow; reasons, conditions and comparisons stay with their clause.
_CLAUSE_BOUNDARY: Final = re.compile(
    r";\s+(?:and\s|but\s|while\s|whereas\s|however,\s)?|,\s+(?:and|but|while|whereas|yet)\s+"
    r"|\s+(?:while|whereas)\s+",
    re.IGNORECASE,
)
# Finite verbs, one of which an independent clause has after its first word.
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
_MIN_WORDS: Final = 4


def split_claims(sentence: str) -> tuple[str, ...]:
    """The clauses of ``sentence`` if each is independent, else the sentence. Only conjunctions
    are lost."""
    clauses = [clause.strip() for clause in _CLAUSE_BOUNDARY.split(sentence)]
    if len(clauses) > 1 and all(map(_is_independent, clauses)):
        return tuple(clauses)
    return (sentence,)


def _is_independent(clause: str) -> bool:
    words = _WORD.findall(clause)
    return (
        len(words) >= _MIN_WORDS
        and not _DEPENDENT.match(clause)
        and any(_VERB.fullmatch(word) for word in words[1:])
    )
