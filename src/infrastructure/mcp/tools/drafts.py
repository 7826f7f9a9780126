"""Tools that check and write drafts."""

from typing import Final

from citeloom.infrastructure.mcp.answers.review import ReviewReply
from citeloom.infrastructure.mcp.answers.verification import VerifyReply
from citeloom.infrastructure.mcp.contract.parameters.drafts import VerifyParameters
from citeloom.infrastructure.mcp.contract.parameters.reviews import ReviewParameters
from citeloom.infrastructure.mcp.handlers import drafts, reviews
from citeloom.infrastructure.mcp.tools.tool import Tool
from citeloom.infrastructure.serving.served import JOB_SECONDS

DRAFT_TOOLS: Final = (
    Tool(
        name="verify",
        title="Check citations of a draft",
        description="Checks whether a draft (pandoc, LaTeX, author-year, numbered) cites and "
        "quotes correctly: claims, quotations, pages, keys.",
        parameters=VerifyParameters,
        answer=VerifyReply,
        handler=drafts.verify,
        seconds=JOB_SECONDS,
    ),
    Tool(
        name="review",
        title="Write a literature review",
        description="A cited report of what the papers say to a question; each claim checked.",
        parameters=ReviewParameters,
        answer=ReviewReply,
        handler=reviews.review,
        seconds=JOB_SECONDS,
        read_only=False,
        idempotent=False,
    ),
)
