"""The regression that joins what the cross-encoder reads to the core, and its figures.

    python stack.py --data DATA --work WORK [--start FOLDER --fold N]

``WORK`` is that of ``train.py``. Prints the figures of five folds of SciFact (of the pairs of
those that were run), and with ``--fold`` those of the two sets for testing, read by the weights
of that fold.
"""

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from core import LEAN, held_out, measured, model, summary, told
from labelled import Labelled, citint, closeness, healthver, scifact

# Sentences that are read one by one, and then together.
NEAREST = 3
READ = NEAREST + 1
# Of the regression; 0.3, the core's, gave a higher log loss on the folds.
STRENGTH = 0.03


def readings(row: Labelled, scores: np.ndarray) -> list[str]:
    """The ``READ`` texts that are read with the claim: the nearest sentences, nearest first,
    then these together in their order. Where there are fewer, the last stands again."""
    order = np.argsort(-scores, kind="stable")[:NEAREST].tolist()
    single = [row.sentences[place].strip() for place in order]
    joined = " ".join(row.sentences[place].strip() for place in sorted(order))
    return [*single, *single[-1:] * (NEAREST - len(single)), joined]


def features(found: np.ndarray) -> np.ndarray:
    """Of pairs x texts x (NEI, SUPPORT, CONTRADICT): log odds of the likeliest support,
    contradiction and any of the two in a single sentence; log ratios of support and of
    contradiction to NEI in all together; the mean log ratio of contradiction to support."""
    safe = np.clip(found, 1e-4, 1.0)
    single, joined = safe[:, :NEAREST], safe[:, NEAREST]
    return np.stack(
        [
            _odds(single[:, :, 1].max(1)),
            _odds(single[:, :, 2].max(1)),
            _odds(1 - single[:, :, 0].min(1)),
            np.log(joined[:, 1] / joined[:, 0]),
            np.log(joined[:, 2] / joined[:, 0]),
            np.log(single[:, :, 2] / single[:, :, 1]).mean(1),
        ],
        axis=1,
    )


def _odds(share: np.ndarray) -> np.ndarray:
    share = np.clip(share, 1e-4, 1 - 1e-4)
    return np.log(share / (1 - share))


def main(data: Path, work: Path, start: Path, fold: int | None) -> None:
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
    if fold is not None:
        encoder = read["claims stage"]
        fitted = {
            "core": model().fit(core, labels),
            "claims stage": model(STRENGTH).fit(encoder, labels),
            "core and claims stage": model(STRENGTH).fit(np.hstack([core, encoder]), labels),
        }
        _outside(data, work, start, fold, fitted)


def _outside(data: Path, work: Path, start: Path, fold: int, fitted: dict[str, Any]) -> None:
    sets = {
        "ci": citint(data / "citint"),
        "hv": healthver(data / "claims" / "healthver_dev.jsonl"),
    }
    for set_name, rows in sets.items():
        scores = closeness(rows, work / f"{set_name}.npz")
        core, encoder = measured(rows, scores), features(_read(rows, scores, work, start, fold))
        tables = (core, encoder, np.hstack([core, encoder]))
        labels = np.array([row.label for row in rows])
        for (name, regression), table in zip(fitted.items(), tables, strict=True):
            shares = regression.predict_proba(table)
            said = told(shares)
            confidence = shares[np.arange(len(said)), said]
            print(f"{set_name}, {name}: {summary(labels, said, confidence)}", flush=True)


def _read(
    rows: Sequence[Labelled], scores: Sequence[np.ndarray], work: Path, start: Path, fold: int
) -> np.ndarray:
    """Pairs x texts x classes; kept, since it takes minutes."""
    kept = work / f"read-{len(rows)}-{fold}.npz"
    if not kept.exists():
        import torch

        import encoder

        network = encoder.start(start, seed=0)
        network.load_state_dict(torch.load(work / f"fold-{fold}.pt"))
        asked = [
            (row.claim, text)
            for row, near in zip(rows, scores, strict=True)
            for text in readings(row, near)
        ]
        distinct = list(dict.fromkeys(asked))
        found = encoder.probabilities(network.bfloat16(), encoder.tokens(start), distinct)
        known = dict(zip(distinct, found, strict=True))
        whole = np.array([known[pair] for pair in asked]).reshape(len(rows), READ, -1)
        np.savez(kept, found=whole)
    with np.load(kept) as file:
        return file["found"]


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
    parser.add_argument("--start", type=Path, help="folder of the start weights")
    parser.add_argument("--fold", type=int)
    options = parser.parse_args()
    main(options.data, options.work, options.start, options.fold)
