"""Word overlap of query and passage as a reranker (port ``Reranker``), without a model.

For tests; passes the contract tests of the port.
"""

import hashlib
import re
from collections.abc import Sequence

from citeloom.application.ports.models import GoingOn

_WORD = re.compile(r"\w+")
# Scores made by other rules are not comparable; part of the fingerprint.
_RULES = "overlap-1"


class OverlapReranker:
    name = "overlap"

    @property
    def fingerprint(self) -> str:
        return hashlib.sha256(_RULES.encode()).hexdigest()

    def rerank(
        self, query: str, passages: Sequence[str], _going_on: GoingOn | None = None
    ) -> list[float]:
        """All scores are 0 for a query without words."""
        query_words = set(_WORD.findall(query.casefold()))
        return [
            len(query_words.intersection(_WORD.findall(passage.casefold()))) / len(query_words)
            if query_words
            else 0.0
            for passage in passages
        ]
