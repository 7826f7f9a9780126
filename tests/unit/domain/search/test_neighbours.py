"""What the neighbours of a passage say for it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citeloom.domain.documents.spans import ChunkPosition
from citeloom.domain.search.fusion import Mode, Ranked, Scored, rank
from citeloom.domain.search.ranking import by_own_scores, group_adjacent, smoothed_by_neighbours

HALF = 0.5


def positions(**places):
    return {id: ChunkPosition(document, place) for id, (document, place) in places.items()}


def test_a_passage_takes_a_share_of_what_is_best_beside_it():
    pool = [Scored("a", 0.2, 4.0, 0.9), Scored("b", 0.6, None, 0.3)]
    a, b = smoothed_by_neighbours(pool, positions(a=("d", 3), b=("d", 4)), HALF)
    assert a == Scored("a", pytest.approx(0.4), 4.0, 0.9)
    assert b == Scored("b", 0.6, pytest.approx(2.0), pytest.approx(0.6))


@pytest.mark.parametrize("other", [("d", 5), ("e", 4), ("d", 3)])
def test_only_what_stands_directly_before_or_after_counts(other):
    pool = [Scored("a", 0.2, 1.0), Scored("b", 0.9, 9.0)]
    near = positions(a=("d", 3), b=other)
    assert smoothed_by_neighbours(pool, near, HALF) == pool


def test_what_has_no_position_is_left_and_lifts_nobody():
    pool = [Scored("a", 0.2, 1.0), Scored("b", 0.9, 9.0)]
    assert smoothed_by_neighbours(pool, positions(a=("d", 3)), HALF) == pool
    assert smoothed_by_neighbours(pool, {}, HALF) == pool


def test_a_side_that_nobody_has_stays_unknown():
    pool = [Scored("a", None, 1.0), Scored("b", None, 2.0)]
    lifted = smoothed_by_neighbours(pool, positions(a=("d", 0), b=("d", 1)), HALF)
    assert [one.dense for one in lifted] == [None, None]
    assert [one.sentence for one in lifted] == [None, None]


def test_an_answer_cut_in_two_comes_before_one_that_only_shares_words():
    """The sentence stands in one passage, the words of the question in the next."""
    pool = [
        Scored("said", 0.7, None, 0.8),
        Scored("named", 0.3, 8.0, 0.3),
        Scored("other", 0.6, 6.0, 0.6),
        Scored("far", 0.1, None, 0.1),
    ]
    apart = [hit.id for hit in rank(pool, Mode.HYBRID)]
    near = positions(said=("d", 0), named=("d", 1), other=("e", 0), far=("f", 0))
    together = [hit.id for hit in rank(smoothed_by_neighbours(pool, near), Mode.HYBRID)]
    assert apart[0] == "other"
    assert together[:2] == ["said", "named"]


def test_the_passages_of_a_document_share_out_its_ranks_by_their_own_scores():
    ranked = [Ranked(id, 1 - n / 10, 1 - n / 10) for n, id in enumerate(["b", "x", "a", "m", "y"])]
    near = positions(a=("d", 0), b=("d", 1), x=("e", 0), y=("e", 1))
    found = by_own_scores(ranked, ["a", "y", "m", "b", "x"], near)
    assert [hit.id for hit in found] == ["a", "y", "b", "m", "x"]
    assert [hit.score for hit in found] == [hit.score for hit in ranked]
    assert [hit.relevance for hit in found] == [hit.relevance for hit in ranked]


@given(
    st.lists(
        st.tuples(st.floats(-1, 1), st.none() | st.floats(0, 40), st.none() | st.floats(-1, 1)),
        min_size=1,
        max_size=6,
    )
)
def test_no_score_falls_and_none_goes_over_the_best_beside(scores):
    pool = [Scored(str(n), *score) for n, score in enumerate(scores)]
    near = {one.id: ChunkPosition("d", n) for n, one in enumerate(pool)}
    for n, (before, after) in enumerate(zip(pool, smoothed_by_neighbours(pool, near), strict=True)):
        best = max(one.dense for one in pool[max(0, n - 1) : n + 2])
        assert before.dense <= after.dense <= best + 1e-12
        assert (after.sparse or 0.0) >= (before.sparse or 0.0)


def test_neighbours_make_one_group_in_the_order_of_the_text():
    near = positions(a=("d", 3), b=("e", 1), c=("d", 2), e=("d", 4))
    assert group_adjacent(["a", "b", "c", "e"], near, 9) == [["c", "a", "e"], ["b"]]


def test_a_neighbour_of_a_neighbour_is_in_another_group():
    near = positions(a=("d", 3), b=("d", 4), c=("d", 5), e=("d", 6))
    assert group_adjacent(["a", "b", "c", "e"], near, 9) == [["a", "b"], ["c", "e"]]


def test_groups_are_as_many_as_are_wanted_and_hold_a_beginning():
    near = positions(a=("d", 3), b=("e", 1), c=("f", 2), e=("d", 4))
    assert group_adjacent(["a", "b", "e", "c"], near, 2) == [["a", "e"], ["b"]]
    assert group_adjacent(["a", "b", "c", "e"], near, 2) == [["a"], ["b"]]


def test_what_has_no_position_is_a_group_of_its_own():
    assert group_adjacent(["a", "b"], positions(a=("d", 3)), 9) == [["a"], ["b"]]


@given(st.lists(st.integers(0, 12), unique=True), st.integers(1, 9))
def test_the_groups_hold_each_passage_once(places, limit):
    ids = [str(place) for place in places]
    near = {id: ChunkPosition("d", int(id)) for id in ids}
    groups = group_adjacent(ids, near, limit)
    assert len(groups) <= limit
    held = [id for group in groups for id in group]
    assert sorted(held) == sorted(ids[: len(held)])
    assert all(len(group) <= 3 for group in groups)
