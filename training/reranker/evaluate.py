"""Figures of a reranker: nDCG@10 alone and mixed with the first stage's scores.

    python evaluate.py --work WORK

prints what cross-validation gives: each fold at the share that is best for the other folds.
"""

import argparse
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

import corpus as corpora
from citeloom.domain.reranking import blend
from corpus import Query

SHARES = tuple(round(0.05 * step, 2) for step in range(21))
SHOWN = (0.1, 0.2, 0.3, 0.4, 0.5)

Rows = Sequence[Sequence[float]]


def ndcg(ranked: Sequence[int], relevant: frozenset[int], depth: int = 10) -> float:
    """With gains 0 or 1 (Järvelin & Kekäläinen 2002), as trec_eval computes it."""
    gains = 1.0 / np.log2(np.arange(2, depth + 2))
    found = sum(gains[rank] for rank, document in enumerate(ranked[:depth]) if document in relevant)
    return float(found / gains[: min(depth, len(relevant))].sum())


def sigmoid(logits: np.ndarray) -> np.ndarray:
    return 1.0 / (1.0 + np.exp(-logits))


def mixed(query: Query, logits: Sequence[float], share: float) -> float:
    """nDCG@10 with the first documents reordered, as many as there are logits."""
    count = len(logits)
    chance = sigmoid(np.array(logits, dtype=np.float64)).tolist()
    scores = np.array(blend(query.scores[:count], chance, share))
    order = np.argsort(-scores, kind="stable")
    ranked = [query.documents[place] for place in order] + query.documents[count:]
    return ndcg(ranked, query.relevant)


def table(queries: Sequence[Query], rows: Rows) -> dict[float, np.ndarray]:
    """By share (0: the first stage, 1: the reranker alone), one number a query."""
    return {
        share: np.array([mixed(q, row, share) for q, row in zip(queries, rows, strict=True)])
        for share in SHARES
    }


def gain(after: np.ndarray, before: np.ndarray) -> str:
    difference = after - before
    error = difference.std(ddof=1) / len(difference) ** 0.5
    return f"{after.mean():.4f} ({difference.mean():+.4f}, standard error {error:.4f})"


def figures(queries: Sequence[Query], rows: Rows) -> Mapping[str, float]:
    found = table(queries, rows)
    named = {"first stage": found[0.0], "reranker alone": found[1.0]}
    named |= {f"share {share:g}": found[share] for share in SHOWN}
    return {name: float(values.mean()) for name, values in named.items()}


def crossed(folds: Sequence[dict[float, np.ndarray]]) -> tuple[list[float], list[np.ndarray]]:
    """For each fold the share that is best for the others, and what it gives this one."""
    shares = []
    for fold in folds:
        others = [other for other in folds if other is not fold]

        def value(share: float, others: Sequence[dict] = others) -> float:
            return float(np.concatenate([other[share] for other in others]).mean())

        shares.append(max(SHARES, key=value))
    return shares, [fold[share] for fold, share in zip(folds, shares, strict=True)]


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
    for number, (fold, share, values) in enumerate(zip(folds, *crossed(folds), strict=True)):
        print(
            f"fold {number}, {len(values)} claims: first stage {fold[0.0].mean():.4f}, alone "
            f"{fold[1.0].mean():.4f}, share {share:g} {gain(values, fold[0.0])}"
        )
    before = np.concatenate([fold[0.0] for fold in folds])
    after = np.concatenate(crossed(folds)[1])
    print(f"all {len(before)}: first stage {before.mean():.4f}, mixed {gain(after, before)}")
    for share in SHOWN:
        values = np.concatenate([fold[share] for fold in folds])
        print(f"  share {share:g}: {gain(values, before)}")


if __name__ == "__main__":
    main()
