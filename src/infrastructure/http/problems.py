"""Errors as problem details (RFC 9457)."""

import logging
import re
from collections.abc import Iterable, Mapping
from typing import Any, Final, cast

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from pydantic import BaseModel, ConfigDict, Field
from starlette.exceptions import HTTPException

from citeloom.domain import messages
from citeloom.domain.documents.readable_folders import OutsideFolders
from citeloom.domain.errors import (
    CiteLoomError,
    DocumentFailed,
    DocumentNotFound,
    InvalidRequest,
    InvalidSource,
    NodeNotFound,
    NothingThere,
    NotPermitted,
    OperationTimeout,
    ProjectNotFound,
    Refused,
    SessionNotFound,
    StorageFailed,
    Unavailable,
    UsageError,
)
from citeloom.domain.jobs import plain
from citeloom.domain.messages import Action, NextStep
from citeloom.infrastructure.serving.next_steps import JobNotFound, TooManyJobs, without_tools

_REQUESTS: Final[Mapping[Action, str]] = {
    Action.CHOOSE_PROJECT: "name one as `project`",
    Action.LIST_MAPS: "GET /api/v1/projects names the projects and their documents",
    Action.LIST_MODELS: "GET /api/v1/projects names the models in use",
    Action.SEARCH_BY_MEANING: "ask with `mode` dense",
    Action.SET_JUDGE: "a model of your own could decide more: set verify.judge, as described in "
    "docs/language-models.md",
    Action.SET_LANGUAGE_MODEL: "set llm.url and llm.model for an answer in sentences, as described "
    "in docs/language-models.md",
}


def in_words(sentence: str) -> str:
    """A sentence and its next step, if any."""
    return messages.in_words(sentence, _next)


def _next(step: NextStep) -> str:
    words = _REQUESTS.get(step.action) or without_tools(step)
    return words.replace("the user can", "you can")


def worded(answer: BaseModel) -> JSONResponse:
    """An answer with the next steps of its messages in words. (What FastAPI makes of a model by
    itself has the sentences alone.)"""
    return JSONResponse(answer.model_dump(mode="json", context=in_words))


def files(media: Iterable[str], description: str = "The file.") -> dict[int | str, dict[str, Any]]:
    """What the description of a route says of an answer in one of these media types."""
    return {200: {"content": {kind: {} for kind in media}, "description": description}}


def file_of(content: bytes | str, media_type: str, name: str) -> Response:
    """An answer that browsers keep as a file of this name."""
    told = {"Content-Disposition": f'attachment; filename="{name}"'}
    return Response(content, media_type=media_type, headers=told)


MEDIA_TYPE: Final = "application/problem+json"
_ABSENT: Final = (
    ProjectNotFound, DocumentNotFound, NodeNotFound, NothingThere, SessionNotFound, JobNotFound,
)  # fmt: skip
# The first class that an error is an instance of.
_STATUSES: Final[tuple[tuple[tuple[type[CiteLoomError], ...], int], ...]] = (
    (_ABSENT, 404),
    ((InvalidSource,), 400),
    ((OutsideFolders, NotPermitted), 403),
    ((TooManyJobs,), 429),
    ((Refused,), 409),
    ((UsageError,), 400),
    ((OperationTimeout,), 504),
    ((DocumentFailed,), 422),
    ((Unavailable,), 503),
)
_TITLES: Final = {
    400: "The request is not valid",
    401: "Login required",
    403: "Forbidden",
    404: "Not found",
    405: "Method not allowed",
    409: "Conflict with the current state",
    413: "The request is too large",
    422: "Cannot be processed",
    429: "Too many requests",
    500: "Server error",
    503: "Not available now",
    504: "Timeout",
}
#: Name of the code of a problem in the state of its request.
PROBLEM: Final = "problem"
_WORDS: Final = re.compile(r"[A-Z][a-z]+")

_log: Final = logging.getLogger(__name__)


