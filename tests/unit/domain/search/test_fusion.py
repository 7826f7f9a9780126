import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError
from support.cases import each

from citeloom.domain.projects.project import FusionMethod, FusionPolicy
from citeloom.domain.search.fusion import (
    Mode,
    Ranked,
    Scored,
    boosted,
    demoted,
    fuse,
    policy_for,
    rank,
    top_ids,
)

cosines = st.one_of(st.none(), st.floats(-1, 1))
bm25 = st.one_of(st.none(), st.floats(0, 60))
pools = st.lists(st.tuples(cosines, bm25, cosines), max_size=20).map(
    lambda rows: [
        Scored(f"c{n:02d}", dense, sparse, None if dense is None else sentence)
        for n, (dense, sparse, sentence) in enumerate(rows)
    ]
)
policies = st.sampled_from([FusionPolicy(method=method) for method in FusionMethod])
PLAIN = FusionPolicy(dense_weight=0.6, sentence_weight=0, sparse_weight=0.4)


def scores(ranked):
    return {each.id: each.score for each in ranked}


def test_each_side_is_stretched_over_the_pool_and_weighed():
    pool = [Scored("a", 0.8, 4.0), Scored("b", 0.6, 12.0), Scored("c", 0.4, 8.0)]
    found = scores(fuse(pool, PLAIN))
    assert found == pytest.approx({"a": 0.6, "b": 0.6 * 0.5 + 0.4, "c": 0.4 * 0.5})


def test_of_a_single_word_the_words_count_more_and_never_less():
    pool = [Scored("meant", 0.9, None, 0.9), Scored("named", 0.1, 8.0, 0.1)]
    several, one = policy_for("is it named"), policy_for("named")
    assert [hit.id for hit in fuse(pool, several)] == ["meant", "named"]
    assert [hit.id for hit in fuse(pool, one)] == ["named", "meant"]
    wordy = FusionPolicy(dense_weight=1, sentence_weight=0, sparse_weight=9)
    assert policy_for("named", wordy) == wordy


def test_the_best_sentence_is_a_side_of_its_own():
    pool = [Scored("a", 0.5, 1.0, 0.9), Scored("b", 0.5, 1.0, 0.5), Scored("c", 0.5, 1.0, 0.1)]
    policy = FusionPolicy(dense_weight=0.3, sentence_weight=0.3, sparse_weight=0.4)
    assert scores(fuse(pool, policy)) == pytest.approx({"a": 0.3, "b": 0.15, "c": 0.0})


def test_a_passage_without_sentences_counts_as_one_sentence():
    pool = [Scored("a", 0.6, None, None), Scored("b", 0.2, None, 0.6), Scored("c", 0.2, None, 0.2)]
    policy = FusionPolicy(dense_weight=0.5, sentence_weight=0.5)
    assert scores(fuse(pool, policy)) == pytest.approx({"a": 1.0, "b": 0.5, "c": 0.0})


def test_no_common_term_counts_as_a_bm25_score_of_zero():
    pool = [Scored("a", 0.5, 10.0), Scored("b", 0.5, 5.0), Scored("c", 0.9, None)]
    found = scores(fuse(pool, PLAIN))
    assert found == pytest.approx({"a": 0.4, "b": 0.2, "c": 0.6})


def test_no_dense_score_counts_as_the_lowest_of_the_pool():
    pool = [Scored("a", 0.2, 1.0), Scored("b", 0.7, 1.0), Scored("c", None, 1.0)]
    found = scores(fuse(pool))
    assert found["c"] == found["a"] < found["b"]


def test_a_query_without_terms_is_ranked_by_the_dense_side_alone():
    pool = [Scored("a", 0.2, None), Scored("b", 0.7, None), Scored("c", 0.45, None)]
    assert scores(fuse(pool, PLAIN)) == pytest.approx({"b": 1.0, "c": 0.5, "a": 0.0})


def test_ranks_ignore_how_far_apart_scores_are():
    policy = FusionPolicy(method=FusionMethod.RRF)
    near = [Scored("a", 0.9, 9.0), Scored("b", 0.8, 8.0), Scored("c", 0.7, 7.0)]
    far = [Scored("a", 0.9, 50.0), Scored("b", 0.8, 2.0), Scored("c", -0.7, 1.0)]
    assert scores(fuse(near, policy)) == scores(fuse(far, policy))
    assert scores(fuse(near, policy))["b"] == pytest.approx(61 / 62)


def test_standard_scores_put_the_mean_in_the_middle():
    policy = FusionPolicy(method=FusionMethod.DBSF)
    found = scores(fuse([Scored("a", 0.2, 1.0), Scored("b", 0.4, 2.0), Scored("c", 0.6, 3.0)]))
    assert list(found) == ["c", "b", "a"]
    found = scores(
        fuse([Scored("a", 0.2, 1.0), Scored("b", 0.4, 2.0), Scored("c", 0.6, 3.0)], policy)
    )
    assert found["b"] == pytest.approx(0.5)
    assert found["c"] == pytest.approx(0.5 + 1 / 6)


