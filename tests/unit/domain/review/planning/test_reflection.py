"""Follow-up steps after each step of a plan."""

from citeloom.domain.research.events import Reflection
from citeloom.domain.research.session import Depth
from citeloom.domain.review.planning.plan import expanded_query, reflect
from citeloom.domain.review.report.report import Plan, SubQuestion


def a_plan(*asked: bool) -> Plan:
    steps = [
        SubQuestion(title=f"Question {n}?", queries=(f"Question {n}?",), asked=one)
        for n, one in enumerate(asked)
    ]
    return Plan(question="Question?", depth=Depth.EXTENDED, steps=tuple(steps))


def test_a_step_that_found_little_is_asked_once_more_in_words_of_the_evidence():
    plan = a_plan(True, True)
    found = reflect(
        plan, 0, new_quotes=1, retried=False, dry_steps=0, evidence=["Ponds cool towns."]
    )
    assert found.decision is Reflection.ADJUST
    assert found.query is not None
    assert "ponds" in found.query
    again = reflect(
        plan, 0, new_quotes=0, retried=True, dry_steps=1, evidence=["Ponds cool towns."]
    )
    assert again.decision is Reflection.CONTINUE
    without = reflect(plan, 0, new_quotes=0, retried=False, dry_steps=1, evidence=[])
    assert without.decision is Reflection.CONTINUE


def test_a_facet_is_asked_otherwise_by_its_own_words_only():
    steps = (
        SubQuestion(title="How?", queries=("How?",)),
        SubQuestion(
            title="With regard to random start",
            queries=("x",),
            facets=("random", "start"),
            asked=False,
        ),
    )
    plan = Plan(question="How?", depth=Depth.MEDIUM, steps=steps)
    found = reflect(plan, 1, new_quotes=0, retried=False, dry_steps=1, evidence=["Ponds cool."])
    assert found.query == "random start cool ponds"


def test_where_nothing_was_found_on_what_was_asked_nothing_besides_is_looked_for():
    found = reflect(
        a_plan(True, False, False), 0, new_quotes=0, retried=True, dry_steps=1, evidence=[]
    )
    assert found.decision is Reflection.COMPLETE
    asked = reflect(
        a_plan(True, True, False), 0, new_quotes=0, retried=True, dry_steps=1, evidence=[]
    )
    assert asked.decision is Reflection.CONTINUE


def test_two_steps_without_anything_new_end_the_search_but_not_for_what_was_asked():
    facets_left, asked_left = a_plan(True, False, False), a_plan(True, False, True)
    for plan, decision in ((facets_left, "complete"), (asked_left, "continue")):
        found = reflect(plan, 1, new_quotes=0, retried=True, dry_steps=2, evidence=["Ponds cool."])
        assert found.decision.value == decision


def test_the_last_step_completes_the_plan():
    found = reflect(a_plan(True), 0, new_quotes=5, retried=False, dry_steps=0, evidence=["x"])
    assert found.decision is Reflection.COMPLETE


def test_other_words_are_those_that_most_quotations_have():
    quotes = ["Ponds cool by evaporation.", "Evaporation cools towns.", "Wind matters."]
    query = expanded_query("How do ponds cool?", quotes)
    assert query is not None
    assert query.split()[:2] == ["ponds", "cool"]
    assert "evaporation" in query
    assert expanded_query("How do ponds cool?", ["ponds cool"]) is None
