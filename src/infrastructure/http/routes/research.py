"""Chats, their messages and feedback on these; research sessions, whichever interface they were
started over; preferences of the user."""

from collections.abc import AsyncIterable
from enum import StrEnum
from functools import partial
from typing import Annotated, Final
from uuid import UUID

from fastapi import APIRouter, Depends, Query, Request, Response
from fastapi.sse import EventSourceResponse, ServerSentEvent

from citeloom.application.ports.research import ReviewFormat, SessionFilter
from citeloom.domain.errors import InvalidRequest
from citeloom.domain.projects.project import ProjectId
from citeloom.domain.research.comparison import Comparison
from citeloom.domain.research.events import not_found
from citeloom.domain.research.session import MessageRole, ResearchSession, SessionStatus
from citeloom.infrastructure.http.access import Access, Verbs
from citeloom.infrastructure.http.lists import Paged
from citeloom.infrastructure.http.problems import file_of, files
from citeloom.infrastructure.http.reports import page_link, review_file
from citeloom.infrastructure.http.research import (
    ChatBody,
    ChatPage,
    ChatResponse,
    ExchangeResponse,
    FeedbackBody,
    FeedbackResponse,
    FollowedSession,
    MessageBody,
    MessagePage,
    MessageResponse,
    PreferencesBody,
    PreferencesResponse,
    RecordedResponse,
    ResearchSessionPage,
    ResearchSessionResponse,
    answered,
    following,
    resumed,
)

from .citations import STYLE

chats_router = APIRouter(tags=["chats"])

Deleted = Annotated[bool, Query(description="List the deleted ones that can be restored.")]


@chats_router.get("/chats")
async def list_chats(verbs: Verbs, paging: Paged, deleted: Deleted = False) -> ChatPage:
    """Chats, the last changed first."""
    chats = verbs.application.research.chats
    listed = await verbs.run("list chats", lambda: chats.list(deleted=deleted))
    shown, rest = paging.of(listed, lambda one: str(one.id), f"chats {deleted}")
    return ChatPage(chats=[ChatResponse.of(one) for one in shown], **rest)


@chats_router.post("/chats", status_code=201)
async def open_chat(verbs: Verbs, body: ChatBody) -> ChatResponse:
    """A new chat."""
    chats = verbs.application.research.chats
    return ChatResponse.of(await verbs.run("open chat", lambda: chats.open(body.title)))


@chats_router.get("/chats/{chat_id}")
async def show_chat(verbs: Verbs, chat_id: UUID) -> ChatResponse:
    """One chat."""
    chats = verbs.application.research.chats
    return ChatResponse.of(await verbs.run("show chat", lambda: chats.show(chat_id)))


@chats_router.patch("/chats/{chat_id}")
async def rename_chat(verbs: Verbs, chat_id: UUID, body: ChatBody) -> ChatResponse:
    """Another title."""
    chats = verbs.application.research.chats
    renamed = await verbs.run("rename chat", lambda: chats.rename(chat_id, body.title))
    return ChatResponse.of(renamed)


@chats_router.delete("/chats/{chat_id}", status_code=204)
async def delete_chat(verbs: Verbs, chat_id: UUID) -> Response:
    """Hide a chat and its reviews; for 30 days they can be restored."""
    chats = verbs.application.research.chats
    await verbs.run("delete chat", lambda: chats.delete(chat_id))
    return Response(status_code=204)


@chats_router.post("/chats/{chat_id}/restore")
async def restore_chat(verbs: Verbs, chat_id: UUID) -> ChatResponse:
    """Bring a deleted chat back, with the reviews that were deleted with it."""
    chats = verbs.application.research.chats
    return ChatResponse.of(await verbs.run("restore chat", lambda: chats.restore(chat_id)))


@chats_router.get("/chats/{chat_id}/messages")
async def list_messages(verbs: Verbs, chat_id: UUID, paging: Paged) -> MessagePage:
    """The messages of a chat, in order."""
    chats = verbs.application.research.chats
    entries = await verbs.run("list messages", lambda: chats.entries(chat_id))
    shown, rest = paging.of(entries, lambda one: str(one.message.id), f"messages {chat_id}")
    return MessagePage(messages=[MessageResponse.of_entry(one) for one in shown], **rest)


