"""Follow-up steps after each step of a plan."""

from citeloom.domain.research.events import Reflection
from citeloom.domain.research.session import Depth
from citeloom.domain.review.planning.plan import reflect
from citeloom.domain.review.report.report import Plan, SubQuestion


def a_plan(*asked: bool) -> Plan:
    steps = [
        SubQuestion(title=f"Question {n}?", queries=(f"Question {n}?",), asked=one)
        for n, one in enumerate(asked)
    ]
    return Plan(question="Question?", depth=Depth.EXTENDED, steps=tuple(steps))


def test_where_nothing_was_found_on_what_was_asked_nothing_besides_is_looked_for():
    found = reflect(a_plan(True, False, False), 0, new_quotes=0, dry_steps=1, found=False)
    assert found.decision is Reflection.COMPLETE
    asked = reflect(a_plan(True, True, False), 0, new_quotes=0, dry_steps=1, found=False)
    assert asked.decision is Reflection.CONTINUE


def test_two_steps_without_anything_new_end_the_search_but_not_for_what_was_asked():
    facets_left, asked_left = a_plan(True, False, False), a_plan(True, False, True)
    for plan, decision in ((facets_left, "complete"), (asked_left, "continue")):
        found = reflect(plan, 1, new_quotes=0, dry_steps=2, found=True)
        assert found.decision.value == decision


def test_the_last_step_completes_the_plan():
    found = reflect(a_plan(True), 0, new_quotes=5, dry_steps=0, found=True)
    assert found.decision is Reflection.COMPLETE
