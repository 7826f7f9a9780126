"""Chats of a user: list, open, rename, delete, restore; their messages."""

from collections.abc import Callable
from contextlib import suppress
from uuid import UUID

from citeloom.application.ports.research import ChatRecord, ResearchRecord
from citeloom.application.ports.system import Clock
from citeloom.domain.errors import StorageFailed
from citeloom.domain.research.chats import ChatNotFound, no_chat, no_message
from citeloom.domain.research.session import (
    LOCAL_USER,
    RECOVERABLE,
    Chat,
    ChatEntry,
    Message,
)


class Chats:
    """Chats of one user. Lists remove for good what was deleted longer than RECOVERABLE ago."""

    def __init__(
        self,
        chats: ChatRecord,
        sessions: ResearchRecord,
        clock: Clock,
        new_id: Callable[[], UUID],
        user_id: str = LOCAL_USER,
    ) -> None:
        self._chats = chats
        self._sessions = sessions
        self._clock = clock
        self._new_id = new_id
        self._user = user_id

    def list(self, *, deleted: bool = False) -> tuple[Chat, ...]:
        """The last changed first."""
        with suppress(StorageFailed):  # a read-only workspace
            self._sessions.purge(self._clock.now() - RECOVERABLE)
        return self._chats.chats(self._user, deleted=deleted)

    def open(self, title: str | None = None) -> Chat:
        now = self._clock.now()
        chat = Chat(
            id=self._new_id(), user_id=self._user, title=title, created_at=now, updated_at=now
        )
        self._chats.open(chat)
        return self._chats.chat(chat.id)

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
        return self._chats.rename(id, title, self._clock.now())

    def entries(self, id: UUID) -> tuple[ChatEntry, ...]:
        """The messages of a chat in order. Raises ChatNotFound."""
        self.show(id)
        return self._chats.entries(id)

    def message(self, id: UUID) -> Message:
        """Raises MessageNotFound."""
        message = self._chats.message(id)
        if self._own(message.chat_id).is_deleted:
            raise no_message(id)
        return message

    def delete(self, id: UUID) -> None:
        """Hide a chat and its sessions. Raises ChatNotFound, and SessionBusy while one runs."""
        self._own(id)
        self._chats.delete(id, self._clock.now())

    def restore(self, id: UUID) -> Chat:
        """Raises ChatNotFound, also if it was removed for good."""
        self._own(id)
        self._chats.restore(id)
        return self._chats.chat(id)

    def _own(self, id: UUID) -> Chat:
        chat = self._chats.chat(id)
        if chat.user_id != self._user:
            raise no_chat(id)
        return chat
