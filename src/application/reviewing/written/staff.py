"""Who works on a review that a language model writes."""

from citeloom.application.ports.language_model import LanguageModel
from citeloom.application.reviewing.memory import Memory
from citeloom.application.reviewing.parts import Desk, Staff
from citeloom.application.reviewing.written.checker import WrittenChecker
from citeloom.application.reviewing.written.planner import ModelPlanner
from citeloom.application.reviewing.written.remembering import RememberingModel
from citeloom.application.reviewing.written.writer import ModelWriter


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
