"""Port: measures of rankings."""

from collections.abc import Mapping, Sequence
from typing import Protocol

from citeloom.domain.evaluation import Judgments, Quality


class Measures(Protocol):
    def quality(self, judgments: Judgments, rankings: Mapping[str, Sequence[str]]) -> Quality:
        """Means over the questions of ``judgments``; ``rankings`` are record ids, best first,
        by question id. A question without a ranking counts as one that found nothing."""
