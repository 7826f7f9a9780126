"""Steps of a plan by depth, without a model."""

from support.cases import each

from citeloom.domain.research.session import Depth
from citeloom.domain.review.planning.plan import EXTENTS, InitialPassage, plan_of
from citeloom.domain.review.report.report import SubQuestion


def test_short_forms_that_the_library_has_are_asked_for():
    seen = [InitialPassage(document_id="a", text="High-performance computing (HPC) needs a queue.")]
    plan = plan_of("Where is high-performance computing taught?", Depth.LIGHT, seen)
    assert plan.steps[0].queries == ("Where is high-performance computing taught? HPC",)
    assert plan.steps[0].scored == ("Where is high-performance computing taught?",)


@each(
    ("depth", "steps"),
    [(Depth.LIGHT, 2), (Depth.MEDIUM, 4), (Depth.EXTENDED, 7), (Depth.AUTO, 7)],
)
def test_the_depth_says_how_many_questions_are_asked(depth: Depth, steps: int):
    assert len(plan_of("How do ponds cool?", depth, []).steps) == 1
    many = "What is a? What is b? What is c? What is d? What is e? What is f? What is g?"
    plan = plan_of(many, depth, [])
    assert len(plan.steps) == steps
    assert len(plan.steps) + len(plan.warnings) == 7


def test_items_of_a_list_are_aspects_of_one_step():
    (step,) = plan_of("How do wind, distance and pond size affect it?", Depth.LIGHT, []).steps
    assert step.title == "How do wind, distance and pond size affect it?"
    assert step.queries == step.aspects
    assert "How do wind affect it?" in step.aspects


def test_a_question_that_points_back_is_an_aspect_of_the_one_before():
    plan = plan_of("How do ponds cool, and why do they?", Depth.MEDIUM, [])
    assert plan == plan_of("How do ponds cool, and why do they?", Depth.MEDIUM, [])
    (step,) = plan.steps
    assert step.title == "How do ponds cool, and why do they?"
    assert step.aspects == ("How do ponds cool?", "Why do ponds cool?")


def test_sides_of_a_comparison_are_named():
    (step,) = plan_of("Is Python better than R for teaching?", Depth.MEDIUM, []).steps
    assert step.compared == ("Python", "R")


def test_plans_of_earlier_versions_can_be_read():
    old = {"title": "Why do they?", "queries": ["ponds: Why do they?"], "subject": "ponds"}
    assert SubQuestion.model_validate(old).scored == ("ponds: Why do they?",)


def test_every_depth_has_an_extent_with_room():
    for extent in EXTENTS.values():
        assert extent.steps >= 1
        assert extent.quotes <= 10