def test_relevance_means_the_same_whatever_else_was_found():
    [alone] = fuse([Scored("a", 0.1, 1.0)], PLAIN)
    assert alone.relevance == pytest.approx(0.6 * 0.1 + 0.4 * 1 / 11)
    among = fuse([Scored("a", 0.1, 1.0), Scored("b", 0.9, 30.0)], PLAIN)
    assert among[1].relevance == pytest.approx(alone.relevance)
    assert among[0].relevance == pytest.approx(0.6 * 0.9 + 0.4 * 0.75)


def test_equal_scores_are_ordered_by_id():
    pool = [Scored(id, 0.5, 3.0) for id in ("b", "c", "a")]
    assert [each.id for each in fuse(pool)] == ["a", "b", "c"]


def test_an_empty_pool_gives_nothing():
    assert fuse([]) == []


def test_one_sided_modes_leave_out_what_is_not_scored_there():
    pool = [Scored("a", 0.3, None), Scored("b", -0.2, 5.0), Scored("c", None, 20.0)]
    assert [(r.id, r.relevance) for r in rank(pool, Mode.DENSE)] == [("a", 0.3), ("b", 0.0)]
    shown = {each.id: each.relevance for each in rank(pool, Mode.SPARSE)}
    assert shown == pytest.approx({"c": 20 / 30, "b": 5 / 15})


def test_dense_mode_orders_by_the_raw_cosine_where_the_shown_scores_are_equal():
    pool = [Scored("a", -0.5, None), Scored("b", -0.1, None)]
    assert [each.id for each in rank(pool, Mode.DENSE)] == ["b", "a"]


def test_dense_mode_counts_the_best_sentence():
    pool = [Scored("a", 0.5, None, 0.5), Scored("b", 0.4, None, 0.9)]
    assert [each.id for each in rank(pool, Mode.DENSE)] == ["b", "a"]


@each("field", ["dense_weight", "sparse_weight", "rrf_k"])
@each("value", [0.0, -1.0, math.nan, math.inf])
def test_weights_must_be_positive_numbers(field, value):
    with pytest.raises(ValidationError):
        FusionPolicy(**{field: value})


@given(pools, st.sampled_from(list(Mode)), policies)
def test_relevance_lies_in_0_to_1_and_never_rises(pool, mode, policy):
    shown = [each.relevance for each in rank(pool, mode, policy)]
    assert all(0.0 <= score <= 1.0 for score in shown)
    assert shown == sorted(shown, reverse=True)


@given(pools, st.randoms(use_true_random=False), policies)
def test_fusion_keeps_every_candidate_and_ignores_their_order(pool, random, policy):
    shuffled = random.sample(pool, len(pool))
    assert [each.id for each in fuse(shuffled, policy)] == [each.id for each in fuse(pool, policy)]
    assert {each.id for each in fuse(pool, policy)} == {each.id for each in pool}


@given(pools, policies, st.integers(0, 25))
def test_the_foremost_are_the_first_of_the_ranking(pool, policy, count):
    assert top_ids(pool, count, policy) == [hit.id for hit in fuse(pool, policy)][:count]


@given(pools, policies)
def test_who_is_better_on_all_sides_is_never_ranked_behind(pool, policy):
    found = scores(fuse(pool, policy))
    for one in pool:
        for other in pool:
            sides = (one.dense, other.dense, one.sparse, other.sparse, one.sentence, other.sentence)
            if None in sides:
                continue
            if (
                one.dense >= other.dense
                and one.sparse >= other.sparse
                and one.sentence >= other.sentence
            ):
                assert found[one.id] >= found[other.id] or math.isclose(
                    found[one.id], found[other.id], abs_tol=1e-9
                )


def test_what_is_favoured_moves_up_by_a_tenth_of_the_way_to_the_first():
    ranked = [Ranked("a", 9.0, 0.9), Ranked("b", 8.5, 0.8), Ranked("c", 5.0, 0.7)]
    ranked += [Ranked("d", 4.0, 0.6)]
    found = boosted(ranked, {"b", "d"})
    assert [(hit.id, hit.score, hit.relevance) for hit in found] == [
        ("b", 9.0, 0.8),
        ("a", 9.0, 0.8),
        ("c", 5.0, 0.7),
        ("d", 4.5, 0.6),
    ]


def test_of_equals_the_favoured_comes_first_and_without_any_nothing_moves():
    ranked = [Ranked("a", 1.0, 0.5), Ranked("b", 1.0, 0.5)]
    assert [hit.id for hit in boosted(ranked, {"b"})] == ["b", "a"]
    assert boosted(ranked, set()) == ranked
    assert boosted([], {"b"}) == []


def test_what_is_demoted_falls_behind_what_is_about_as_good_and_not_to_the_end() -> None:
    scores = [("a", 1.0), ("b", 0.85), ("c", 0.75), ("d", 0.1), ("e", 0.0)]
    found = demoted([Ranked(id, score, score) for id, score in scores], {"a"})
    assert [hit.id for hit in found] == ["b", "a", "c", "d", "e"]
    relevances = [hit.relevance for hit in found]
    assert relevances == sorted(relevances, reverse=True)
    assert demoted([], {"a"}) == []
    tie = [Ranked("a", 0.5, 0.5), Ranked("b", 0.5, 0.5)]
    assert [hit.id for hit in demoted(tie, {"a"})] == ["b", "a"]
