"""Ranking measures (nDCG, recall, MRR), as trec_eval computes them."""

import math
from collections.abc import Mapping, Sequence
from statistics import fmean

from .dataset import DEPTH, Judgments, Quality

#: Record ids, best first and each once, by question id.
Rankings = Mapping[str, Sequence[str]]


def ranking_quality(judgments: Judgments, rankings: Rankings) -> Quality:
    """Means over the questions of ``judgments``, each of which has a relevant record.

    A question without a ranking counts as one with an empty ranking.
    """
    found = {
        question: _relevant_places(judged, rankings.get(question, ()))
        for question, judged in judgments.items()
    }
    relevant = {question: _relevant(judged) for question, judged in judgments.items()}

    def recall(cutoff: int) -> float:
        return fmean(
            [sum(p <= cutoff for p in places) / relevant[q] for q, places in found.items()]
        )

    return Quality(
        ndcg_10=round(mean_ndcg(judgments, rankings), 4),
        recall_10=round(recall(10), 4),
        recall_100=round(recall(DEPTH), 4),
        mrr=round(fmean([1 / places[0] if places else 0.0 for places in found.values()]), 4),
    )


def mean_ndcg(judgments: Judgments, rankings: Rankings, cutoff: int = 10) -> float:
    """Mean nDCG at ``cutoff`` over the questions of ``judgments``: gain is the relevance,
    discount log2 (Järvelin & Kekäläinen 2002)."""
    return fmean(
        [
            _dcg([judged.get(record, 0) for record in rankings.get(question, ())[:cutoff]])
            / _dcg(sorted(judged.values(), reverse=True)[:cutoff])
            for question, judged in judgments.items()
        ]
    )


def _dcg(gains: Sequence[int]) -> float:
    return sum(
        max(0, relevance) / math.log2(place + 1) for place, relevance in enumerate(gains, start=1)
    )


def _relevant(judged: Mapping[str, int]) -> int:
    return sum(relevance > 0 for relevance in judged.values())


def _relevant_places(judged: Mapping[str, int], ranking: Sequence[str]) -> list[int]:
    """The places of the relevant records among the first ``DEPTH``, counted from 1."""
    return [
        place for place, record in enumerate(ranking[:DEPTH], start=1) if judged.get(record, 0) > 0
    ]
