"""What a reranker reads, and how its score joins the first stage's."""

import pytest

from citeloom.domain.reranking import best_sentences, blend, evidence_text


def test_the_best_sentences_stand_in_their_order() -> None:
    text = evidence_text("A title", ["One.", "Two.", "Three.", "Four."], [0.1, 0.9, 0.2, 0.8], 2)
    assert text == "A title. Two. Four."


def test_a_title_that_ends_a_sentence_gets_no_stop() -> None:
    assert evidence_text("Do ponds cool?", ["They do."], [0.5]) == "Do ponds cool? They do."


def test_no_title_and_no_sentences_are_nothing() -> None:
    assert evidence_text("", [], []) == ""
    assert evidence_text(" ", ["They do. "], [0.5]) == "They do."


def test_of_equal_sentences_the_first_is_taken() -> None:
    assert best_sentences([0.5, 0.5, 0.5, 0.5], 2) == [0, 1]


def test_sentences_without_similarities_are_refused() -> None:
    with pytest.raises(ValueError, match="2 sentences with 1 similarities"):
        evidence_text("", ["One.", "Two."], [0.5])


def test_the_weight_is_the_rerankers_share() -> None:
    first, reranked = [2.0, 4.0, 3.0], [0.9, 0.1, 0.5]
    assert blend(first, reranked, weight=0.0) == pytest.approx([0.0, 1.0, 0.5])
    assert blend(first, reranked, weight=1.0) == pytest.approx([1.0, 0.0, 0.5])
    assert blend(first, reranked, weight=0.75) == pytest.approx([0.75, 0.25, 0.5])


def test_the_rerankers_scores_count_as_log_odds() -> None:
    low, middle, high = blend([1.0, 2.0, 3.0], [0.01, 0.09, 0.5], weight=1.0)
    assert (low, high) == (0.0, 1.0)
    assert middle == pytest.approx(0.4965, abs=1e-3)


def test_scores_of_exactly_0_and_1_are_taken() -> None:
    assert blend([1.0, 2.0], [1.0, 0.0], weight=1.0) == [1.0, 0.0]


def test_where_one_side_finds_all_equal_the_other_decides_alone() -> None:
    assert blend([0.4, 0.4], [0.2, 0.6], weight=0.5) == [0.0, 1.0]
    assert blend([0.4, 0.8], [0.6, 0.6], weight=0.5) == [0.0, 1.0]
    assert blend([0.4, 0.4], [0.6, 0.6], weight=0.5) == [0.4, 0.4]
    assert blend([0.4], [0.6], weight=0.5) == [0.4]


def test_no_candidates_have_no_scores() -> None:
    assert blend([], []) == []


def test_scores_of_other_candidates_are_refused() -> None:
    with pytest.raises(ValueError, match="2 first scores with 1 reranked"):
        blend([0.1, 0.2], [0.3])
