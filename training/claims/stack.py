"""What the cross-encoder reads of a pair, and the regression that joins it to the core."""

import argparse
from pathlib import Path

import numpy as np

from labelled import Labelled

# The nearest sentences, one by one, and then all of them together.
NEAREST = 3
READ = NEAREST + 1


def readings(row: Labelled, scores: np.ndarray) -> list[str]:
    """The texts that are read with the claim, ``READ`` of them: the nearest first."""
    order = np.argsort(-scores, kind="stable")[:NEAREST].tolist()
    joined = " ".join(row.sentences[place].strip() for place in sorted(order))
    single = [row.sentences[place].strip() for place in order]
    return [*single, *single[-1:] * (NEAREST - len(single)), joined]


def features(found: np.ndarray) -> np.ndarray:
    """Of pairs x ``READ`` x (NEI, SUPPORT, CONTRADICT): log odds of the two against NEI and of
    one against the other, for the strongest sentence and for all together."""
    safe = np.clip(found, 1e-4, 1.0)
    sentences, joined = safe[:, :NEAREST], safe[:, NEAREST]
    support, contradict = sentences[:, :, 1].max(1), sentences[:, :, 2].max(1)
    said = 1 - sentences[:, :, 0].min(1)
    return np.stack(
        [
            _odds(support),
            _odds(contradict),
            _odds(said),
            np.log(joined[:, 1] / joined[:, 0]),
            np.log(joined[:, 2] / joined[:, 0]),
            np.log(sentences[:, :, 2] / sentences[:, :, 1]).mean(1),
        ],
        axis=1,
    )


def _odds(share: np.ndarray) -> np.ndarray:
    share = np.clip(share, 1e-4, 1 - 1e-4)
    return np.log(share / (1 - share))


def main(data: Path, work: Path) -> None:
    from core import held_out, measured, summary, told
    from labelled import closeness, scifact

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
