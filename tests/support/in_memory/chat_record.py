"""In-memory adapter of port ``ChatRecord``."""

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from support.in_memory.research_record import InMemoryResearchRecord, as_stored

from citeloom.domain.research.session import Chat, ChatEntry, Message, no_chat, no_message


class InMemoryChatRecord:
    """Chats of ``record``."""

    def __init__(self, record: InMemoryResearchRecord) -> None:
        self._record = record

    def chats(self, user_id: str, *, deleted: bool = False) -> tuple[Chat, ...]:
        matching = [
            one
            for one in self._record.chats.values()
            if (one.user_id, one.is_deleted) == (user_id, deleted)
        ]
        by_id = sorted(matching, key=lambda one: str(one.id))
        return tuple(sorted(by_id, key=lambda one: one.updated_at, reverse=True))

    def chat(self, id: UUID) -> Chat:
        if (chat := self._record.chats.get(id)) is None:
            raise no_chat(id)
        return chat

    def open(self, chat: Chat) -> None:
        self._record.chats[chat.id] = as_stored(chat)

    def rename(self, id: UUID, title: str | None, at: datetime) -> Chat:
        with self._record.lock:
            chat = self.chat(id).model_copy(update={"title": title, "updated_at": at})
            self.open(chat)
            return self.chat(id)

    def entries(self, id: UUID) -> tuple[ChatEntry, ...]:
        shown = [
            one
            for one in self._record.messages()
            if one.message.chat_id == id
            and (one.session_id is None or not self._record.session(one.session_id).is_deleted)
        ]
        shown.sort(key=lambda one: str(one.message.id))
        shown.sort(key=lambda one: one.message.role, reverse=True)
        return tuple(sorted(shown, key=lambda one: one.message.created_at))

    def message(self, id: UUID) -> Message:
        for one in self._record.messages():
            if one.message.id == id:
                return one.message
        raise no_message(id)

    def say(self, chat_id: UUID, messages: Sequence[Message], at: datetime) -> None:
        with self._record.lock:
            chat = self.chat(chat_id)
            if chat.is_deleted:
                raise no_chat(chat_id)
            self._record.said.setdefault(chat_id, []).extend(map(as_stored, messages))
            self.open(chat.model_copy(update={"updated_at": at}))

    def delete(self, id: UUID, at: datetime) -> None:
        with self._record.lock:
            if self.chat(id).is_deleted:
                return
            sessions = self._sessions(id)
            kept = dict(self._record.records)
            try:
                for session_id in sessions:
                    self._record.delete(session_id, at)
            except Exception:
                self._record.records.update(kept)
                self._mark(id, None)
                raise
            self._mark(id, at)

    def restore(self, id: UUID) -> None:
        with self._record.lock:
            deleted_at = self.chat(id).deleted_at
            if deleted_at is None:
                return
            for session_id in self._sessions(id):
                if self._record.session(session_id).deleted_at == deleted_at:
                    self._record.restore(session_id)
            self._mark(id, None)

    def close(self) -> None:
        """Nothing is held open."""

    def _sessions(self, chat_id: UUID) -> list[UUID]:
        records = self._record.records.values()
        return [one.session.id for one in records if one.session.chat_id == chat_id]

    def _mark(self, id: UUID, deleted_at: datetime | None) -> None:
        changes = {"is_deleted": deleted_at is not None, "deleted_at": deleted_at}
        self.open(self.chat(id).model_copy(update=changes))
