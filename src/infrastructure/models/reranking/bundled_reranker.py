"""Reranker with the bundled cross-encoder: probabilities that a passage is relevant to a query."""

import math
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path

from citeloom.infrastructure.models.cross_encoder import CrossEncoder
from citeloom.infrastructure.models.reranking import bundled


class BundledReranker:
    """Loads the model with the first pair.

    ``tokenizer`` is the folder of all-MiniLM-L6-v2's ``tokenizer.json``; ``threads`` is the number
    of pairs scored in parallel.
    """

    def __init__(self, tokenizer: Path, *, threads: int = 2) -> None:
        self._encoder = CrossEncoder(
            bundled.NAME,
            bundled.weights_path,
            tokenizer,
            max_tokens=bundled.MAX_TOKENS,
            first_tokens=bundled.QUERY_TOKENS,
            threads=threads,
        )

    @property
    def name(self) -> str:
        return bundled.NAME

    @cached_property
    def fingerprint(self) -> str:
        return self._encoder.fingerprint(
            bundled.WEIGHTS_SHA256, bundled.CALIBRATION, bundled.MAX_TOKENS, bundled.QUERY_TOKENS
        )

    def rerank(self, query: str, passages: Sequence[str]) -> list[float]:
        return [_probability(logit) for (logit,) in self._encoder.logits(query, passages)]


def _probability(logit: float) -> float:
    calibration = bundled.CALIBRATION
    return 1.0 / (
        1.0 + math.exp(-max(-60.0, min(60.0, calibration.scale * logit + calibration.offset)))
    )
