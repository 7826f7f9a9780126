"""Fusion policy: method and weights of dense, sentence, sparse and reranker scores."""

from enum import StrEnum
from typing import Self

from pydantic import Field, model_validator

from citeloom.domain.value import Value


class FusionMethod(StrEnum):
    """Normalised scores, reciprocal ranks, or standardised scores."""

    CONVEX = "convex"
    RRF = "rrf"
    DBSF = "dbsf"


# Share of the candidates' first-stage score range per unit of the reranker's log-odds: with the
# bundled model the most that does no harm in a field it was not trained on (its MODEL_CARD.md).
# Within its field `evaluate --tune` finds more.
RERANK_WEIGHT = 0.06


class FusionPolicy(Value):
    """Fusion method and weights. The weights need not sum to 1; dense and sparse are positive.

    ``rrf_k`` is the constant of reciprocal rank fusion. ``rerank_weight`` scales the reranker's
    log-odds (``citeloom.domain.search.reranking.blend``).
    """

    method: FusionMethod = FusionMethod.CONVEX
    dense_weight: float = Field(default=0.25, gt=0, allow_inf_nan=False)
    sentence_weight: float = Field(default=0.35, ge=0, allow_inf_nan=False)
    sparse_weight: float = Field(default=0.4, gt=0, allow_inf_nan=False)
    rrf_k: float = Field(default=60.0, gt=0, allow_inf_nan=False)
    rerank_weight: float = Field(default=RERANK_WEIGHT, ge=0, allow_inf_nan=False)

    @property
    def summary(self) -> str:
        if self.method is FusionMethod.RRF:
            return f"rrf k={self.rrf_k:g}"
        weights = f"{self.dense_weight:g}/{self.sentence_weight:g}/{self.sparse_weight:g}"
        return f"{self.method.value} {weights} (passage/sentence/words)"

    @model_validator(mode="after")
    def _not_too_far_apart(self) -> Self:
        weights = (self.dense_weight, self.sparse_weight)
        if max(weights) > 1e6 * min(weights):
            raise ValueError("one weight leaves nothing of the other; choose a mode instead")
        return self


DEFAULT_POLICY = FusionPolicy()
