"""Platt's scaling (1999): a logit becomes a probability by two numbers."""

import numpy as np


def platt(logits: np.ndarray, truth: np.ndarray, steps: int = 50) -> tuple[float, float]:
    """Scale and offset of greatest likelihood, by Newton's method; ``truth`` is 0 or 1."""
    features = np.stack([logits, np.ones_like(logits)], axis=1)
    weights = np.array([1.0, 0.0])
    for _ in range(steps):
        chance = 1.0 / (1.0 + np.exp(-(features @ weights)))
        slope = features.T @ (chance - truth)
        curve = (features * (chance * (1 - chance))[:, None]).T @ features
        weights = weights - np.linalg.solve(curve + 1e-9 * np.eye(2), slope)
    return float(weights[0]), float(weights[1])
