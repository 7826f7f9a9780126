"""Request and result of a review."""

from typing import Any
from uuid import UUID

from pydantic import Field, field_validator

from citeloom.application.review.roles import EXTRACTIVE
from citeloom.domain.projects.project_id import ProjectId
from citeloom.domain.research.session import (
    LOCAL_USER,
    Citation,
    Claim,
    Depth,
    SessionStatus,
    Source,
    SourceSpan,
    VerificationSummary,
)
from citeloom.domain.review.report.model import Plan
from citeloom.domain.search.filters import Filter
from citeloom.domain.value import Value

#: Longer questions are texts.
MOST_CHARACTERS = 4000


class ReviewRequest(Value):
    """A question to a project. ``depth`` None is the user's preference, else medium. ``chat``
    is the id, or a unique prefix, of a chat to continue. ``writer`` is ``extractive`` or
    ``model``. ``style`` is that of the bibliography."""

    project_id: ProjectId
    question: str = Field(max_length=MOST_CHARACTERS)
    depth: Depth | None = None
    filter: Filter = Filter()
    chat: str | None = None
    user_id: str = LOCAL_USER
    writer: str = EXTRACTIVE
    style: str | None = None

    @field_validator("question")
    @classmethod
    def _asks(cls, text: str) -> str:
        question = " ".join(text.split())
        if not any(char.isalnum() for char in question):
            raise ValueError("it is empty; ask for something")
        return question


class ReviewResult(Value):
    """An ended review. ``report`` is None if it was cancelled; positions of ``claims`` are
    character offsets in it. ``warnings`` are those of all stages."""

    session_id: UUID
    chat_id: UUID
    message_id: UUID
    project: str
    question: str
    status: SessionStatus
    research_depth: Depth
    writer: str
    plan: Plan | None = None
    report: str | None = None
    sources: tuple[Source, ...] = ()
    spans: tuple[SourceSpan, ...] = ()
    claims: tuple[Claim, ...] = ()
    citations: tuple[Citation, ...] = ()
    verification_summary: VerificationSummary | None = None
    warnings: tuple[str, ...] = ()


class SessionSettings(Value):
    """Settings of a session besides its question, stored with it for a resumption."""

    filter: Filter = Filter()
    writer: str = EXTRACTIVE
    style: str | None = None

    def as_dict(self) -> dict[str, Any]:
        return self.model_dump(mode="json")
