"""Platt's scaling (1999): a logit becomes a probability by two numbers."""

import numpy as np


def platt(logits: np.ndarray, truth: np.ndarray, steps: int = 100) -> tuple[float, float]:
    """Scale and offset of greatest likelihood, by Newton's method; ``truth`` is 0 or 1.

    It begins where all pairs have the same chance, and halves a step that makes things worse.
    """
    features = np.stack([logits, np.ones_like(logits)], axis=1)
    usual = truth.mean()
    weights = np.array([0.0, np.log(usual / (1 - usual))])
    loss = _loss(features @ weights, truth)
    for _ in range(steps):
        chance = 1.0 / (1.0 + np.exp(-(features @ weights)))
        slope = features.T @ (chance - truth)
        curve = (features * (chance * (1 - chance))[:, None]).T @ features
        step = np.linalg.solve(curve + 1e-9 * np.eye(2), slope)
        while (after := _loss(features @ (weights - step), truth)) > loss and abs(
            step
        ).max() > 1e-9:
            step /= 2
        weights, loss = weights - step, after
    return float(weights[0]), float(weights[1])


def _loss(scores: np.ndarray, truth: np.ndarray) -> float:
    return float((np.logaddexp(0.0, scores) - truth * scores).sum())
