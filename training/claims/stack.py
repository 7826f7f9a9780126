"""The regression that joins what the cross-encoder reads to the core: figures, and weights.

    python stack.py --data DATA --work WORK

``WORK`` is that of ``train.py``. Prints the figures of five folds, and the weights of the
regression over all pairs.
"""

import argparse
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from citeloom.domain.claims.reading import READ, texts, vector
from core import LEAN, held_out, measured, summary, told, write
from labelled import Labelled, closeness, evidence, scifact

# Of the regression; 0.3, the core's, gave a higher log loss on the folds.
STRENGTH = 0.03


def readings(row: Labelled, scores: np.ndarray) -> tuple[str, ...]:
    """The texts that are read with the claim."""
    return texts(evidence(row, scores))


def features(found: np.ndarray) -> np.ndarray:
    """Of pairs x texts x (NEI, SUPPORT, CONTRADICT)."""
    return np.array([vector(one.tolist()) for one in found])


def main(data: Path, work: Path) -> None:
    rows = scifact(data / "scifact")
    core = measured(rows, closeness(rows, work / "sf.npz"))
    trained, known = np.zeros((len(rows), READ, 3)), np.zeros(len(rows), dtype=bool)
    for path in sorted(work.glob("fold-*.npz")):
        with np.load(path) as held:
            trained[held["places"]], known[held["places"]] = held["found"], True
    here = [row for row, is_known in zip(rows, known, strict=True) if is_known]
    labels = np.array([row.label for row in here])
    core, read = core[known], {"claims stage": features(trained[known])}
    if (work / "zero.npz").exists():
        read["general stage"] = features(np.load(work / "zero.npz")["found"][known])
    print(f"{len(here)} pairs")
    _figures(here, labels, "core", core, 0.3)
    for name, values in read.items():
        _figures(here, labels, name, values, STRENGTH)
        _figures(here, labels, f"core and {name}", np.hstack([core, values]), STRENGTH)
    write(np.hstack([core, read["claims stage"]]), labels, STRENGTH)


def _figures(
    rows: Sequence[Labelled], labels: np.ndarray, name: str, values: np.ndarray, strength: float
) -> None:
    shares = held_out(rows, values, strength)
    for lean in (1.0, 1.4, LEAN):
        said = told(shares, lean)
        confidence = shares[np.arange(len(said)), said]
        print(f"{name}, lean {lean}: {summary(labels, said, confidence)}", flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--work", type=Path, required=True)
    options = parser.parse_args()
    main(options.data, options.work)
