"""Figures of the readings that ``train.py`` wrote.

    python figures.py --data ../../../shared/data --work WORK [--unseen]

Two decisions are measured. *All*: each pair gets a verdict, by thresholds with the best macro-F1 on
the other sets. *Sure*: a verdict only where a text has enough of the claim's words and the
probability reaches a fixed threshold; else the claim is not established.
"""

import argparse
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from sklearn.metrics import f1_score, roc_auc_score

import labelled
from labelled import LABELS
from overlap import share
from pair import CONTRADICT, NEI, SUPPORT
from reading import joined, premises

BINS = 10
# Of the decision *sure*: the share of the claim's content words that a text must have, the
# probabilities that its reading must reach, and that which no text may give for the contrary.
COVERED = 0.5
SURE = {SUPPORT: 0.8, CONTRADICT: 0.85}
DOUBT = 0.5


class Held(NamedTuple):
    """Labels, readings (pairs x ``READ`` x 3) and shares of covered words (pairs x ``READ``) of
    pairs that nothing was trained on."""

    labels: np.ndarray
    readings: np.ndarray
    covered: np.ndarray

    def at(self, places: np.ndarray) -> "Held":
        return Held(self.labels[places], self.readings[places], self.covered[places])


def all_told(held: Held, support: float, contradict: float) -> np.ndarray:
    """A verdict where its probability reaches the threshold, else NEI."""
    shares = joined(held.readings)
    found = np.full(len(shares), NEI)
    found[(shares[:, SUPPORT] >= support) & (shares[:, SUPPORT] > shares[:, CONTRADICT])] = SUPPORT
    sure = (shares[:, CONTRADICT] >= contradict) & (shares[:, CONTRADICT] > shares[:, SUPPORT])
    found[sure] = CONTRADICT
    return found


def sure_told(held: Held) -> np.ndarray:
    """A verdict where one text says so and none says otherwise, else NEI."""
    found = np.full(len(held.labels), NEI)
    for verdict, other in ((SUPPORT, CONTRADICT), (CONTRADICT, SUPPORT)):
        read = (held.readings[:, :, verdict] >= SURE[verdict]) & (held.covered >= COVERED)
        doubted = (held.readings[:, :, other] >= DOUBT).any(1)
        found[read.any(1) & ~doubted] = verdict
    return found


def best(sets: Sequence[Held]) -> tuple[float, float]:
    """The thresholds with the highest mean macro-F1."""
    grid = [(a, b) for a in np.arange(0.1, 0.9, 0.05) for b in np.arange(0.1, 0.9, 0.05)]
    support, contradict = max(grid, key=lambda one: np.mean([_macro(held, *one) for held in sets]))
    return float(support), float(contradict)


def calibration_error(confidence: np.ndarray, right: np.ndarray) -> float:
    """Expected calibration error (Naeini, Cooper & Hauskrecht 2015)."""
    error = 0.0
    for low in np.arange(BINS) / BINS:
        inside = (confidence > low) & (confidence <= low + 1 / BINS)
        if inside.any():
            error += inside.mean() * abs(confidence[inside].mean() - right[inside].mean())
    return error


def report(name: str, held: Held, at: tuple[float, float]) -> str:
    labels, shares = held.labels, joined(held.readings)
    said, sure = all_told(held, *at), sure_told(held)
    each = f1_score(labels, said, average=None, labels=range(3), zero_division=0)
    settled = labels != NEI
    odds = shares[:, CONTRADICT] / (shares[:, CONTRADICT] + shares[:, SUPPORT])
    area = roc_auc_score(labels[settled] == CONTRADICT, odds[settled])
    evident = roc_auc_score(settled, 1 - shares[:, NEI])
    error = calibration_error(shares.max(1), shares.argmax(1) == labels)
    scores = ", ".join(f"{n} {f:.3f}" for n, f in zip(LABELS, each, strict=True))
    return (
        f"{name} ({len(labels)}): macro-F1 {each.mean():.3f} ({scores}) at {at[0]:.2f}/{at[1]:.2f},"
        f" alarms {_alarms(labels, said):.3f}; AUC evidence {evident:.3f}, contradiction given "
        f"evidence {area:.3f}; calibration error {error:.3f}\n  sure: {_right(labels, sure)}; "
        f"alarms {_alarms(labels, sure):.3f}"
    )


def load(data: Path, work: Path, name: str, half: bool) -> Mapping[str, Held]:
    """SciFact by its folds, or by weights that saw no claim of it; of the other sets the half that
    is unseen (``half``) or tuned on."""
    found = {}
    for one in ("sf", "hv", "ci"):
        rows = labelled.named(data, one)
        if one == "sf" and name == "general":
            places = np.arange(len(rows))
            readings = np.load(work / "general-sf.npz")["found"]
        elif one == "sf":
            folds = [np.load(path) for path in sorted(work.glob("fold-*.npz"))]
            places = np.concatenate([fold["places"] for fold in folds])
            readings = np.concatenate([fold["found"] for fold in folds])
        else:
            places = np.flatnonzero(labelled.unseen(rows) == half)
            readings = np.load(work / f"{name}-{one}.npz")["found"][places]
        scores = labelled.closeness(rows, work / f"{one}.npz")
        covered = [
            [share(rows[place].claim, text) for text in premises(rows[place], scores[place])]
            for place in places
        ]
        labels = np.array([rows[place].label for place in places])
        found[one] = Held(labels, readings, np.array(covered))
    return found


def _macro(held: Held, support: float, contradict: float) -> float:
    said = all_told(held, support, contradict)
    return float(f1_score(held.labels, said, average="macro", zero_division=0))


def _alarms(labels: np.ndarray, said: np.ndarray) -> float:
    """The share of true claims that are called contradicted."""
    return float((said[labels == SUPPORT] == CONTRADICT).mean())


def _right(labels: np.ndarray, said: np.ndarray) -> str:
    parts = []
    for verdict in (SUPPORT, CONTRADICT):
        told = said == verdict
        parts.append(f"{LABELS[verdict]} right in {(told & (labels == verdict)).sum()} of "
                     f"{told.sum()}")  # fmt: skip
    return ", ".join(parts)


def main() -> None:
    options = _options()
    tuned = load(options.data, options.work, options.name, half=False)
    for name, held in tuned.items():
        at = best([other for one, other in tuned.items() if one != name])
        print(report(f"{name}, tuned", held, at))
        print(f"  best here: {best([held])}, macro-F1 {_macro(held, *best([held])):.3f}")
        if options.unseen and name != "sf":
            unseen = load(options.data, options.work, options.name, half=True)[name]
            print(report(f"{name}, unseen, thresholds from elsewhere", unseen, at))
            print(report(f"{name}, unseen, thresholds of the other half", unseen, best([held])))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--name", default="final", choices=("general", "final"))
    parser.add_argument("--unseen", action="store_true", help="the halves that were kept apart too")
    return parser.parse_args()


if __name__ == "__main__":
    main()
