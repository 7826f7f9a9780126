"""Chats of a user, their messages, preferences and feedback."""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Final
from uuid import NAMESPACE_URL, UUID, uuid5

from citeloom.application.ports.research import ChatRecord, ResearchRecord, UserRecord
from citeloom.application.ports.system import Clock
from citeloom.application.search.query import Query
from citeloom.domain.errors import InvalidRequest, StorageFailed
from citeloom.domain.messages import MessageText
from citeloom.domain.research.session import (
    LOCAL_USER,
    RECOVERABLE,
    AnswerPassage,
    Chat,
    ChatEntry,
    ChatNotFound,
    Depth,
    Message,
    MessageFeedback,
    MessageRole,
    QueryMode,
    Rating,
    UserPreferences,
    no_chat,
    no_message,
)
from citeloom.domain.search.request import QueryRequest, QueryResult, QueryResultItem
from citeloom.domain.text.phrasing import shortened
from citeloom.domain.value import Value


@dataclass(frozen=True)
class Chats:
    """Chats of one user. Lists remove for good what was deleted longer than RECOVERABLE ago."""

    chats: ChatRecord
    sessions: ResearchRecord
    clock: Clock
    new_id: Callable[[], UUID]
    user_id: str = LOCAL_USER

    def list(self, *, deleted: bool = False) -> tuple[Chat, ...]:
        """The last changed first."""
        with suppress(StorageFailed):  # a read-only workspace
            self.sessions.purge(self.clock.now() - RECOVERABLE)
        return self.chats.chats(self.user_id, deleted=deleted)

    def open(self, title: str | None = None) -> Chat:
        now = self.clock.now()
        chat = Chat(
            id=self.new_id(), user_id=self.user_id, title=title, created_at=now, updated_at=now
        )
        self.chats.open(chat)
        return self.chats.chat(chat.id)

    def show(self, id: UUID) -> Chat:
        """Raises ChatNotFound, also for a deleted one."""
        chat = self._own(id)
        if chat.deleted_at is not None:
            until = chat.deleted_at + RECOVERABLE
            raise ChatNotFound(
                f"{id}: was deleted; it can be restored until {until:%Y-%m-%d}", chat=str(id)
            )
        return chat

    def rename(self, id: UUID, title: str | None) -> Chat:
        """Raises ChatNotFound."""
        self.show(id)
        return self.chats.rename(id, title, self.clock.now())

    def entries(self, id: UUID) -> tuple[ChatEntry, ...]:
        """The messages of a chat in order. Raises ChatNotFound."""
        self.show(id)
        return self.chats.entries(id)

    def message(self, id: UUID) -> Message:
        """Raises MessageNotFound."""
        message = self.chats.message(id)
        if self._own(message.chat_id).is_deleted:
            raise no_message(id)
        return message

    def delete(self, id: UUID) -> None:
        """Hide a chat and its sessions. Raises ChatNotFound, and SessionBusy while one runs."""
        self._own(id)
        self.chats.delete(id, self.clock.now())

    def restore(self, id: UUID) -> Chat:
        """Raises ChatNotFound, also if it was removed for good."""
        self._own(id)
        self.chats.restore(id)
        return self.chats.chat(id)

    def _own(self, id: UUID) -> Chat:
        chat = self.chats.chat(id)
        if chat.user_id != self.user_id:
            raise no_chat(id)
        return chat


_TITLE: Final = 80
_NOTHING: Final = "No passage was found."


class Exchange(Value):
    """A question and its answer; ``warnings`` are those of the search."""

    question: Message
    answer: Message
    warnings: tuple[MessageText, ...] = ()


@dataclass(frozen=True)
class QuotedAnswers:
    """Asks a project in a chat; the answer quotes the passages that were found."""

    chats: Chats
    record: ChatRecord
    query: Query
    clock: Clock
    new_id: Callable[[], UUID]

    def __call__(self, chat_id: UUID, request: QueryRequest) -> Exchange:
        """A chat without a title gets the question as its title. Raises ChatNotFound, and what
        the query raises; nothing is recorded then."""
        chat = self.chats.show(chat_id)
        asked_at = self.clock.now()
        found = self.query(request)
        question = Message(
            id=self.new_id(),
            chat_id=chat_id,
            role=MessageRole.USER,
            content=request.query_text,
            query_mode=QueryMode.SIMPLE,
            created_at=asked_at,
        )
        passages = tuple(_passage(item, found) for item in found.items)
        answered_at = self.clock.now()
        answer = question.model_copy(
            update={
                "id": self.new_id(),
                "role": MessageRole.AGENT,
                "content": _quoted(passages),
                "passages": passages,
                "created_at": answered_at,
            }
        )
        self.record.say(chat_id, (question, answer), answered_at)
        if chat.title is None:
            title = shortened(request.query_text, _TITLE)
            self.record.rename(chat_id, title, answered_at)
        return Exchange(question=question, answer=answer, warnings=found.warnings)


