"""Figures of a reranker: nDCG@10 and its company, for each way of using its scores."""

from collections.abc import Mapping, Sequence

import numpy as np

from citeloom.domain.reranking import CANDIDATES, blend, evidence_text
from corpus import Corpus

SHARES = (0.1, 0.2, 0.3, 0.4, 0.5)


def candidates(corpus: Corpus, query: int, count: int = CANDIDATES) -> list[int]:
    """The documents that the first stage ranks highest, best first."""
    order = np.argsort(-corpus.first_stage(query), kind="stable")
    return [int(document) for document in order[:count]]


def texts(corpus: Corpus, query: int, documents: Sequence[int]) -> list[tuple[str, str]]:
    """What the reranker reads for each document."""
    vector, asked = corpus.query_vectors[query], corpus.queries[query].text
    return [
        (
            asked,
            evidence_text(
                corpus.documents[document].title,
                corpus.documents[document].sentences,
                corpus.sentence_scores(vector, document).tolist(),
            ),
        )
        for document in documents
    ]


def ndcg(ranked: Sequence[int], relevant: frozenset[int], depth: int = 10) -> float:
    """With gains 0 or 1 (Järvelin & Kekäläinen 2002), as trec_eval computes it."""
    gains = 1.0 / np.log2(np.arange(2, depth + 2))
    found = sum(gains[rank] for rank, document in enumerate(ranked[:depth]) if document in relevant)
    return float(found / gains[: min(depth, len(relevant))].sum())


def sigmoid(logits: np.ndarray) -> np.ndarray:
    return 1.0 / (1.0 + np.exp(-logits))


def figures(
    corpus: Corpus,
    queries: Sequence[int],
    places: Sequence[Sequence[int]],
    logits: np.ndarray,
) -> Mapping[str, float]:
    """nDCG@10 of the first stage, of the reranker alone, and of both by the reranker's share.

    ``logits`` has a row for each query and a column for each of its candidates. Calibration
    does not change these figures, since the logits are stretched.
    """
    rows: dict[str, list[float]] = {}
    for query, documents, found in zip(queries, places, logits, strict=True):
        relevant = corpus.queries[query].relevant
        first = corpus.first_stage(query)
        order = np.argsort(-first, kind="stable")
        head, tail = np.array(documents), [int(d) for d in order if int(d) not in set(documents)]
        chance = sigmoid(found.astype(np.float64)).tolist()

        def note(
            name: str,
            values: np.ndarray,
            head: np.ndarray = head,
            tail: list[int] = tail,
            relevant: frozenset[int] = relevant,
        ) -> None:
            ranked = [int(head[k]) for k in np.argsort(-values, kind="stable")] + tail
            rows.setdefault(f"{name} nDCG@10", []).append(ndcg(ranked, relevant))
            hits = [rank for rank, document in enumerate(ranked) if document in relevant]
            rows.setdefault(f"{name} MRR", []).append(1 / (1 + hits[0]) if hits[0] < 10 else 0.0)
            rows.setdefault(f"{name} recall@10", []).append(
                sum(rank < 10 for rank in hits) / len(relevant)
            )

        note("first stage", first[head])
        note("reranker alone", found)
        for share in SHARES:
            note(f"fused {share:g}", np.array(blend(first[head].tolist(), chance, share)))
    return {name: float(np.mean(values)) for name, values in rows.items()}
