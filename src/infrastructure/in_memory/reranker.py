"""Scores without a model: the share of a query's words that a passage has; for tests.

Obeys the same contract as the real rerankers.
"""

import hashlib
import re
from collections.abc import Sequence

_WORD = re.compile(r"\w+")
# Scores made by other rules are not comparable; part of the fingerprint.
_RULES = "overlap-1"


class OverlapReranker:
    name = "overlap"

    @property
    def fingerprint(self) -> str:
        return hashlib.sha256(_RULES.encode()).hexdigest()

    def rerank(self, query: str, passages: Sequence[str]) -> list[float]:
        """A query without words is answered by nothing."""
        asked = set(_WORD.findall(query.casefold()))
        return [
            len(asked.intersection(_WORD.findall(passage.casefold()))) / len(asked)
            if asked
            else 0.0
            for passage in passages
        ]
