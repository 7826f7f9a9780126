"""Measures by ir-measures, which computes them with trec_eval's own code."""

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
        # Scores by place: trec_eval would order equal scores by id, and a user sees ours.
        run = {
            question: {id: float(-place) for place, id in enumerate(rankings.get(question, ()))}
            for question in judgments
        }
        qrels = {question: dict(judged) for question, judged in judgments.items()}
        ndcg, r10, r100, rr = nDCG @ 10, R @ 10, R @ DEPTH, RR
        found = calc_aggregate([ndcg, r10, r100, rr], qrels, run)
        return Quality(
            ndcg_10=round(found[ndcg], 4),
            recall_10=round(found[r10], 4),
            recall_100=round(found[r100], 4),
            mrr=round(found[rr], 4),
        )
