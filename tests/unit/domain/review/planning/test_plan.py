"""Facets of a question, and steps of a plan by depth, without a model."""

import pytest

from citeloom.domain.research.session import Depth
from citeloom.domain.review.planning.facets import InitialPassage, facet_terms
from citeloom.domain.review.planning.plan import EXTENTS, plan_of

SEEN = [
    InitialPassage(
        document_id="a", text="Ponds cool by evaporation. The decay length of ponds is 59 m."
    ),
    InitialPassage(
        document_id="b", text="The decay length is short beside ponds, see https://decay.org."
    ),
    InitialPassage(document_id="c", text="Sampling protocols of ponds differ. All of it is known."),
    InitialPassage(document_id="d", text="Some sampling protocols are better for ponds."),
    InitialPassage(
        document_id="d", text="The licence terms allow everything. Licence terms of other kinds."
    ),
    InitialPassage(document_id="e", text="The licence terms are those of the publisher."),
]
QUESTION = "How do ponds cool?"


def test_facets_are_what_several_documents_say_on_the_question():
    assert set(facet_terms(QUESTION, SEEN, 5)) == {"decay length", "sampling protocols"}


def test_facets_share_no_words_and_are_not_those_of_the_question():
    found = facet_terms("What is the decay length?", SEEN, 5)
    assert "decay length" not in found
    taken = [word for facet in found for word in facet.split()]
    assert len(taken) == len(set(taken))


def test_a_library_without_terms_of_its_own_gives_none():
    assert facet_terms(QUESTION, [], 5) == ()
    assert facet_terms(QUESTION, SEEN[:1], 5) == ()


def test_pieces_of_sentences_licences_and_cited_authors_are_no_facets():
    seen = [
        InitialPassage(
            document_id=str(n),
            text=f"Tools are made to help students with ponds in week {n}. Helping students with "
            "ponds is what we want here. Students reflecting on ponds learn how they cool. "
            "Ponds cool in many ways (Kluyver Brook et al., 2016). Authors of papers retain the "
            "copyright of ponds under a Creative Commons licence. Kluyver Brook et al. like ponds "
            "as much as we do. The energy balance of ponds is known by now.",
        )
        for n in range(6)
    ]
    assert facet_terms(QUESTION, seen, 8) == ("energy balance",)


def test_what_asks_for_results_is_asked_in_words_of_results_too():
    plan = plan_of("Do ponds cool the town?", Depth.LIGHT, SEEN)
    assert plan.steps[0].queries[1].startswith("ponds cool town: results")
    assert len(plan_of("What is a pond?", Depth.LIGHT, SEEN).steps[0].queries) == 1


def test_short_forms_that_the_library_has_are_asked_for():
    seen = [InitialPassage(document_id="a", text="High-performance computing (HPC) needs a queue.")]
    plan = plan_of("Where is high-performance computing taught?", Depth.LIGHT, seen)
    assert plan.steps[0].queries == (
        "Where is high-performance computing taught?",
        "Where is high-performance computing taught? HPC",
    )


@pytest.mark.parametrize(
    ("depth", "least", "most"),
    [(Depth.LIGHT, 1, 2), (Depth.MEDIUM, 3, 4), (Depth.EXTENDED, 3, 8), (Depth.AUTO, 3, 4)],
)
def test_the_depth_says_how_many_steps(depth: Depth, least: int, most: int):
    assert least <= len(plan_of(QUESTION, depth, SEEN).steps) <= most
    many = "What is a? What is b? What is c? What is d? What is e? What is f? What is g?"
    plan = plan_of(many, depth, SEEN)
    assert len(plan.steps) <= (8 if depth is Depth.AUTO else most)
    asked = len(plan.steps) + len(plan.warnings)
    assert asked == 7


def test_sides_that_are_too_many_for_steps_are_asked_with_their_whole():
    plan = plan_of("How do wind, distance and pond size affect it?", Depth.LIGHT, SEEN)
    (step,) = plan.steps
    assert [query for query in step.queries if query.startswith("How do")] == [
        "How do wind, distance and pond size affect it?",
        "How do wind affect it?",
        "How do distance affect it?",
        "How do pond size affect it?",
    ]
    assert plan.warnings == ()


def test_each_step_asks_its_own_words_first_and_the_same_plan_comes_again():
    plan = plan_of("How do ponds cool, and why do they?", Depth.MEDIUM, SEEN)
    assert plan == plan_of("How do ponds cool, and why do they?", Depth.MEDIUM, SEEN)
    asked = [step for step in plan.steps if step.asked]
    assert [step.title for step in asked] == ["How do ponds cool?", "Why do they?"]
    assert asked[0].queries == (asked[0].title,)
    assert asked[1].queries == ("ponds cool: Why do they?",)
    for step in plan.steps:
        assert step.asked or all(word in step.queries[0] for word in step.facets)


def test_every_depth_has_an_extent_with_room():
    for extent in EXTENTS.values():
        assert 1 <= extent.min_steps <= extent.steps
        assert extent.quotes <= 10
