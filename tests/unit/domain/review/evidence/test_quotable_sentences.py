"""Sentences that can be quoted, and those that cannot."""

import pytest
from support.cases import each

from citeloom.domain.review.evidence.quotable_sentences import (
    bullet_length,
    has_verb,
    is_back_matter,
    is_fragment,
    is_statement,
)
from citeloom.domain.search.wants import asks_for_quantity


@each(
    "sentence",
    [
        "The cooling falls with distance and is gone at one hundred metres.",
        "At 5 m from the shore the air was on average 1.74 K cooler (Fig. 2).",
        "“Ponds cool the street,” the mayor said to the council of the town.",
        "The design was taken from an earlier study of small lakes [3, 4].",
        "3D models of the town are built from open data of the survey.",
        "mRNA levels rose in all of the samples that were taken at night.",
        "Ponds i) cool the street at night (by 1 K) and/or ii) are liked by all.",
        "19th-century towns had ponds in nearly all of their parks.",
    ],
)
def test_whole_sentences_can_be_quoted(sentence: str):
    assert is_statement(sentence)


@each(
    ("sentence", "title", "fragment"),
    [
        ("which reaches the bank of the pond.", "Ponds", True),
        ("pondsim is a model of ponds.", "pondsim: a model", False),
        ("pondsim is a model of ponds.", "Models of ponds", True),
        ("• reeds and rushes beside ponds", "Ponds", False),
        ("of ponds | 3\nof lakes | 4", "Ponds", False),
        ("mRNA of frogs was found.", "Ponds", False),
    ],
)
def test_a_sentence_in_lower_case_has_lost_its_start(sentence: str, title: str, fragment: bool):
    assert is_fragment(sentence, title) is fragment


@each(
    "sentence",
    [
        "Results",
        "of the ponds that were measured in the summer of that year.",
        "How strong is the cooling at the shore of small ponds?",
        "The cooling falls with distance and is gone at",
        "Figure 2. The cooling by distance from the shore of four ponds.",
        "Szélkuti, O., & Marrowfield, T. (2022). Evening cooling beside ponds.",
        "Notes in Urban Microclimate, 7(2), 127–130, the publisher, Amsterdam.",
        "See the long form of this at https://doi.org/10.5555/num.2022.7.003.",
        "License Authors of papers retain copyright and release the work.",
        "We thank the water board of the town for their kind permission.",
        "0.33 0.83 1.22 1.74 12 25 50 100 K m n = 92 0.3 1.9 ha p < 0.05.",
        "The air was cooler (by 1.74 K at the shore of the pond.",
        "The air was cooler by 1.74 K) at the shore of the pond.",
        "The air was cooler by 1.74 K) at the shore (Figure 3) of the pond.",
        "Too short a one.",
    ],
)
def test_fragments_captions_notices_and_references_cannot(sentence: str):
    assert not is_statement(sentence)


def test_marks_of_lists_are_no_part_of_a_quotation():
    assert bullet_length("• The first") == 2
    assert bullet_length("(iv) The fourth") == 5
    assert bullet_length("12. The twelfth") == 4
    assert bullet_length("– The next") == 2
    assert bullet_length("-3.5 K was the least") == bullet_length("–.5 K was the least") == 0
    assert bullet_length("A first one") == 0


def test_what_stands_in_lists_has_to_have_a_verb():
    assert not has_verb("Understand the basic concepts of reinforcement learning.", "en")
    assert has_verb("Students will learn the basic concepts of it.", "en")
    assert has_verb("Thus large ponds consume a large part of the town.", "en")
    assert not has_verb("Basic concepts of ponds and a theory of lakes.", "en")
    assert not has_verb("Ponds outside the town, and lakes along the river.", "en")
    assert has_verb("Die Teiche kühlen die Straßen der Stadt, aber nicht die des Dorfes.", "de")


@each(
    ("heading", "apart"),
    [
        ("Acknowledgements", True),
        ("6 Acknowledgments", True),
        ("Conflicts of Interest", True),
        ("Author contributions", True),
        ("References", True),
        ("Learning content", False),
        ("Contents of the pond", False),
        ("Funding of schools", False),
    ],
)
def test_sections_that_say_nothing_on_the_matter(heading: str, apart: bool):
    assert is_back_matter(heading) is apart


def test_quantities_are_asked_for():
    assert asks_for_quantity("How many students took part?")
    assert asks_for_quantity("What is the size of the effect?")
    assert not asks_for_quantity("How do ponds cool the street?")


@pytest.mark.parametrize(
    "sentence",
    [
        "The most recent version can be found at https://example.org/ponds for all.",
        "Repetitive, tedious tasks\uffffand distractions\uffffpull attention away from ponds.",
    ],
)
def test_addresses_of_the_web_and_unreadable_characters_are_not_quoted(sentence: str):
    assert not is_statement(sentence)