@chats_router.post(
    "/chats/{chat_id}/messages",
    status_code=201,
    responses={202: {"model": ExchangeResponse, "description": "A review has started."}},
)
async def ask_in_chat(
    verbs: Verbs, chat_id: UUID, body: MessageBody, response: Response
) -> ExchangeResponse:
    """Ask: in mode simple the answer quotes passages, with citations; in mode deep_research a
    review begins, whose report will be the answer (202)."""
    exchange = await verbs.run("ask", lambda: answered(verbs, chat_id, body))
    if exchange.research_session is not None:
        response.status_code = 202
        response.headers["Location"] = f"/api/v1/research-sessions/{exchange.research_session.id}"
    return exchange


@chats_router.post("/messages/{message_id}/feedback", status_code=201)
async def give_feedback(verbs: Verbs, message_id: UUID, body: FeedbackBody) -> FeedbackResponse:
    """What you think of an answer."""
    research = verbs.application.research

    def rate() -> FeedbackResponse:
        if research.chats.message(message_id).role is not MessageRole.AGENT:
            raise InvalidRequest(
                f"{message_id}: is a question; rate its answer", parameter="message_id"
            )
        rated = research.users.rate_message(message_id, body.rating, body.feedback_text)
        return FeedbackResponse.of(rated)

    return await verbs.run("feedback", rate)


preferences_router = APIRouter(tags=["preferences"])


@preferences_router.get("/preferences")
async def show_preferences(verbs: Verbs) -> PreferencesResponse:
    """What holds for questions and reviews that say nothing else."""
    users = verbs.application.research.users
    found = await verbs.run("show preferences", users.preferences)
    return PreferencesResponse.of(found) if found else PreferencesResponse()


@preferences_router.put("/preferences")
async def replace_preferences(verbs: Verbs, body: PreferencesBody) -> PreferencesResponse:
    """Replace all of them."""
    users = verbs.application.research.users

    def replace() -> PreferencesResponse:
        replaced = users.replace(
            body.system_instructions, body.default_query_mode, body.default_research_depth
        )
        return PreferencesResponse.of(replaced)

    return await verbs.run("replace preferences", replace)


sessions_router = APIRouter(tags=["research sessions"])
# More than anybody has.
_ALL = 1_000_000


class SessionExportFormat(StrEnum):
    """markdown, html, docx: the report. csv: its claims with their evidence. prisma: the record of
    the searches after PRISMA. json: all of it."""

    MARKDOWN = "markdown"
    HTML = "html"
    DOCX = "docx"
    CSV = "csv"
    PRISMA = "prisma"
    JSON = "json"


_MARKDOWN: Final = "text/markdown; charset=utf-8"
_FILES: Final = {
    SessionExportFormat.MARKDOWN: (_MARKDOWN, "review.md"),
    SessionExportFormat.HTML: ("text/html; charset=utf-8", "review.html"),
    SessionExportFormat.DOCX: (
        "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
        "review.docx",
    ),
    SessionExportFormat.CSV: ("text/csv; charset=utf-8", "evidence.csv"),
    SessionExportFormat.PRISMA: (_MARKDOWN, "searches.md"),
    SessionExportFormat.JSON: ("application/json", "review.json"),
}
Style = Annotated[
    str | None,
    Query(
        pattern=STYLE,
        description="Citation style of the report; without one Markdown has citation keys.",
    ),
]


@sessions_router.get("/research-sessions")
async def list_research_sessions(
    verbs: Verbs,
    paging: Paged,
    project: Annotated[str | None, Query(max_length=300)] = None,
    status: SessionStatus | None = None,
    deleted: Deleted = False,
) -> ResearchSessionPage:
    """Reviews, the latest first."""
    wanted = SessionFilter(
        project_id=None if project is None else ProjectId.parse(project).value,
        statuses=() if status is None else (status,),
        deleted=deleted,
        limit=_ALL,
    )
    sessions = verbs.application.research.sessions
    listed = await verbs.run("list research sessions", lambda: sessions.list(wanted))
    about = f"research sessions {project} {status} {deleted}"
    shown, rest = paging.of(listed, lambda one: str(one.id), about)
    return ResearchSessionPage(
        research_sessions=[ResearchSessionResponse.of(one) for one in shown], **rest
    )


