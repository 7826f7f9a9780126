"""Measures against values worked out by hand, and against trec_eval's code."""

import math
import random
import sys

import pytest

from citeloom_evaluation.domain.ranking_quality import mean_ndcg, ranking_quality

JUDGMENTS = {"a": {"x": 1, "y": 1}, "b": {"z": 3, "w": 1}, "c": {"v": 1}}
RANKINGS = {
    "a": ["p", "x", "q", "y"],
    "b": ["w", "z"],
    "c": [f"n{n}" for n in range(49)] + ["v"],
}


def log2(place: int) -> float:
    return math.log2(place + 1)


NDCG = {
    "a": (1 / log2(2) + 1 / log2(4)) / (1 / log2(1) + 1 / log2(2)),
    "b": (1 / log2(1) + 3 / log2(2)) / (3 / log2(1) + 1 / log2(2)),
    "c": 0.0,
}


def test_measures_are_those_of_the_formulas() -> None:
    found = ranking_quality(JUDGMENTS, RANKINGS)
    assert found.ndcg_10 == pytest.approx(sum(NDCG.values()) / 3, abs=1e-4)
    assert found.recall_10 == pytest.approx(2 / 3, abs=1e-4)
    assert found.recall_100 == 1.0
    assert found.mrr == pytest.approx((1 / 2 + 1 + 1 / 50) / 3, abs=1e-4)


def test_what_tuning_maximises_is_what_is_reported() -> None:
    assert mean_ndcg(JUDGMENTS, RANKINGS) == pytest.approx(sum(NDCG.values()) / 3)


def test_a_question_without_answers_counts_as_nothing_found() -> None:
    found = ranking_quality({"a": {"x": 1}, "b": {"y": 1}}, {"a": ["x"], "b": []})
    assert (found.ndcg_10, found.recall_100, found.mrr) == (0.5, 0.5, 0.5)
    assert ranking_quality({"a": {"x": 1}, "b": {"y": 1}}, {"a": ["x"]}) == found


def test_order_alone_counts() -> None:
    found = ranking_quality({"a": {"first": 1}}, {"a": ["first", "zz", "aa"]})
    assert found.mrr == 1.0


@pytest.mark.skipif(sys.platform != "linux", reason="ir-measures has no wheel of trec_eval")
@pytest.mark.parametrize("seed", range(20))
def test_measures_are_those_of_trec_eval(seed: int) -> None:
    from ir_measures import RR, R, calc_aggregate, nDCG

    draw = random.Random(seed)
    judgments, rankings = {}, {}
    for number in range(30):
        pool = [f"d{n}" for n in range(draw.choice([5, 40, 130]))]
        judged = {id: draw.choice([-1, 0, 0, 1, 2, 3]) for id in draw.sample(pool, len(pool) // 2)}
        judgments[f"q{number}"] = judged | {draw.choice(pool): draw.choice([1, 3])}
        if draw.random() < 0.9:
            rankings[f"q{number}"] = draw.sample(pool, draw.randint(0, min(100, len(pool))))
    scores = {
        question: {id: -float(place) for place, id in enumerate(rankings.get(question, ()))}
        for question in judgments
    }
    theirs = calc_aggregate([nDCG @ 10, R @ 10, R @ 100, RR], judgments, scores)
    ours = ranking_quality(judgments, rankings)
    found = (ours.ndcg_10, ours.recall_10, ours.recall_100, ours.mrr)
    expected = (theirs[nDCG @ 10], theirs[R @ 10], theirs[R @ 100], theirs[RR])
    assert found == pytest.approx(expected, abs=5.1e-5)
    assert mean_ndcg(judgments, rankings) == pytest.approx(theirs[nDCG @ 10], abs=1e-12)
