"""Errors as answers."""

from citeloom.domain.errors import CiteLoomError
from citeloom.infrastructure.mcp.answers.contents import Content
from citeloom.infrastructure.mcp.contract.next_steps import in_words


def refused(error: CiteLoomError) -> Content:
    """Code, message and details."""
    message = in_words(error.message)
    return {"error": {"code": error.code, "message": message, "details": error.details}}
