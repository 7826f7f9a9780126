"""Fits and measures the weights of the claim judgement; see README.md."""

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import f1_score
from sklearn.model_selection import GroupKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from citeloom.domain.verification.claims.judgement import judge, vector
from labelled import LABELS, Labelled, closeness, evidence, groups, scifact

LEAN = 1.8
FOLDS = 5


def measured(rows: Sequence[Labelled], scores: Sequence[np.ndarray]) -> np.ndarray:
    """The features of each pair."""
    found = []
    for row, near in zip(rows, scores, strict=True):
        features = judge(row.claim, evidence(row, near)).features
        assert features is not None, "an abstract has sentences"
        found.append(vector(features))
    return np.array(found)


def model(strength: float = 0.3) -> Any:
    return make_pipeline(StandardScaler(), LogisticRegression(C=strength, max_iter=2000))


def folds(rows: Sequence[Labelled]) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Places of the pairs to learn from and of those held out: neither claims nor documents in
    common."""
    yield from GroupKFold(FOLDS).split(rows, groups=groups(rows))


def held_out(rows: Sequence[Labelled], values: np.ndarray, strength: float = 0.3) -> np.ndarray:
    """Of each pair the probabilities of ``LABELS`` by the weights of the other folds."""
    labels = np.array([row.label for row in rows])
    shares = np.zeros((len(labels), len(LABELS)))
    for train, test in folds(rows):
        fitted = model(strength).fit(values[train], labels[train])
        shares[test] = fitted.predict_proba(values[test])
    return shares


def told(shares: np.ndarray, lean: float = LEAN) -> np.ndarray:
    return (shares * np.array([1, 1, lean])).argmax(1)


def calibration_error(confidence: np.ndarray, right: np.ndarray, bins: int = 10) -> float:
    """Expected calibration error (Naeini, Cooper & Hauskrecht 2015)."""
    error = 0.0
    for low in np.arange(bins) / bins:
        inside = (confidence > low) & (confidence <= low + 1 / bins)
        if inside.any():
            error += inside.mean() * abs(confidence[inside].mean() - right[inside].mean())
    return error


def summary(labels: np.ndarray, said: np.ndarray, confidence: np.ndarray) -> str:
    each = f1_score(labels, said, average=None, labels=range(len(LABELS)))
    error = calibration_error(confidence, said == labels)
    scores = ", ".join(f"{n} {f:.3f}" for n, f in zip(LABELS, each, strict=True))
    return f"macro-F1 {each.mean():.3f} ({scores}), calibration error {error:.3f}"


def main(data: Path) -> None:
    rows = scifact(data)
    values = measured(rows, closeness(rows))
    labels = np.array([row.label for row in rows])
    shares = held_out(rows, values)
    for lean in (1.0, LEAN):
        said = told(shares, lean)
        confidence = shares[np.arange(len(labels)), said]
        print(f"lean {lean}: {summary(labels, said, confidence)}")
    fitted = model().fit(values, labels)
    scale, regression = fitted[0], fitted[1]
    weights = regression.coef_ / scale.scale_
    intercepts = regression.intercept_ - (weights * scale.mean_).sum(1)
    for n, name in ((1, "SUPPORTED"), (2, "CONTRADICTED")):
        row = [intercepts[n] - intercepts[0], *(weights[n] - weights[0])]
        print(f'"{name}": ({", ".join(f"{value:.2f}" for value in row)}),')


if __name__ == "__main__":
    main(Path(sys.argv[1]))
