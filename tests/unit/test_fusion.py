import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citeloom.domain.fusion import FusionPolicy, Scored, fuse, rank
from citeloom.domain.retrieval import Mode

cosines = st.one_of(st.none(), st.floats(-1, 1))
bm25 = st.one_of(st.none(), st.floats(0, 60))
pools = st.lists(st.tuples(cosines, bm25), max_size=20).map(
    lambda rows: [Scored(f"c{n:02d}", dense, sparse) for n, (dense, sparse) in enumerate(rows)]
)


def scores(ranked):
    return {each.id: each.score for each in ranked}


def test_each_side_is_stretched_over_the_pool_and_weighed():
    pool = [Scored("a", 0.8, 4.0), Scored("b", 0.6, 12.0), Scored("c", 0.4, 8.0)]
    found = scores(fuse(pool))
    assert found == pytest.approx({"a": 0.6, "b": 0.6 * 0.5 + 0.4, "c": 0.4 * 0.5})


def test_no_common_term_counts_as_a_bm25_score_of_zero():
    pool = [Scored("a", 0.5, 10.0), Scored("b", 0.5, 5.0), Scored("c", 0.9, None)]
    found = scores(fuse(pool))
    assert found == pytest.approx({"a": 0.4, "b": 0.2, "c": 0.6})


def test_no_dense_score_counts_as_the_lowest_of_the_pool():
    pool = [Scored("a", 0.2, 1.0), Scored("b", 0.7, 1.0), Scored("c", None, 1.0)]
    found = scores(fuse(pool))
    assert found["c"] == found["a"] < found["b"]


def test_a_query_without_terms_is_ranked_by_the_dense_side_alone():
    pool = [Scored("a", 0.2, None), Scored("b", 0.7, None), Scored("c", 0.45, None)]
    assert scores(fuse(pool)) == pytest.approx({"b": 1.0, "c": 0.5, "a": 0.0})


def test_a_single_weak_candidate_is_not_shown_as_a_perfect_one():
    [only] = fuse([Scored("a", 0.1, 1.0)])
    assert only.score == pytest.approx(0.6 * 0.1 + 0.4 * 1 / 11)


def test_equal_scores_are_ordered_by_id():
    pool = [Scored(id, 0.5, 3.0) for id in ("b", "c", "a")]
    assert [each.id for each in fuse(pool)] == ["a", "b", "c"]


def test_an_empty_pool_gives_nothing():
    assert fuse([]) == []


def test_one_sided_modes_leave_out_what_is_not_scored_there():
    pool = [Scored("a", 0.3, None), Scored("b", -0.2, 5.0), Scored("c", None, 20.0)]
    assert [(r.id, r.score) for r in rank(pool, Mode.DENSE)] == [("a", 0.3), ("b", 0.0)]
    assert scores(rank(pool, Mode.SPARSE)) == pytest.approx({"c": 20 / 30, "b": 5 / 15})


def test_dense_mode_orders_by_the_raw_cosine_where_the_shown_scores_are_equal():
    pool = [Scored("a", -0.5, None), Scored("b", -0.1, None)]
    assert [each.id for each in rank(pool, Mode.DENSE)] == ["b", "a"]


@pytest.mark.parametrize("field", ["dense_weight", "sparse_weight", "sparse_half"])
def test_weights_must_be_positive(field):
    with pytest.raises(ValueError, match="positive"):
        FusionPolicy(**{field: 0.0})


@given(pools, st.sampled_from(list(Mode)))
def test_scores_shown_lie_in_0_to_1_and_fall(pool, mode):
    shown = [each.score for each in rank(pool, mode)]
    assert all(0.0 <= score <= 1.0 for score in shown)
    assert shown == sorted(shown, reverse=True)


@given(pools, st.randoms(use_true_random=False))
def test_fusion_keeps_every_candidate_and_ignores_their_order(pool, random):
    shuffled = random.sample(pool, len(pool))
    assert fuse(shuffled) == fuse(pool)
    assert {each.id for each in fuse(pool)} == {each.id for each in pool}


@given(pools)
def test_who_is_better_on_both_sides_is_never_ranked_behind(pool):
    found = scores(fuse(pool))
    for one in pool:
        for other in pool:
            if None in (one.dense, other.dense, one.sparse, other.sparse):
                continue
            if one.dense >= other.dense and one.sparse >= other.sparse:
                assert found[one.id] >= found[other.id] or math.isclose(
                    found[one.id], found[other.id], abs_tol=1e-12
                )
