"""Research sessions: the reviews of this workspace, whichever interface they were begun over."""

from collections.abc import AsyncIterable
from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Depends, Query
from fastapi.sse import EventSourceResponse, ServerSentEvent

from citeloom.application.ports.research import SessionFilter
from citeloom.domain.projects.project_id import ProjectId
from citeloom.domain.research.lifecycle import not_found
from citeloom.domain.research.session import ResearchSession, SessionStatus
from citeloom.infrastructure.http.access import Access, Verbs
from citeloom.infrastructure.http.cursors import Cursor, Limit, page_of
from citeloom.infrastructure.http.research.following import FollowedSession, following
from citeloom.infrastructure.http.research.questions import resumed
from citeloom.infrastructure.http.research.schemas import (
    RecordedResponse,
    ResearchSessionPage,
    ResearchSessionResponse,
    session_page,
)

router = APIRouter(tags=["research sessions"])
# More than anybody has.
_ALL = 1_000_000


@router.get("/research-sessions")
async def list_research_sessions(
    verbs: Verbs,
    project: Annotated[str | None, Query(max_length=300)] = None,
    status: SessionStatus | None = None,
    limit: Limit = 100,
    cursor: Cursor = None,
) -> ResearchSessionPage:
    """Reviews, the latest first."""
    wanted = SessionFilter(
        project_id=None if project is None else ProjectId.parse(project).value,
        statuses=() if status is None else (status,),
        limit=_ALL,
    )
    sessions = verbs.application.research.sessions
    listed = await verbs.run("list research sessions", lambda: sessions.list(wanted))
    about = f"research sessions {project} {status}"
    shown, after = page_of(listed, lambda one: str(one.id), limit, cursor, about)
    return session_page(shown, len(listed), after)


@router.get("/research-sessions/{session_id}")
async def show_research_session(verbs: Verbs, session_id: UUID) -> RecordedResponse:
    """A review with its report, sources, evidence spans, claims and citations."""

    def show() -> RecordedResponse:
        found = verbs.application.research.sessions.show(str(session_id))
        if found.session.is_deleted:
            raise not_found(session_id)
        return RecordedResponse.of_record(found)

    return await verbs.run("show research session", show)


@router.get("/research-sessions/{session_id}/events", response_class=EventSourceResponse)
async def follow_research_session(
    followed: Annotated[FollowedSession, Depends(following)],
) -> AsyncIterable[ServerSentEvent]:
    """What happens, as server-sent events: those of the record, numbered from 1, then
    `completed`, `failed` or `cancelled`. Send `Last-Event-ID` to go on where you were."""
    async for event in followed.events():
        yield event


@router.post("/research-sessions/{session_id}/cancel", status_code=202)
async def cancel_research_session(verbs: Verbs, session_id: UUID) -> ResearchSessionResponse:
    """Ask a review that runs to stop; its events tell when it has."""
    cancelled = await verbs.run("cancel review", lambda: _cancelled(verbs, session_id))
    return ResearchSessionResponse.of(cancelled)


@router.post("/research-sessions/{session_id}/resume", status_code=202)
async def resume_research_session(verbs: Verbs, session_id: UUID) -> ResearchSessionResponse:
    """Go on with a review that was cancelled, failed, or whose process died."""
    taken = await verbs.run("resume review", lambda: resumed(verbs, session_id))
    return ResearchSessionResponse.of(taken)


def _cancelled(verbs: Access, id: UUID) -> ResearchSession:
    """Raises SessionNotFound, and SessionEnded if it does not run."""
    sessions = verbs.application.research.sessions
    job = verbs.jobs.reviews.latest(lambda one: one.session_id == id and not one.has_ended)
    if job is None:
        return sessions.cancel(str(id))
    job.cancel()
    return sessions.follow(id, 0)[0]
