import pytest
from hypothesis import given
from hypothesis import strategies as st

from citeloom.domain.search.ranking import are_near_duplicates, max_marginal_selection, shingles

ABSTRACT = (
    "We measured the air temperature beside four ponds on summer evenings and found that the "
    "cooling falls with distance from the bank and is gone at one hundred metres."
)
ARTICLE = ABSTRACT.replace("We measured the", "Here we measure").replace("gone", "absent")
OTHER = (
    "Beside ponds the air is cooler on summer evenings, as earlier work has shown for lakes; we "
    "ask how far the effect reaches into the streets of a dense old town."
)


def test_a_preprint_and_its_article_say_the_same() -> None:
    assert are_near_duplicates(shingles(ABSTRACT), shingles(ARTICLE))
    assert are_near_duplicates(shingles(ABSTRACT), shingles(ABSTRACT.upper() + "!"))


def test_two_passages_on_one_subject_do_not() -> None:
    assert not are_near_duplicates(shingles(ABSTRACT), shingles(OTHER))


def test_a_sentence_is_no_copy_of_the_passage_that_quotes_it() -> None:
    assert not are_near_duplicates(shingles(ABSTRACT[:45]), shingles(ABSTRACT + OTHER * 3))


def test_short_texts_are_compared_whole() -> None:
    assert are_near_duplicates(shingles("Not known."), shingles("not known"))
    assert not are_near_duplicates(shingles("Not known."), shingles("Well known."))


@given(st.text(max_size=80), st.text(max_size=80))
def test_likeness_is_mutual_and_everything_is_like_itself(one: str, other: str) -> None:
    a, b = shingles(one), shingles(other)
    assert are_near_duplicates(a, a)
    assert are_near_duplicates(a, b) == are_near_duplicates(b, a)


def test_a_varied_answer_takes_the_best_first_and_then_what_differs() -> None:
    scores = {"a": 1.0, "b": 0.98, "c": 0.7}
    vectors = {"a": (1.0, 0.0), "b": (0.999, 0.045), "c": (0.0, 1.0)}
    assert max_marginal_selection(list(scores), scores, vectors, 2) == ["a", "c"]
    assert max_marginal_selection(list(scores), scores, vectors, 3) == ["a", "c", "b"]
    assert max_marginal_selection(list(scores), scores, vectors, 2, relevance_weight=1.0) == [
        "a",
        "b",
    ]


def test_one_without_a_vector_is_like_no_other() -> None:
    scores = {"a": 1.0, "b": 0.9, "c": 0.89}
    assert max_marginal_selection(list(scores), scores, {"a": (1.0,), "b": (1.0,)}, 2) == ["a", "c"]


@pytest.mark.parametrize("wanted", [0, 1, 5])
def test_never_more_than_wanted(wanted: int) -> None:
    scores = {"a": 0.5, "b": 0.5}
    assert max_marginal_selection(["a", "b"], scores, {}, wanted) == ["a", "b"][:wanted]