@sessions_router.get("/research-sessions/{session_id}")
async def show_research_session(verbs: Verbs, session_id: UUID) -> RecordedResponse:
    """A review with its report, sources, evidence spans, claims and citations."""

    def show() -> RecordedResponse:
        found = verbs.application.research.sessions.show(str(session_id))
        if found.session.is_deleted:
            raise not_found(session_id)
        return RecordedResponse.of_record(found)

    return await verbs.run("show research session", show)


@sessions_router.get("/research-sessions/{session_id}/events", response_class=EventSourceResponse)
async def follow_research_session(
    followed: Annotated[FollowedSession, Depends(following)],
) -> AsyncIterable[ServerSentEvent]:
    """Server-sent events of a review, numbered from 1 as in the record, then `completed`, `failed`
    or `cancelled`. Send `Last-Event-ID` to continue."""
    async for event in followed.events():
        yield event


@sessions_router.get(
    "/research-sessions/{session_id}/export",
    response_class=Response,
    responses=files(kind.partition(";")[0] for kind, _ in _FILES.values()),
)
async def export_research_session(
    request: Request,
    verbs: Verbs,
    session_id: UUID,
    format: SessionExportFormat = SessionExportFormat.MARKDOWN,
    style: Style = None,
) -> Response:
    """A review that has ended, as a file."""
    server = str(request.base_url)
    work = partial(_file, verbs, session_id, format, style, server)
    return file_of(await verbs.run("export review", work), *_FILES[format])


@sessions_router.get("/research-sessions/{session_id}/comparison")
async def compare_research_sessions(
    verbs: Verbs, session_id: UUID, other: Annotated[UUID, Query(description="Another review.")]
) -> Comparison:
    """Sources, evidence and claims of both, of one alone (`only_a`) and of the other alone."""
    compare = verbs.application.research.compare
    return await verbs.run("compare reviews", lambda: compare(session_id, other))


@sessions_router.post("/research-sessions/{session_id}/cancel", status_code=202)
async def cancel_research_session(verbs: Verbs, session_id: UUID) -> ResearchSessionResponse:
    """Ask a review that runs to stop; its events say when it has."""
    cancelled = await verbs.run("cancel review", lambda: _cancelled(verbs, session_id))
    return ResearchSessionResponse.of(cancelled)


@sessions_router.post("/research-sessions/{session_id}/resume", status_code=202)
async def resume_research_session(verbs: Verbs, session_id: UUID) -> ResearchSessionResponse:
    """Go on with a review that was cancelled, failed, or whose process died."""
    taken = await verbs.run("resume review", lambda: resumed(verbs, session_id))
    return ResearchSessionResponse.of(taken)


@sessions_router.delete("/research-sessions/{session_id}", status_code=204)
async def delete_research_session(verbs: Verbs, session_id: UUID) -> Response:
    """Hide a review that does not run; for 30 days it can be restored."""
    sessions = verbs.application.research.sessions
    await verbs.run("delete review", lambda: sessions.delete(str(session_id)))
    return Response(status_code=204)


@sessions_router.post("/research-sessions/{session_id}/restore")
async def restore_research_session(verbs: Verbs, session_id: UUID) -> ResearchSessionResponse:
    """Bring a deleted review back."""
    sessions = verbs.application.research.sessions
    restored = await verbs.run("restore review", lambda: sessions.restore(str(session_id)))
    return ResearchSessionResponse.of(restored)


def _file(
    verbs: Access, id: UUID, format: SessionExportFormat, style: str | None, server: str
) -> bytes:
    """Raises SessionNotFound, SessionBusy while it runs, and SessionEnded without a report."""
    research = verbs.application.research
    session, _ = research.sessions.follow(id, 0)
    if format is SessionExportFormat.HTML:
        link = page_link(server, session.project_id)
        return review_file(verbs.application, session, style, link).content
    if format is SessionExportFormat.JSON:
        return research.export.document(id).model_dump_json(indent=2).encode() + b"\n"
    return research.export.file(id, ReviewFormat(format.value), style).content


def _cancelled(verbs: Access, id: UUID) -> ResearchSession:
    """Raises SessionNotFound, and SessionEnded if it does not run."""
    sessions = verbs.application.research.sessions
    job = verbs.jobs.reviews.latest(lambda one: one.session == str(id) and not one.has_ended)
    if job is None:
        return sessions.cancel(str(id))
    sessions.follow(id, 0)
    verbs.jobs.cancel(job)
    return sessions.follow(id, 0)[0]
