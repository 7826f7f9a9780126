"""Which way a sentence goes."""

import pytest
from support.cases import each

from citeloom.domain.verification.claims.polarity import (
    are_aligned,
    are_opposed,
    comparison,
    directions,
    negations,
)


@each(
    ("text", "denied"),
    [
        ("It does not increase risk, but cost.", "increase risk"),
        ("There was no effect on mortality.", "effect on mortality"),
        ("Patients without diabetes improved", "diabetes improved"),
        ("The drug fails to inhibit growth.", "inhibit growth"),
        ("We didn't see change.", "see change"),
        ("A lack of evidence.", "evidence"),
    ],
)
def test_what_is_denied_follows_the_word_that_denies(text: str, denied: str) -> None:
    (one,) = negations(text)
    assert text[one.end : one.scope].strip() == denied


@each("text", ["It rose.", "not only this", "no more than three", "a note on notation", "another"])
def test_what_only_looks_like_a_negation_is_none(text: str) -> None:
    assert negations(text) == ()


@each(
    ("one", "other"),
    [
        ("increases", "decreased"),
        ("higher", "lower"),
        ("improved", "worsens"),
        ("positively", "negative"),
        ("promotes", "inhibition"),
        ("upregulated", "downregulation"),
        ("promotes", "reduces"),
        ("before", "after"),
        ("high-level", "low-level"),
        ("more", "fewer"),
        ("effective", "ineffective"),
    ],
)
def test_opposite_directions_are_told(one: str, other: str) -> None:
    (mine,), (theirs,) = directions(one), directions(other)
    assert are_opposed(mine, theirs)
    assert not are_aligned(mine, theirs)


@pytest.mark.parametrize(
    ("one", "other"), [("increases", "rose"), ("inhibits", "decrease"), ("better", "improves")]
)
def test_words_of_the_same_direction_are_told(one: str, other: str) -> None:
    (mine,), (theirs,) = directions(one), directions(other)
    assert are_aligned(mine, theirs)


def test_a_direction_in_the_scope_of_a_negation_is_marked() -> None:
    rose, fell = directions("It did not increase, it decreased.")
    assert (rose.negated, fell.negated) == (True, False)


def test_the_sides_of_a_comparison_are_found() -> None:
    text = "A is higher than B"
    found = comparison(text)
    assert found is not None
    assert (text[: found.start()].strip(), text[found.end() :].strip()) == ("A is higher", "B")
    assert comparison("A is high") is None


@each(
    "text",
    [
        "It is practical for fewer than 25 students.",
        "It runs with up to 8 cores.",
        "At least half of them came.",
        "More than a hundred came.",
    ],
)
def test_bounds_of_numbers_are_no_directions(text: str) -> None:
    assert directions(text) == ()


def test_directions_beside_bounds_stay() -> None:
    (one,) = directions("Scores rose by more than 5 points.")
    assert one.word == "rose"
    assert [d.word for d in directions("More than we thought, fewer than before.")][:2] == [
        "more",
        "fewer",
    ]


@pytest.mark.parametrize(
    ("one", "other"), [("It helped.", "It hindered."), ("It is common.", "It is rare.")]
)
def test_opposites_of_everyday_words(one: str, other: str) -> None:
    (mine,), (theirs,) = directions(one), directions(other)
    assert are_opposed(mine, theirs)
