"""Port: how well a passage answers a query, read together."""

from collections.abc import Sequence
from typing import Protocol


class Reranker(Protocol):
    """Scores pairs of query and passage; slower and better than comparing vectors.

    A pair's score does not depend on the other passages of the call.
    """

    @property
    def name(self) -> str:
        """What a user calls it."""

    @property
    def fingerprint(self) -> str:
        """sha256 (hex) of all that decides the scores: weights, tokenizer, calibration."""

    def rerank(self, query: str, passages: Sequence[str]) -> list[float]:
        """A score in 0..1 for each passage, in their order.

        What lies beyond the model's window is not read; a passage should hold what is most
        like the query (see ``citeloom.domain.reranking.evidence_text``). Raises
        ModelUnavailable where the model cannot be loaded.
        """
