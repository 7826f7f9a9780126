"""Research record, chats, preferences, and tables of papers and questions in SQL."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from typing import Final
from uuid import UUID

from pydantic import ValidationError

from citeloom.application.ports.research import KeptCell, SessionFilter, SessionOutcome, Step
from citeloom.domain.errors import ProjectNotFound, SessionNotFound, StorageFailed
from citeloom.domain.leases import DEAD_AFTER
from citeloom.domain.messages import Action, NextStep
from citeloom.domain.projects.project import ProjectId
from citeloom.domain.research import events as lifecycle
from citeloom.domain.research.events import ResearchEvent
from citeloom.domain.research.session import (
    RECOVERABLE,
    Chat,
    ChatEntry,
    Message,
    MessageFeedback,
    Recorded,
    ResearchSession,
    UserPreferences,
    no_chat,
    no_message,
)
from citeloom.domain.review.report.table import PaperCell
from citeloom.infrastructure.storage.database.database import (
    ConflictError,
    Reading,
    Row,
    Transaction,
    insert_all,
    insert_into,
    put_into,
    time_text,
)
from citeloom.infrastructure.storage.database.store import SqlStore

from .rows import (
    DEAD,
    count_alive,
    event_in,
    lock,
    purge_deleted,
    read_list,
    read_recorded,
    read_session,
    remove_rows,
    row_of,
    session_prefix,
    session_row,
    update_chat_deletion,
    value_of,
    write_beginning,
    write_events,
    write_outcome,
    write_session,
    write_step,
)

# Held by every change of the worker of a session: such changes are rare and short.
SESSIONS: Final = "research_sessions"


class SqlResearchRecord(SqlStore):
    def begin(
        self, chat: Chat, question: Message, report: Message, session: ResearchSession
    ) -> None:
        with self._held() as transaction:
            purge_deleted(transaction, session.started_at - RECOVERABLE)
            alive = count_alive(transaction, session)
            lifecycle.check_running_limit(alive, session.user_id)
            write_beginning(transaction, chat, question, report, session)

    def session(self, id: UUID) -> ResearchSession:
        with self._database.reading() as transaction:
            return read_session(transaction, id)

    def find(self, prefix: str) -> tuple[UUID, ...]:
        if (start := session_prefix(prefix)) is None:
            return ()
        rows = self._rows(
            "SELECT id FROM research_sessions WHERE substr(id, 1, :length) = :start ORDER BY id",
            {"length": len(start), "start": start},
        )
        return tuple(UUID(row["id"]) for row in rows)

    def sessions(self, session_filter: SessionFilter) -> tuple[ResearchSession, ...]:
        with self._database.reading() as transaction:
            return read_list(transaction, session_filter)

    def recorded(self, id: UUID) -> Recorded:
        with self._database.reading() as transaction:
            return read_recorded(transaction, id)

    def take(self, id: UUID, worker: str, at: datetime) -> ResearchSession:
        with self._held() as transaction:
            before = lock(transaction, id)
            session = lifecycle.acquired(before, worker, at)
            lifecycle.check_running_limit(count_alive(transaction, session), session.user_id)
            write_session(transaction, session, before)
            return session

    def beat(self, id: UUID, worker: str, at: datetime) -> bool:
        with self._changing() as transaction:
            key: Row = {"id": str(id), "worker": worker, "at": time_text(at)}
            condition = "id = :id AND worker = :worker AND status = 'in_progress'"
            if not transaction.run(
                f"UPDATE research_sessions SET heartbeat_at = :at WHERE {condition}", key
            ):
                return True
            return read_session(transaction, id).cancelling

    def cancel(self, id: UUID, at: datetime) -> ResearchSession:
        with self._held() as transaction:
            before = lock(transaction, id)
            session, event = lifecycle.cancelled(before, at)
            write_events(transaction, before, [event] if event else [])
            write_session(transaction, session, before)
            return session

    def bury(self, at: datetime) -> tuple[UUID, ...]:
        statement = f"SELECT id FROM research_sessions WHERE {DEAD} ORDER BY started_at"
        parameters = {"since": time_text(at - DEAD_AFTER)}
        if not self._rows(statement, parameters):  # nothing is written then
            return ()
        with self._held() as transaction:
            dead = tuple(UUID(row["id"]) for row in transaction.rows(statement, parameters))
            return tuple(id for id in dead if _mark_dead(transaction, id, at))

    def advance(self, id: UUID, worker: str, step: Step, at: datetime) -> None:
        with self._changing() as transaction:
            before = lifecycle.require_worker(lock(transaction, id), worker)
            after = write_step(transaction, before, step, at)
            write_session(transaction, after, before)

    def finish(self, id: UUID, worker: str, outcome: SessionOutcome) -> None:
        with self._changing() as transaction:
            before = lifecycle.require_worker(lock(transaction, id), worker)
            after = write_outcome(transaction, before, outcome)
            write_session(transaction, after, before)

    def events(self, id: UUID, after: int = 0) -> tuple[ResearchEvent, ...]:
        with self._database.reading() as transaction:
            session_row(transaction, id)
            rows = transaction.rows(
                "SELECT payload FROM research_events WHERE research_session_id = :id "
                "AND sequence > :after ORDER BY sequence",
                {"id": str(id), "after": after},
            )
        return tuple(event_in(row) for row in rows)

    def delete(self, id: UUID, at: datetime) -> None:
        with self._held() as transaction:
            delete_session(transaction, id, at)

    def remove(self, id: UUID, at: datetime) -> None:
        with self._held() as transaction:
            delete_session(transaction, id, at)
            remove_rows(transaction, [session_row(transaction, id)])

    def restore(self, id: UUID) -> None:
        with self._held() as transaction:
            before = lock(transaction, id)
            session = lifecycle.restored(before)
            write_session(transaction, session, before)
            update_chat_deletion(transaction, session)

    def purge(self, before: datetime) -> int:
        deleted = "WHERE is_deleted = :deleted AND deleted_at < :at"
        statement = (
            f"SELECT id FROM research_sessions {deleted} UNION ALL SELECT id FROM chats {deleted}"
        )
        if not self._rows(statement, {"deleted": True, "at": time_text(before)}):
            return 0  # nothing is written then
        with self._held() as transaction:
            return purge_deleted(transaction, before)

    @contextmanager
    def _held(self) -> Iterator[Transaction]:
        """A change of the worker on a session, or of its deletion."""
        with self._changing() as transaction:
            transaction.hold(SESSIONS)
            yield transaction

    @contextmanager
    def _changing(self) -> Iterator[Transaction]:
        try:
            with self._database.writing() as transaction:
                yield transaction
        except ConflictError as error:
            raise StorageFailed(
                f"the record of research: rows do not fit together ({error}); nothing of it was "
                "written"
            ) from error


def delete_session(transaction: Transaction, id: UUID, at: datetime) -> None:
    """Hide a session. Raises SessionNotFound, and SessionBusy while it runs."""
    _mark_dead(transaction, id, at)
    before = lock(transaction, id)
    session = lifecycle.deleted(before, at)
    if session is before:  # deleted before, perhaps with its chat
        return
    write_session(transaction, session, before)
    update_chat_deletion(transaction, session)


def _mark_dead(transaction: Transaction, id: UUID, at: datetime) -> bool:
    """Whether the session was dead; it is marked as such. Raises SessionNotFound."""
    before = lock(transaction, id)
    if not before.is_dead(at):
        return False
    session, event = lifecycle.ended_without_worker(before, at)
    write_events(transaction, before, [event])
    write_session(transaction, session, before)
    return True


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
                before = lock(transaction, session_id)
                write_session(transaction, lifecycle.restored(before), before)
            _mark(transaction, id, None)


def _chat(transaction: Reading, id: UUID) -> Chat:
    """Raises ChatNotFound."""
    statement = "SELECT * FROM chats WHERE id = :id"
    rows = transaction.rows(statement, {"id": str(id)})
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


class SqlUserRecord(SqlStore):
    def preferences(self, user_id: str) -> UserPreferences | None:
        statement = "SELECT * FROM user_preferences WHERE user_id = :user_id"
        rows = self._rows(statement, {"user_id": user_id})
        return value_of(UserPreferences, rows[0]) if rows else None

    def prefer(self, preferences: UserPreferences) -> None:
        row = row_of(preferences)
        self._run(put_into("user_preferences", row, key="user_id"), row)

    def forget(self, user_id: str) -> bool:
        if self.preferences(user_id) is None:  # nothing is written then
            return False
        statement = "DELETE FROM user_preferences WHERE user_id = :user_id"
        return bool(self._run(statement, {"user_id": user_id}))

    def feedback(self, message_id: UUID) -> Sequence[MessageFeedback]:
        rows = self._rows(
            "SELECT * FROM message_feedback WHERE message_id = :id ORDER BY created_at, id",
            {"id": str(message_id)},
        )
        return tuple(value_of(MessageFeedback, row) for row in rows)

    def rate(self, feedback: MessageFeedback) -> None:
        row = row_of(feedback)
        try:
            self._run(insert_into("message_feedback", row), row)
        except ConflictError:
            raise SessionNotFound(
                f"{feedback.message_id}: no such report",
                NextStep(Action.LIST_SESSIONS),
                message_id=str(feedback.message_id),
            ) from None


_OF: Final = "project_id = :project_id"


class SqlTableStore(SqlStore):
    def questions(self, project_id: ProjectId) -> Sequence[str]:
        rows = self._of(project_id, "table_columns", "question", "ORDER BY number")
        return [row["question"] for row in rows]

    def add_questions(self, project_id: ProjectId, questions: Sequence[str]) -> None:
        with self._database.writing() as transaction:
            if not transaction.rows(
                "SELECT id FROM projects WHERE id = :project_id", {"project_id": project_id.value}
            ):
                raise ProjectNotFound(project_id.value)
            for question in questions:
                transaction.run(
                    "INSERT INTO table_columns (project_id, question, number) "
                    "SELECT :project_id, :question, COALESCE(MAX(number), 0) + 1 "
                    f"FROM table_columns WHERE {_OF} ON CONFLICT (project_id, question) DO NOTHING",
                    {"project_id": project_id.value, "question": question},
                )

    def drop_questions(self, project_id: ProjectId, questions: Sequence[str]) -> None:
        rows = [{"project_id": project_id.value, "question": one} for one in sorted(questions)]
        with self._database.writing() as transaction:
            for table in ("table_columns", "table_cells") if rows else ():
                transaction.run_many(
                    f"DELETE FROM {table} WHERE {_OF} AND question = :question", rows
                )

    def cells(self, project_id: ProjectId) -> Sequence[KeptCell]:
        kept = map(_kept_cell, self._of(project_id, "table_cells"))
        return [cell for cell in kept if cell is not None]

    def put_cells(self, project_id: ProjectId, cells: Sequence[KeptCell]) -> None:
        rows = [
            {
                "project_id": project_id.value,
                "document_id": one.document_id,
                "question": one.question,
                "version": one.version,
                "body": one.cell.model_dump_json(exclude_defaults=True),
            }
            for one in cells
        ]
        if rows:
            self._put("table_cells", ("project_id", "document_id", "question"), rows)


def _kept_cell(row: Row) -> KeptCell | None:
    try:
        return KeptCell(
            document_id=row["document_id"],
            question=row["question"],
            version=row["version"],
            cell=PaperCell.model_validate_json(row["body"]),
        )
    except ValidationError:
        return None
