"""Measures against values worked out by hand."""

import math

import pytest

from citeloom.domain.evaluation.tuning import mean_ndcg
from citeloom.infrastructure.evaluation.measures import IrMeasures

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


def test_the_library_and_the_formulas_agree() -> None:
    found = IrMeasures().quality(JUDGMENTS, RANKINGS)
    assert found.ndcg_10 == pytest.approx(sum(NDCG.values()) / 3, abs=1e-4)
    assert found.recall_10 == pytest.approx(2 / 3, abs=1e-4)
    assert found.recall_100 == 1.0
    assert found.mrr == pytest.approx((1 / 2 + 1 + 1 / 50) / 3, abs=1e-4)


def test_what_tuning_maximises_is_what_is_reported() -> None:
    assert mean_ndcg(JUDGMENTS, RANKINGS) == pytest.approx(sum(NDCG.values()) / 3)


def test_a_question_without_answers_counts_as_nothing_found() -> None:
    found = IrMeasures().quality({"a": {"x": 1}, "b": {"y": 1}}, {"a": ["x"], "b": []})
    assert (found.ndcg_10, found.recall_100, found.mrr) == (0.5, 0.5, 0.5)
    assert IrMeasures().quality({"a": {"x": 1}, "b": {"y": 1}}, {"a": ["x"]}) == found


def test_equal_scores_keep_our_order() -> None:
    found = IrMeasures().quality({"a": {"first": 1}}, {"a": ["first", "zz", "aa"]})
    assert found.mrr == 1.0
