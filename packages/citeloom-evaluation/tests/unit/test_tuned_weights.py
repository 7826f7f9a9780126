"""Searching fusion weights: pure, deterministic, and no better than it says."""

import pytest

from citeloom.domain.projects.project import FusionPolicy
from citeloom.domain.search.fusion import Scored
from citeloom.domain.search.ranking import RerankerScores
from citeloom_evaluation.domain.ranking_quality import mean_ndcg
from citeloom_evaluation.domain.tuning import (
    Pool,
    Weights,
    best_records,
    rank_records,
    rerank_weight_of,
    search_rerank_weight,
    search_weights,
    split_judgments,
    weights_of,
    with_weights,
)


def test_the_best_mixture_is_found_on_the_way_to_a_peak() -> None:
    def score(weights: dict[str, float]) -> float:
        return -abs(weights["a"] - 0.275) - abs(weights["b"] - 0.4)

    found = search_weights({"a": 0.6, "b": 0.3, "c": 0.1}, score)  # type: ignore[arg-type]
    assert found == pytest.approx({"a": 0.275, "b": 0.4, "c": 0.325})


def test_weights_that_gain_nothing_are_not_changed() -> None:
    assert search_weights({"a": 0.61, "b": 0.39}, lambda _: 0.5) == {"a": 0.61, "b": 0.39}


def test_all_sides_keep_some_weight() -> None:
    found = search_weights({"a": 0.5, "b": 0.5}, lambda weights: weights["a"])
    assert 0.95 <= found["a"] < 1
    assert found["b"] > 0


def test_weights_come_from_the_policy_and_go_back() -> None:
    policy = FusionPolicy(dense_weight=3, sentence_weight=2, sparse_weight=1)
    weights = weights_of(policy)
    assert weights["dense_weight"] / weights["sparse_weight"] == pytest.approx(3)
    assert sum(weights.values()) == pytest.approx(1)
    assert weights_of(with_weights(policy, weights)) == pytest.approx(weights)


def test_of_a_question_of_one_word_the_words_count_more() -> None:
    scored = [Scored("1", 0.9, None, 0.9), Scored("2", 0.1, 8.0, 0.1)]
    records = {"1": ["meant"], "2": ["named"]}
    several = Pool(scored, records, question="is MEIS1 there")
    one = Pool(scored, records, question="MEIS1")
    assert rank_records(several, FusionPolicy(), 1) == ["meant"]
    assert rank_records(one, FusionPolicy(), 1) == ["named"]


def test_a_second_look_counts_as_much_as_it_helps() -> None:
    pool = Pool(
        [Scored("1", 0.9, 9.0), Scored("2", 0.8, 8.0), Scored("3", 0.1, 1.0)],
        {"1": ["wrong"], "2": ["right"], "3": ["other"]},
        RerankerScores({"1": 0.4, "2": 0.6, "3": 0.5}, depth=3),
    )

    def score(right: str, weights: Weights) -> float:
        tried = with_weights(FusionPolicy(), weights)
        return mean_ndcg({"q": {right: 1}}, {"q": rank_records(pool, tried, 10)})

    start = rerank_weight_of(FusionPolicy(rerank_weight=0.05))
    assert start == {"rerank_weight": 0.05}
    assert score("right", start) < 1.0
    found = search_rerank_weight(start, lambda weights: score("right", weights))
    assert score("right", found) == 1.0
    smaller = {"rerank_weight": found["rerank_weight"] / 2}
    assert score("right", smaller) < 1.0
    assert search_rerank_weight(start, lambda weights: score("wrong", weights)) == start
    assert search_rerank_weight(found, lambda weights: score("wrong", weights)) == {
        "rerank_weight": 0.0
    }


def test_a_search_finds_the_side_that_knows() -> None:
    # By words the right one is far ahead; by meaning a wrong one is.
    pool = Pool(
        [Scored("1", 0.9, 1.0), Scored("2", 0.5, 9.0), Scored("3", 0.1, 2.0)],
        {"1": ["wrong"], "2": ["right"], "3": ["other"]},
    )
    judgments = {"q": {"right": 1}}

    def score(weights: object) -> float:
        tried = with_weights(FusionPolicy(), weights)  # type: ignore[arg-type]
        return mean_ndcg(judgments, {"q": rank_records(pool, tried, 10)})

    start = {"dense_weight": 0.8, "sentence_weight": 0.1, "sparse_weight": 0.1}
    assert score(start) < 1.0
    found = search_weights(start, score)
    assert score(found) == 1.0


def test_a_document_has_the_place_of_its_best_passage() -> None:
    assert best_records([["a"], ["b", "copy of b"], ["a"], [], ["c"]], 4) == [
        *("a", "b", "copy of b", "c")
    ]
    assert best_records([["a"], ["b", "copy of b"]], 2) == ["a", "b"]


def test_halves_are_always_the_same_and_share_nothing() -> None:
    judgments = {str(n): {"d": 1} for n in range(101)}
    train, held_out = split_judgments(judgments)
    assert (len(train), len(held_out)) == (50, 51)
    assert not train.keys() & held_out.keys()
    assert split_judgments(dict(reversed(judgments.items()))) == (train, held_out)
    assert split_judgments(judgments, seed=1)[0].keys() != train.keys()
