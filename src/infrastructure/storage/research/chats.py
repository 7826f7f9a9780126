"""Chats in SQL (port ``ChatRecord``)."""

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from citeloom.domain.research import lifecycle
from citeloom.domain.research.chats import no_chat, no_message
from citeloom.domain.research.session import Chat, ChatEntry, Message
from citeloom.infrastructure.storage.database.database import (
    Row,
    Transaction,
    insert_all,
    insert_into,
)
from citeloom.infrastructure.storage.database.store import SqlStore
from citeloom.infrastructure.storage.research import updates
from citeloom.infrastructure.storage.research.record import SESSIONS, delete_session
from citeloom.infrastructure.storage.research.rows import row_of, time_text, value_of

_ENTRIES = (
    "SELECT m.*, r.id AS session_id FROM messages m LEFT JOIN research_sessions r "
    "ON r.chat_id = m.chat_id AND m.id IN (r.message_id, r.question_id) "
    "WHERE m.chat_id = :id AND (r.id IS NULL OR r.is_deleted = :deleted) "
    # Of equal times the question is first.
    "ORDER BY m.created_at, m.role DESC, m.id"
)


class SqlChatRecord(SqlStore):
    def chats(self, user_id: str, *, deleted: bool = False) -> tuple[Chat, ...]:
        rows = self._rows(
            "SELECT * FROM chats WHERE user_id = :user_id AND is_deleted = :deleted "
            "ORDER BY updated_at DESC, id",
            {"user_id": user_id, "deleted": deleted},
        )
        return tuple(value_of(Chat, row) for row in rows)

    def chat(self, id: UUID) -> Chat:
        with self._database.reading() as transaction:
            return _chat(transaction, id)

    def open(self, chat: Chat) -> None:
        row = row_of(chat)
        self._run(insert_into("chats", row), row)

    def rename(self, id: UUID, title: str | None, at: datetime) -> Chat:
        with self._database.writing() as transaction:
            changes = {"id": str(id), "title": title, "at": time_text(at)}
            transaction.run(
                "UPDATE chats SET title = :title, updated_at = :at WHERE id = :id", changes
            )
            return _chat(transaction, id)

    def entries(self, id: UUID) -> tuple[ChatEntry, ...]:
        rows = self._rows(_ENTRIES, {"id": str(id), "deleted": False})
        return tuple(
            ChatEntry(message=value_of(Message, row), session_id=row["session_id"]) for row in rows
        )

    def message(self, id: UUID) -> Message:
        rows = self._rows("SELECT * FROM messages WHERE id = :id", {"id": str(id)})
        if not rows:
            raise no_message(id)
        return value_of(Message, rows[0])

    def say(self, chat_id: UUID, messages: Sequence[Message], at: datetime) -> None:
        with self._database.writing() as transaction:
            change = {"id": str(chat_id), "deleted": False, "at": time_text(at)}
            if not transaction.run(
                "UPDATE chats SET updated_at = :at WHERE id = :id AND is_deleted = :deleted", change
            ):
                raise no_chat(chat_id)
            insert_all(transaction, "messages", [row_of(one) for one in messages])

    def delete(self, id: UUID, at: datetime) -> None:
        with self._database.writing() as transaction:
            transaction.hold(SESSIONS)
            if _chat(transaction, id).is_deleted:
                return
            for session_id in _sessions(transaction, id, {"deleted": False}, "r.is_deleted"):
                delete_session(transaction, session_id, at)
            _mark(transaction, id, time_text(at))

    def restore(self, id: UUID) -> None:
        with self._database.writing() as transaction:
            transaction.hold(SESSIONS)
            chat = _chat(transaction, id)
            if chat.deleted_at is None:
                return
            together = {"deleted": time_text(chat.deleted_at)}
            for session_id in _sessions(transaction, id, together, "r.deleted_at"):
                before = updates.lock(transaction, session_id)
                updates.write_session(transaction, lifecycle.restored(before), before)
            _mark(transaction, id, None)


def _chat(transaction: Transaction | None, id: UUID) -> Chat:
    """Raises ChatNotFound."""
    statement = "SELECT * FROM chats WHERE id = :id"
    rows = transaction.rows(statement, {"id": str(id)}) if transaction else []
    if not rows:
        raise no_chat(id)
    return value_of(Chat, rows[0])


def _sessions(transaction: Transaction, chat_id: UUID, state: Row, column: str) -> list[UUID]:
    """Sessions of a chat whose ``column`` is ``deleted`` of ``state``."""
    rows = transaction.rows(
        f"SELECT r.id FROM research_sessions r WHERE r.chat_id = :id AND {column} = :deleted",
        {"id": str(chat_id), **state},
    )
    return [UUID(row["id"]) for row in rows]


def _mark(transaction: Transaction, id: UUID, deleted_at: str | None) -> None:
    transaction.run(
        "UPDATE chats SET is_deleted = :deleted, deleted_at = :at WHERE id = :id",
        {"id": str(id), "deleted": deleted_at is not None, "at": deleted_at},
    )