class Problem(BaseModel):
    """What went wrong. ``code`` is stable, for programs; ``detail`` names the thing, the reason and
    the next step. Further members are the details of the code."""

    model_config = ConfigDict(extra="allow")

    type: str = Field(examples=["urn:citeloom:error:INVALID_PROJECT"])
    title: str
    status: int = Field(ge=400, le=599)
    detail: str
    code: str = Field(examples=["INVALID_PROJECT"])
    instance: str | None = None


def answer_problems(app: FastAPI) -> None:
    """Let ``app`` answer every error as a problem."""

    @app.exception_handler(CiteLoomError)
    async def known(request: Request, error: CiteLoomError) -> Response:
        return problem_of(request, error)

    @app.exception_handler(RequestValidationError)
    async def invalid(request: Request, error: RequestValidationError) -> Response:
        first = error.errors()[0]
        unread = first["type"] == "json_invalid"
        where = "body" if unread else ".".join(str(part) for part in first["loc"][1:]) or "body"
        reason = "not JSON" if unread else str(first["msg"])
        message = f"{where}: {reason[:1].lower()}{reason[1:]}"
        return problem_of(request, InvalidRequest(message, parameter=where))

    @app.exception_handler(HTTPException)
    async def refused(request: Request, error: HTTPException) -> Response:
        if error.status_code == 404:
            detail = f"{request.url.path}: not found; /api/v1/openapi.json lists all paths"
        else:
            detail = f"{request.method} {request.url.path}: {error.detail}"
        code = "_".join(_WORDS.findall(error.detail.title())).upper() or "HTTP_ERROR"
        return problem_response(request, error.status_code, code, detail, headers=error.headers)

    @app.exception_handler(OSError)
    async def disk(request: Request, error: OSError) -> Response:
        where = f"{error.filename}: " if error.filename else ""
        message = f"{where}{error.strerror or error}; free space or check permissions"
        return problem_of(request, StorageFailed(message))

    @app.exception_handler(Exception)
    async def unexpected(request: Request, error: Exception) -> Response:
        _log.error("%s %s", request.method, request.url.path, exc_info=error)
        detail = f"unexpected {type(error).__name__}; the server's log has the details"
        return problem_response(request, 500, "INTERNAL_ERROR", detail)


def status_of(error: CiteLoomError) -> int:
    return next((status for kinds, status in _STATUSES if isinstance(error, kinds)), 500)


def problem_of(request: Request, error: CiteLoomError) -> Response:
    """The error as a problem, with the status of its kind."""
    retry = error.details.get("retry_after")
    headers = {"Retry-After": str(retry)} if retry is not None else None
    return problem_response(
        request,
        status_of(error),
        error.code,
        in_words(error.message),
        details=error.details,
        headers=headers,
    )


def problem_response(
    request: Request,
    status: int,
    code: str,
    detail: str,
    *,
    details: Mapping[str, Any] | None = None,
    headers: Mapping[str, str] | None = None,
) -> Response:
    problem = Problem(
        type=f"urn:citeloom:error:{code}",
        title=_TITLES.get(status, "The request was refused"),
        status=status,
        detail=detail,
        code=code,
        instance=request.url.path,
    )
    request.scope.setdefault("state", {})[PROBLEM] = code
    if _is_for_reading(request):
        return cast("Response", request.app.state.problem_page(problem, headers))
    own = problem.model_dump(exclude_none=True)
    content = {**{k: plain(v) for k, v in (details or {}).items() if k not in own}, **own}
    return JSONResponse(content, status, dict(headers or {}), MEDIA_TYPE)


def _is_for_reading(request: Request) -> bool:
    """Whether a browser shows the answer as a page."""
    return (
        not request.url.path.startswith("/api/")
        and "text/html" in request.headers.get("accept", "")
        and "app" in request.scope
        and hasattr(request.app.state, "problem_page")
    )
