"""What a reranker reads, and how its score joins the first stage's."""

import math

import pytest

from citeloom.domain.search.fusion import Ranked
from citeloom.domain.search.ranking import (
    TO_THE_END,
    RerankerScores,
    blend,
    evidence_text,
    going_on,
    reordered,
)


def test_the_best_sentences_come_best_first() -> None:
    text = evidence_text("A title", ["One.", "Two.", "Three.", "Four."], [0.1, 0.8, 0.2, 0.9], 2)
    assert text == "A title. Four. Two."


TITLE = "Ponds cool the street"


def test_a_sentence_that_repeats_the_title_takes_no_room() -> None:
    sentences = [TITLE, "The cooling falls.", f"{TITLE} Ponds are open water."]
    text = evidence_text(TITLE, sentences, [0.9, 0.2, 0.5], 2)
    assert text == f"{TITLE}. Ponds are open water. The cooling falls."
    assert evidence_text(TITLE, [f"{TITLE}."], [0.9]) == f"{TITLE}."


def test_a_short_title_is_the_beginning_of_any_sentence() -> None:
    assert evidence_text("Ponds", ["Ponds cool."], [0.9]) == "Ponds. Ponds cool."


def test_a_title_that_ends_a_sentence_gets_no_stop() -> None:
    assert evidence_text("Do ponds cool?", ["They do."], [0.5]) == "Do ponds cool? They do."


def test_no_title_and_no_sentences_are_nothing() -> None:
    assert evidence_text("", [], []) == ""
    assert evidence_text(" ", ["They do. "], [0.5]) == "They do."


def test_of_equal_sentences_the_first_is_taken() -> None:
    assert evidence_text("", ["One.", "Two.", "Three."], [0.5] * 3, 2) == "One. Two."


def test_sentences_without_similarities_are_refused() -> None:
    with pytest.raises(ValueError, match="2 sentences with 1 similarities"):
        evidence_text("", ["One.", "Two."], [0.5])


def test_the_weight_is_what_a_unit_of_log_odds_is_worth() -> None:
    first, reranked = [2.0, 4.0, 3.0], [0.5, 1 / (1 + math.e), 1 / (1 + math.exp(-2))]
    assert blend(first, reranked, weight=0.0) == pytest.approx([0.0, 1.0, 0.5])
    assert blend(first, reranked, weight=0.25) == pytest.approx([0.0, 0.75, 1.0])


def test_the_best_by_both_scores_go_on() -> None:
    first, looked = [1.0 - 0.1 * place for place in range(9)], [0.5] * 8 + [0.999]
    assert going_on(first, looked, 0.0) == list(range(TO_THE_END))
    assert going_on(first, looked, 0.2) == [8, *range(TO_THE_END - 1)]
    assert going_on(first[:3], looked[:3], 0.2) == [0, 1, 2]


def test_a_reranker_that_sees_no_difference_changes_no_order() -> None:
    first = [0.4, 0.8, 0.6]
    for answer in (0.0, 0.01, 0.5, 1.0):
        mixed = blend(first, [answer] * 3, weight=5.0)
        assert sorted(range(3), key=mixed.__getitem__) == [0, 2, 1]


def test_scores_of_exactly_0_and_1_are_taken() -> None:
    high, low = blend([1.0, 2.0], [1.0, 0.0], weight=1.0)
    assert math.isfinite(high)
    assert math.isfinite(low)
    assert high > low


def test_where_the_first_stage_finds_all_equal_the_reranker_decides() -> None:
    low, high = blend([0.4, 0.4], [0.2, 0.6])
    assert low < high
    assert blend([0.4], [0.5]) == [0.0]


def test_no_candidates_have_no_scores() -> None:
    assert blend([], []) == []


def test_scores_of_other_candidates_are_refused() -> None:
    with pytest.raises(ValueError, match="2 first scores with 1 reranked"):
        blend([0.1, 0.2], [0.3])


HITS = [Ranked("a", 0.9, 0.8), Ranked("b", 0.8, 0.7), Ranked("c", 0.5, 0.6), Ranked("d", 0.4, 0.5)]


def test_what_was_read_comes_in_its_new_order_before_the_rest() -> None:
    look = RerankerScores({"a": 0.1, "b": 0.9, "c": 0.5}, depth=3)
    found = reordered(HITS, look, 1.0)
    assert [hit.id for hit in found] == ["b", "c", "a", "d"]
    scores = [hit.score for hit in found]
    assert scores == sorted(scores, reverse=True)
    relevances = [hit.relevance for hit in found]
    assert relevances == sorted(relevances, reverse=True)
    assert relevances[0] == pytest.approx(0.8 * 0.7 + 0.2 * 0.9)


def test_what_was_read_in_part_comes_behind_what_was_read_to_the_end_and_before_the_rest() -> None:
    look = RerankerScores({"a": 0.9, "b": 0.1, "c": 0.99}, depth=3, in_part={"a", "c"})
    found = reordered(HITS, look, 1.0)
    assert [hit.id for hit in found] == ["b", "c", "a", "d"]
    for values in ([hit.score for hit in found], [hit.relevance for hit in found]):
        assert values == sorted(values, reverse=True)


def test_one_that_was_removed_meanwhile_is_left_out() -> None:
    found = reordered(HITS, RerankerScores({"a": 0.5, "c": 0.5}, depth=3))
    assert [hit.id for hit in found] == ["a", "c", "d"]


def test_a_look_at_nothing_changes_nothing() -> None:
    assert reordered(HITS, RerankerScores({}, depth=0)) == HITS
    assert reordered([], RerankerScores({}, depth=0)) == []
