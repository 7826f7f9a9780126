"""Probabilities of support and contradiction from the outputs of a model."""

import math
from collections.abc import Sequence

from citeloom.application.ports.verification import Entailment
from citeloom.infrastructure.models.judging.labels import LabelPlaces


def entailment(logits: Sequence[float], labels: LabelPlaces, scale: float = 1.0) -> Entailment:
    """Softmax of the logits times ``scale``, an inverse temperature (Guo et al. 2017)."""
    highest = max(logits)
    raw = [math.exp(scale * (value - highest)) for value in logits]
    total = sum(raw)
    contradict = 0.0 if labels.contradict is None else raw[labels.contradict] / total
    return Entailment(support=raw[labels.support] / total, contradict=contradict)
