"""Chats, their messages, and feedback on these."""

from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Query, Response

from citeloom.domain.errors import InvalidRequest
from citeloom.domain.research.session import MessageRole
from citeloom.infrastructure.http.access import Verbs
from citeloom.infrastructure.http.lists import Paged
from citeloom.infrastructure.http.research import (
    ChatBody,
    ChatPage,
    ChatResponse,
    ExchangeResponse,
    FeedbackBody,
    FeedbackResponse,
    MessageBody,
    MessagePage,
    MessageResponse,
    answered,
)

router = APIRouter(tags=["chats"])

Deleted = Annotated[bool, Query(description="List the deleted ones that can be restored.")]


@router.get("/chats")
async def list_chats(verbs: Verbs, paging: Paged, deleted: Deleted = False) -> ChatPage:
    """Chats, the last changed first."""
    chats = verbs.application.research.chats
    listed = await verbs.run("list chats", lambda: chats.list(deleted=deleted))
    shown, rest = paging.of(listed, lambda one: str(one.id), f"chats {deleted}")
    return ChatPage(chats=[ChatResponse.of(one) for one in shown], **rest)


@router.post("/chats", status_code=201)
async def open_chat(verbs: Verbs, body: ChatBody) -> ChatResponse:
    """A new chat."""
    chats = verbs.application.research.chats
    return ChatResponse.of(await verbs.run("open chat", lambda: chats.open(body.title)))


@router.get("/chats/{chat_id}")
async def show_chat(verbs: Verbs, chat_id: UUID) -> ChatResponse:
    """One chat."""
    chats = verbs.application.research.chats
    return ChatResponse.of(await verbs.run("show chat", lambda: chats.show(chat_id)))


@router.patch("/chats/{chat_id}")
async def rename_chat(verbs: Verbs, chat_id: UUID, body: ChatBody) -> ChatResponse:
    """Another title."""
    chats = verbs.application.research.chats
    renamed = await verbs.run("rename chat", lambda: chats.rename(chat_id, body.title))
    return ChatResponse.of(renamed)


@router.delete("/chats/{chat_id}", status_code=204)
async def delete_chat(verbs: Verbs, chat_id: UUID) -> Response:
    """Hide a chat and its reviews; for 30 days they can be restored."""
    chats = verbs.application.research.chats
    await verbs.run("delete chat", lambda: chats.delete(chat_id))
    return Response(status_code=204)


@router.post("/chats/{chat_id}/restore")
async def restore_chat(verbs: Verbs, chat_id: UUID) -> ChatResponse:
    """Bring a deleted chat back, with the reviews that were deleted with it."""
    chats = verbs.application.research.chats
    return ChatResponse.of(await verbs.run("restore chat", lambda: chats.restore(chat_id)))


@router.get("/chats/{chat_id}/messages")
async def list_messages(verbs: Verbs, chat_id: UUID, paging: Paged) -> MessagePage:
    """The messages of a chat, in order."""
    chats = verbs.application.research.chats
    entries = await verbs.run("list messages", lambda: chats.entries(chat_id))
    shown, rest = paging.of(entries, lambda one: str(one.message.id), f"messages {chat_id}")
    return MessagePage(messages=[MessageResponse.of_entry(one) for one in shown], **rest)


@router.post(
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


@router.post("/messages/{message_id}/feedback", status_code=201)
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
