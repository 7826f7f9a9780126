"""Expectations and what others found, apart from a document's own statements."""

import pytest
from support.cases import each

from citeloom.domain.review.evidence.statement_kinds import StatementKind, statement_kind


@each(
    "sentence",
    [
        "H1: Readers who wait remember more than readers who do not.",
        "Hypothesis 2a. Larger ponds cool the air more than small ones.",
        "RQ1: Does the gap between two readings change recall?",
        "We hypothesized that a gap of three days would raise recall.",
        "We therefore expected the grid to have the smallest error.",
        "It was predicted that the cooling falls with distance.",
        "We believe readers are the ones who profit most from a gap.",
        "The authors predicted that longer gaps help more.",
        "Our research questions are whether gaps help and at what cost.",
        "The null hypothesis is that the two groups recall as much.",
        "The second study on ponds investigated several hypotheses, including dislike (H3).",
        "In the second study we test 3 hypotheses on ponds.",
        "It was tailored to ponds (Razzaq et al. 2007) and designed to test several hypotheses.",
    ],
)
def test_hypotheses_and_questions_are_expectations(sentence: str) -> None:
    assert statement_kind(sentence, ("Results",)) is StatementKind.EXPECTED


@each(
    "sentence",
    [
        "The results confirm our hypothesis that a gap raises recall.",
        "Hypothesis 2 was rejected: large ponds cool no more than small ones.",
        "We expected a difference, but found none.",
        "Recall was higher than we expected.",
        "We tested two hypotheses, and both were rejected.",
        "Testing several hypotheses on one sample raises the share of false results.",
        "As predicted, the grid had the smallest error.",
        "We believed so until the grid was measured, but it was wrong.",
        "It is not good to wait because we believe readers like it.",
        "The course is expected to take about 16 hours.",
        "The expected value of the estimate is the true share.",
        "Students formulate research questions of their own.",
    ],
)
def test_what_became_of_an_expectation_is_a_statement_of_its_own(sentence: str) -> None:
    assert statement_kind(sentence, ("Results",)) is StatementKind.OWN


@each(
    ("sentence", "heading"),
    [
        ("Marrowfield (2018) found that lakes cool the town.", "Results"),
        ("Marrowfield et al. [12] measured beside lakes.", "Discussion"),
        ("Previous studies found a cooling of two degrees.", "Results"),
        ("Ponds have been said to cool the town (Marrowfield, 2018).", "1 Introduction"),
        ("Ponds cool the town at night [3, 4].", "Related work"),
    ],
)
def test_what_others_found_is_of_others(sentence: str, heading: str) -> None:
    assert statement_kind(sentence, (heading,)) is StatementKind.OTHERS


@pytest.mark.parametrize(
    ("sentence", "heading"),
    [
        ("Our results agree with those of lakes (Marrowfield, 2018).", "1 Introduction"),
        ("The cooling falls with distance, as beside lakes (Marrowfield, 2018).", "Results"),
        ("Ponds cool the street by 1.7 K.", "1 Introduction"),
    ],
)
def test_own_results_are_own_though_they_cite(sentence: str, heading: str) -> None:
    assert statement_kind(sentence, (heading,)) is StatementKind.OWN
