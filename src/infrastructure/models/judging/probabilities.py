"""Probabilities of support and contradiction from the outputs of a model."""

import math
from collections.abc import Sequence

from citeloom.application.ports.verification import Entailment
from citeloom.infrastructure.models.judging.labels import LabelPlaces


def entailment(logits: Sequence[float], labels: LabelPlaces) -> Entailment:
    """Softmax of the logits."""
    highest = max(logits)
    raw = [math.exp(value - highest) for value in logits]
    total = sum(raw)
    contradict = 0.0 if labels.contradict is None else raw[labels.contradict] / total
    return Entailment(support=raw[labels.support] / total, contradict=contradict)
