"""Planner, writer and checker of a review by a language model."""

from citeloom.application.ports.models import LanguageModel
from citeloom.application.review.answer_cache import Memory
from citeloom.application.review.llm.cached_model import RememberingModel
from citeloom.application.review.llm.checker import WrittenChecker
from citeloom.application.review.llm.planner import ModelPlanner
from citeloom.application.review.llm.writer import ModelWriter
from citeloom.application.review.roles import Desk, Staff


def written(desk: Desk, model: LanguageModel, quoting: Staff, wishes: str | None) -> Staff:
    """The roles with ``model``. ``quoting`` are those without a model: they stand in for it,
    and check quotations. ``wishes`` are the user's instructions to the model."""
    checker = WrittenChecker(desk.judge, desk.closeness, quoting.checker)
    memory = Memory()
    cached_model = RememberingModel(model, memory)
    return Staff(
        ModelPlanner(model, quoting.planner, wishes),
        ModelWriter(cached_model, checker=checker, otherwise=quoting.writer, wishes=wishes),
        checker,
        memory,
    )
