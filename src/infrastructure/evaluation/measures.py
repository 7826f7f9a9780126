"""Ranking measures (nDCG, recall, MRR) by ir-measures, with the code of trec_eval."""

from collections.abc import Mapping, Sequence

from citeloom.domain.errors import Unavailable
from citeloom.domain.evaluation.dataset import DEPTH, Judgments, Quality


class IrMeasures:
    def quality(self, judgments: Judgments, rankings: Mapping[str, Sequence[str]]) -> Quality:
        try:
            from ir_measures import RR, R, calc_aggregate, nDCG
        except ImportError as error:
            raise Unavailable(
                "ir-measures: not installed; run `pip install ir-measures==0.4.3`"
            ) from error
        # Scores by rank: trec_eval would order equal scores by id.
        run = {
            question: {id: float(-place) for place, id in enumerate(rankings.get(question, ()))}
            for question in judgments
        }
        qrels = {question: dict(judged) for question, judged in judgments.items()}
        ndcg, r10, r100, rr = nDCG @ 10, R @ 10, R @ DEPTH, RR
        values = calc_aggregate([ndcg, r10, r100, rr], qrels, run)
        return Quality(
            ndcg_10=round(values[ndcg], 4),
            recall_10=round(values[r10], 4),
            recall_100=round(values[r100], 4),
            mrr=round(values[rr], 4),
        )
