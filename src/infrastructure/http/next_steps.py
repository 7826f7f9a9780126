"""Next steps as requests, and where no request does it, as what the user can do."""

from collections.abc import Mapping
from typing import Final

from fastapi.responses import JSONResponse
from pydantic import BaseModel

from citeloom.domain import messages
from citeloom.domain.messages import Action, NextStep

_REQUESTS: Final[Mapping[Action, str]] = {
    Action.CHOOSE_PROJECT: "name one as `project`",
    Action.LIST_MAPS: "GET /api/v1/projects names the projects and their documents",
    Action.LIST_MODELS: "GET /api/v1/projects names the models in use",
    Action.SEARCH_BY_MEANING: "ask with `mode` dense",
}


def in_words(sentence: str) -> str:
    """A sentence, and what to do next where that is known."""
    return messages.in_words(sentence, _next)


def _next(step: NextStep) -> str:
    if request := _REQUESTS.get(step.action):
        return request
    about = ", ".join(f"{name} {value}" for name, value in step.arguments.items())
    words = step.action.replace("_", " ")
    return f"the user can {words}" + (f" ({about})" if about else "")


def worded(answer: BaseModel) -> JSONResponse:
    """An answer with the next steps of its messages in words. (What FastAPI makes of a model by
    itself has the sentences alone.)"""
    return JSONResponse(answer.model_dump(mode="json", context=in_words))
