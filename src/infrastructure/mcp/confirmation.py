"""Removals confirmed by the user, where the client can ask her (elicitation)."""

from collections.abc import Mapping
from typing import Any, Final

from mcp.server.context import ServerRequestContext
from mcp.shared.exceptions import NoBackChannelError
from mcp.types import (
    CallToolRequestParams,
    ElicitRequest,
    ElicitRequestFormParams,
    ElicitResult,
    InputRequiredResult,
)

from citeloom.domain.errors import Refused
from citeloom.infrastructure.mcp.answers.refusal import refused
from citeloom.infrastructure.mcp.calls import Answer, Calls
from citeloom.infrastructure.mcp.visible import visible
from citeloom.infrastructure.serving.lanes import Report

# From here on what a client is asked is the result of its call, which it repeats with the answer.
_ASKED_IN_RESULT: Final = "2026-07-28"
_QUESTION: Final = "removal"
_AGREES: Final = "agree"
_SHOWN: Final = 10
_SCHEMA: Final[dict[str, Any]] = {
    "type": "object",
    "properties": {_AGREES: {"type": "boolean", "title": "Remove them"}},
    "required": [_AGREES],
}


class NotConfirmed(Refused):
    """The user was asked and did not agree."""

    code = "NOT_CONFIRMED"

    def __init__(self) -> None:
        super().__init__("the user did not agree; nothing was removed")


async def call_confirmed(
    calls: Calls, context: ServerRequestContext[Any], params: CallToolRequestParams, report: Report
) -> Answer | InputRequiredResult:
    """The call of a destructive tool. A client that can ask its user does: what a model says in
    ``confirm`` does not count there."""
    arguments = dict(params.arguments or {})
    if not _can_ask(context):
        return await calls(params.name, arguments, report)
    arguments.pop("confirm", None)
    answer = await calls(params.name, arguments, report)
    name = answer.content.get("confirm")
    if answer.is_error or name is None:
        return answer
    question = ElicitRequestFormParams(message=_question(answer.content), requested_schema=_SCHEMA)
    response: Any
    if context.protocol_version >= _ASKED_IN_RESULT:
        response = (params.input_responses or {}).get(_QUESTION)
        if response is None or params.request_state != name:
            asked = ElicitRequest(params=question)
            return InputRequiredResult(input_requests={_QUESTION: asked}, request_state=name)
    else:
        try:
            response = await context.session.elicit_form(
                question.message, _SCHEMA, related_request_id=context.request_id
            )
        except NoBackChannelError:  # it could show a form, but cannot be sent one here
            return await calls(params.name, params.arguments or {}, report)
    if _agrees(response):
        return await calls(params.name, {**arguments, "confirm": name}, report)
    declined = {**refused(NotConfirmed()), "correlation_id": answer.content["correlation_id"]}
    return Answer(declined, is_error=True)


def _can_ask(context: ServerRequestContext[Any]) -> bool:
    """Whether the client shows forms; one that names no kind of elicitation does."""
    capabilities = context.session.client_capabilities
    wanted = capabilities.elicitation if capabilities else None
    return wanted is not None and (wanted.form is not None or wanted.url is None)


def _agrees(response: Any) -> bool:
    return (
        isinstance(response, ElicitResult)
        and response.action == "accept"
        and (response.content or {}).get(_AGREES) is True
    )


def _question(content: Mapping[str, Any]) -> str:
    documents = list(content["documents"])
    more = len(documents) - _SHOWN
    lines = [f"- {line}" for line in documents[:_SHOWN]]
    if more > 0:
        lines.append(f"and {more} more")
    lines.append("Their passages are deleted; your own files stay.")
    head = f"Remove from the library: {content['confirm']}, {content['passages']} passages?"
    return str(visible("\n".join([head, *lines])))
