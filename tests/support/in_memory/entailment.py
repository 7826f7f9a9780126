"""Word overlap of claim and premise as an entailment model (port ``EntailmentModel``).

For tests; passes the contract tests of the port.
"""

import hashlib
import re
from collections.abc import Sequence

from citeloom.application.ports.verification import Entailment

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
