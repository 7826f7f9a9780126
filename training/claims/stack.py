"""The regression that joins what the cross-encoder reads to the core: figures, and weights.

    python stack.py --data DATA --work WORK

``WORK`` is that of ``train.py``. Prints the figures of five folds, and the weights of the
regression over all pairs.
"""

import argparse
from pathlib import Path

import numpy as np

from citeloom.domain.claims.reading import READ, texts, vector
from core import held_out, measured, summary, told
from labelled import Labelled, closeness, evidence, scifact


def readings(row: Labelled, scores: np.ndarray) -> tuple[str, ...]:
    """The texts that are read with the claim."""
    return texts(evidence(row, scores))


def features(found: np.ndarray) -> np.ndarray:
    """Of pairs x texts x (NEI, SUPPORT, CONTRADICT)."""
    return np.array([vector(one.tolist()) for one in found])


def main(data: Path, work: Path) -> None:
    rows = scifact(data / "scifact")
    labels = np.array([row.label for row in rows])
    core = measured(rows, closeness(rows, work / "sf.npz"))
    read: dict[str, np.ndarray] = {}
    if (work / "zero.npz").exists():
        read["general stage"] = np.load(work / "zero.npz")["found"]
    trained, known = np.zeros((len(rows), READ, 3)), np.zeros(len(rows), dtype=bool)
    for path in sorted(work.glob("fold-*.npz")):
        with np.load(path) as held:
            trained[held["places"]], known[held["places"]] = held["found"], True
    if known.all():
        read["claims stage"] = trained
    values = {"core": core}
    for name, found in read.items():
        values[name] = features(found)
        values[f"core and {name}"] = np.hstack([core, features(found)])
    for name, table in values.items():
        shares = held_out(rows, table)
        for lean in (1.0, 1.4, 1.8):
            said = told(shares, lean)
            confidence = shares[np.arange(len(said)), said]
            print(f"{name}, lean {lean}: {summary(labels, said, confidence)}", flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--work", type=Path, required=True)
    options = parser.parse_args()
    main(options.data, options.work)
