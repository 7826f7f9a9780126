"""Who works on a review that a language model writes."""

from citeloom.application.ports.models import LanguageModel
from citeloom.application.review.answer_cache import Memory
from citeloom.application.review.llm.cached_model import RememberingModel
from citeloom.application.review.llm.checker import WrittenChecker
from citeloom.application.review.llm.planner import ModelPlanner
from citeloom.application.review.llm.writer import ModelWriter
from citeloom.application.review.roles import Desk, Staff


def written(desk: Desk, model: LanguageModel, quoting: Staff, wishes: str | None) -> Staff:
    """``quoting`` needs no model: it does what the model fails to do, and checks quotations.
    ``wishes`` are a user's own instructions to the model."""
    checker = WrittenChecker(desk.judge, desk.closeness, quoting.checker)
    memory = Memory()
    asked = RememberingModel(model, memory)
    return Staff(
        ModelPlanner(model, quoting.planner, wishes),
        ModelWriter(asked, checker=checker, otherwise=quoting.writer, wishes=wishes),
        checker,
        memory,
    )
