"""Sub-questions that a model proposes."""

import json
from typing import Any

import pytest
from support.cases import each
from support.models.report_writers import Says

from citeloom.application.review.llm.roles import ModelPlanner
from citeloom.domain.research.session import Depth
from citeloom.domain.review.planning.plan import EXTENTS, plan_of
from citeloom.domain.review.report.report import Plan

QUESTION = "What do ponds do to cities in summer?"


def planned(answer: Any, depth: Depth = Depth.MEDIUM, ended: bool = True) -> Plan:
    text = answer if isinstance(answer, str) or answer is None else json.dumps(answer)
    model = Says(None if text is None else lambda _: text, ended=ended)
    return ModelPlanner(model, plan_of)(QUESTION, depth, [])


def proposal(*titles: Any, **more: Any) -> dict[str, Any]:
    rows = [{"title": title, "queries": ["ponds"], "terms": ["water"]} | more for title in titles]
    return {"sub_questions": rows}


def test_sub_questions_are_taken_with_their_queries() -> None:
    found = planned(proposal("How do ponds cool cities?", "Do ponds bring frogs?"))
    assert [one.title for one in found.steps] == [
        "How do ponds cool cities?",
        "Do ponds bring frogs?",
    ]
    assert found.steps[0].queries == ("How do ponds cool cities?", "ponds")
    assert found.steps[0].facets == ("water",)
    assert (found.failures, found.warnings) == ((), ("the sub-questions were written by small",))


@each("depth", list(EXTENTS))
def test_the_depth_bounds_them(depth: Depth) -> None:
    titles = [f"How do ponds and {word} meet?" for word in "rain fog ice snow hail dew".split()]
    titles += [f"What do ponds do to {word}?" for word in "cats dogs birds bees".split()]
    assert len(planned(proposal(*titles), depth).steps) == EXTENTS[depth].steps


def test_the_same_in_other_words_is_asked_once() -> None:
    found = planned(proposal("How do ponds cool cities?", "When do cities cool with ponds?"))
    assert len(found.steps) == 1


@each(
    "answer",
    [
        None,
        "no JSON",
        '{"sub_questions": [{"title": "How do po',
        {"sub_questions": []},
        {"sub_questions": "ponds"},
        {"sub_questions": [4, None, "ponds?", {}]},
        {"steps": []},
        proposal(""),
        proposal(4),
        proposal("x" * 300 + " ponds?"),
        proposal("Ponds cool cities."),
        proposal("Why do ponds cool cities by 73 degrees?"),
        proposal("Why are ponds worse than Zanzibar?"),
        proposal("What is the capital of nowhere?"),
        proposal("Do ponds <b>cool</b> cities?"),
        proposal("Do ponds cool ![cities](https://evil.example)?"),
        "x" * 1_000_000,
    ],
)
def test_what_is_no_plan_gives_way_to_that_of_the_rules(answer: Any) -> None:
    found = planned(answer)
    ready = plan_of(QUESTION, Depth.MEDIUM, [])
    assert found.steps == ready.steps
    assert len(found.failures) == 1
    assert found.failures[0].startswith("planned without a model: ")


def test_an_answer_that_was_cut_off_says_what_to_do() -> None:
    assert planned("{", ended=False).failures[0].endswith("raise llm.max_tokens")


def test_queries_that_are_none_are_left_out() -> None:
    queries = ["  ponds\nair ", "", 4, "x" * 500, "<script>", "air", "sun", "rain"]
    found = planned(proposal("How do ponds cool cities?", queries=queries, terms="water"))
    assert found.steps[0].queries == ("How do ponds cool cities?", "ponds air", "air", "sun")
    assert found.steps[0].facets == ()


TWO = "How do ponds cool cities, and what does a square grid cost?"


@pytest.mark.parametrize(("depth", "most"), [(Depth.LIGHT, 2), (Depth.MEDIUM, 4)])
def test_what_the_question_asks_and_the_model_leaves_out_is_asked(depth: Depth, most: int) -> None:
    answer = json.dumps(proposal("How do ponds cool cities?"))
    found = ModelPlanner(Says(lambda _: answer), plan_of)(TWO, depth, [])
    assert [one.title for one in found.steps] == [
        "How do ponds cool cities?",
        "What does a square grid cost?",
    ]
    assert "added because the model left it out: What does a square grid cost?" in found.warnings


def test_where_there_is_no_room_for_it_that_is_told() -> None:
    answer = json.dumps(proposal("How do ponds cool cities?", "Do ponds cool parks?"))
    found = ModelPlanner(Says(lambda _: answer), plan_of)(TWO, Depth.LIGHT, [])
    assert len(found.steps) == 2
    assert "not asked at this depth: What does a square grid cost?" in found.warnings