def _passage(item: QueryResultItem, found: QueryResult) -> AnswerPassage:
    return AnswerPassage(
        rank=item.rank,
        text=item.text,
        citation=item.citation,
        citekey=item.citekey,
        title=item.title,
        authors=item.authors,
        year=item.year,
        page=item.page_span[0] if item.page_span else None,
        page_labels=item.page_labels,
        section=item.section,
        address=item.address,
        knowledge_uri=item.knowledge_uri,
        document_id=item.document_id,
        chunk_id=item.chunk_id,
        project=item.project or found.project,
        score=item.score,
    )


def _quoted(passages: tuple[AnswerPassage, ...]) -> str:
    """Markdown: each passage as a block quotation, with its citation."""
    return "\n\n".join(map(_block, passages)) or _NOTHING


def _block(passage: AnswerPassage) -> str:
    source = passage.citation or passage.title or passage.document_id
    lines = [*passage.text.splitlines(), "", source]
    return "\n".join(f"> {line}".rstrip() for line in lines)


_PREFERENCES: Final = uuid5(NAMESPACE_URL, "citeloom:user_preferences")


def no_web_search(parameter: str) -> InvalidRequest:
    return InvalidRequest(
        f"{parameter}: web_search: nothing is asked of the web, answers come from your own papers; "
        "choose simple or deep_research",
        parameter=parameter,
    )


class Users:
    """Preferences and feedback of one user."""

    def __init__(self, users: UserRecord, clock: Clock, user_id: str = LOCAL_USER) -> None:
        self._users = users
        self._clock = clock
        self._user = user_id

    def preferences(self) -> UserPreferences | None:
        return self._users.preferences(self._user)

    def prefer(
        self, instructions: str | None = None, depth: Depth | None = None
    ) -> UserPreferences:
        """Change the given preferences and keep the others; returns all of them."""
        now = self._clock.now()
        current = self.preferences() or UserPreferences(
            id=uuid5(_PREFERENCES, self._user), user_id=self._user, created_at=now, updated_at=now
        )
        given = {"system_instructions": instructions, "default_research_depth": depth}
        changes = {name: value for name, value in given.items() if value is not None}
        changed = current.model_copy(update={**changes, "updated_at": now})
        self._users.prefer(changed)
        return changed

    def replace(
        self, instructions: str | None, query_mode: QueryMode | None, depth: Depth | None
    ) -> UserPreferences:
        """Replace all preferences; None is none. Raises InvalidRequest for an unknown query
        mode."""
        if query_mode is QueryMode.WEB_SEARCH:
            raise no_web_search("default_query_mode")
        now = self._clock.now()
        current = self.preferences()
        replaced = UserPreferences(
            id=uuid5(_PREFERENCES, self._user),
            user_id=self._user,
            system_instructions=instructions,
            default_query_mode=query_mode,
            default_research_depth=depth,
            created_at=current.created_at if current else now,
            updated_at=now,
        )
        self._users.prefer(replaced)
        return replaced

    def clear(self) -> bool:
        """Delete the preferences; returns whether there were any."""
        return self._users.forget(self._user)

    def rate_message(
        self, message_id: UUID, rating: Rating, text: str | None = None
    ) -> MessageFeedback:
        """Rate an agent's message. Raises SessionNotFound if it no longer exists."""
        now = self._clock.now()
        feedback = MessageFeedback(
            id=uuid5(message_id, f"feedback/{self._user}/{now.isoformat()}"),
            message_id=message_id,
            user_id=self._user,
            rating=rating,
            feedback_text=text,
            created_at=now,
        )
        self._users.rate(feedback)
        return feedback

    def feedback(self, message_id: UUID) -> tuple[MessageFeedback, ...]:
        """Feedback on an agent's message, the oldest first."""
        return tuple(self._users.feedback(message_id))
