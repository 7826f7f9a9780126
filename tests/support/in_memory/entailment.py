"""Word overlap of claim and premise as an entailment model (port ``EntailmentModel``).

For tests; passes the contract tests of the port. And relations of words that are given.
"""

import hashlib
import re
from collections.abc import Collection, Mapping, Sequence

from citeloom.application.ports.verification import Entailment
from citeloom.domain.verification.claims.alignment import Relation

_WORD = re.compile(r"\w+")
_DENIALS = frozenset({"no", "not", "never"})
# Readings made by other rules are not comparable; part of the fingerprint.
_RULES = "overlap-1"


class OverlapEntailment:
    """The share of the claim's words that the premise has supports it; it contradicts it if one of
    the two has a negation and the other has none."""

    @property
    def fingerprint(self) -> str:
        return hashlib.sha256(_RULES.encode()).hexdigest()

    def read(self, claim: str, premises: Sequence[str]) -> list[Entailment]:
        asked = _words(claim)
        return [_reading(asked, _words(premise)) for premise in premises]


def _reading(asked: frozenset[str], said: frozenset[str]) -> Entailment:
    content = asked - _DENIALS
    share = len(content & said) / len(content) if content else 0.0
    if bool(asked & _DENIALS) is bool(said & _DENIALS):
        return Entailment(support=share, contradict=0.0)
    return Entailment(support=0.0, contradict=share)


def _words(text: str) -> frozenset[str]:
    return frozenset(_WORD.findall(text.casefold()))


class NamedRelations:
    """Relations by pairs of words; none between others."""

    def __init__(
        self, pairs: Mapping[tuple[str, str], Relation], verbs: Collection[str] = ()
    ) -> None:
        self._pairs = pairs
        self._verbs = verbs

    def relation(self, word: str, other: str) -> Relation:
        return self._pairs.get((word, other), Relation.NONE)

    def is_verb(self, word: str) -> bool:
        return word in self._verbs
