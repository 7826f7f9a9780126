"""Figures of a reranker: nDCG@10 alone and mixed with the first stage's scores.

    python evaluate.py --work WORK

prints what cross-validation gives: each fold at the weight that is best for the other folds. A
weight is what a unit of the logit is worth, where the first stage's scores are stretched to 0..1;
``ALONE`` leaves these out.
"""

import argparse
import math
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

import corpus as corpora
from citeloom.domain.search.ranking import blend
from corpus import Query

ALONE = math.inf
WEIGHTS = (0.0, 0.02, 0.04, 0.06, 0.08, 0.1, 0.15, 0.2, 0.3, 0.5, ALONE)

Rows = Sequence[Sequence[float]]


def ndcg(ranked: Sequence[int], relevant: frozenset[int], depth: int = 10) -> float:
    """With gains 0 or 1 (Järvelin & Kekäläinen 2002), as trec_eval computes it."""
    gains = 1.0 / np.log2(np.arange(2, depth + 2))
    found = sum(gains[rank] for rank, document in enumerate(ranked[:depth]) if document in relevant)
    return float(found / gains[: min(depth, len(relevant))].sum())


def sigmoid(logits: np.ndarray) -> np.ndarray:
    return 1.0 / (1.0 + np.exp(-logits))


def mixed(query: Query, logits: Sequence[float], weight: float) -> float:
    """nDCG@10 with the first documents reordered, as many as there are logits."""
    count = len(logits)
    chance = sigmoid(np.array(logits, dtype=np.float64)).tolist()
    if weight == ALONE:
        scores = np.array(logits)
    else:
        scores = np.array(blend(query.scores[:count], chance, weight))
    order = np.argsort(-scores, kind="stable")
    ranked = [query.documents[place] for place in order] + query.documents[count:]
    return ndcg(ranked, query.relevant)


def table(queries: Sequence[Query], rows: Rows) -> dict[float, np.ndarray]:
    """By weight (0: the first stage), one number a query."""
    return {
        weight: np.array([mixed(q, row, weight) for q, row in zip(queries, rows, strict=True)])
        for weight in WEIGHTS
    }


def gain(after: np.ndarray, before: np.ndarray) -> str:
    difference = after - before
    error = difference.std(ddof=1) / len(difference) ** 0.5
    return f"{after.mean():.4f} ({difference.mean():+.4f}, standard error {error:.4f})"


def report(name: str, found: Mapping[float, np.ndarray]) -> list[str]:
    before = found[0.0]
    lines = [f"{name}, {len(before)} claims: first stage {before.mean():.4f}"]
    for weight, values in found.items():
        lines.append(f"  {'alone' if weight == ALONE else f'{weight:g}'}: {gain(values, before)}")
    return lines


def crossed(folds: Sequence[Mapping[float, np.ndarray]]) -> list[float]:
    """For each of several folds the weight that is best for the others."""
    chosen = []
    for fold in folds:
        others = [other for other in folds if other is not fold]

        def value(weight: float, others: Sequence[Mapping] = others) -> float:
            return float(np.concatenate([other[weight] for other in others]).mean())

        chosen.append(max(fold, key=value))
    return chosen


def main() -> None:
    parser = argparse.ArgumentParser(description="Figures of cross-validation.")
    parser.add_argument("--work", type=Path, required=True)
    work = parser.parse_args().work
    corpus = corpora.load(work / "sf.json")
    folds = []
    for path in sorted(work.glob("fold-*.npz")):
        saved = np.load(path)
        queries = [corpus.queries[place] for place in saved["queries"]]
        folds.append(table(queries, saved["logits"].tolist()))
    for number, fold in enumerate(folds):
        print(*report(f"fold {number}", fold), sep="\n")
    if len(folds) > 1:
        after = [fold[weight] for fold, weight in zip(folds, crossed(folds), strict=True)]
        before = np.concatenate([fold[0.0] for fold in folds])
        print(f"all {len(before)}, at weights chosen elsewhere:", end=" ")
        print(gain(np.concatenate(after), before))


if __name__ == "__main__":
    main()
