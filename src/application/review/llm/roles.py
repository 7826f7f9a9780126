"""Planner, writer and checker of a review by a language model."""

from citeloom.application.ports.models import LanguageModel
from citeloom.application.review.checkpoint import AnswerCache
from citeloom.application.review.llm.cached_model import CachedLanguageModel
from citeloom.application.review.llm.checker import ModelStatementChecker
from citeloom.application.review.llm.planner import ModelPlanner
from citeloom.application.review.llm.writer import ModelWriter
from citeloom.application.review.roles import ReviewResources, ReviewRoles


def model_roles(
    resources: ReviewResources, model: LanguageModel, quoting: ReviewRoles, wishes: str | None
) -> ReviewRoles:
    """The roles with ``model``. ``quoting`` are those without a model: they stand in for it,
    and check quotations. ``wishes`` are the user's instructions to the model."""
    checker = ModelStatementChecker(resources.judge, resources.closeness, quoting.checker)
    answer_cache = AnswerCache()
    cached_model = CachedLanguageModel(model, answer_cache)
    return ReviewRoles(
        ModelPlanner(model, quoting.planner, wishes),
        ModelWriter(cached_model, checker=checker, otherwise=quoting.writer, wishes=wishes),
        checker,
        answer_cache,
    )
