"""Research record in SQL (port ``ResearchRecord``)."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from typing import Final
from uuid import UUID

from citeloom.application.ports.research import Recorded, SessionFilter, SessionOutcome, Step
from citeloom.domain.errors import StorageFailed
from citeloom.domain.leases import DEAD_AFTER
from citeloom.domain.research import lifecycle
from citeloom.domain.research.events import ResearchEvent
from citeloom.domain.research.session import RECOVERABLE, Chat, Message, ResearchSession
from citeloom.infrastructure.storage.database.database import ConflictError, Row, Transaction
from citeloom.infrastructure.storage.database.store import SqlStore
from citeloom.infrastructure.storage.research import queries, updates
from citeloom.infrastructure.storage.research.rows import event_in, session_prefix, time_text

# Held by every change of the worker of a session: such changes are rare and short.
SESSIONS: Final = "research_sessions"


class SqlResearchRecord(SqlStore):
    def begin(
        self, chat: Chat, question: Message, report: Message, session: ResearchSession
    ) -> None:
        with self._changing() as transaction:
            transaction.hold(SESSIONS)
            updates.purge_deleted(transaction, session.started_at - RECOVERABLE)
            alive = queries.count_alive(transaction, session)
            lifecycle.check_running_limit(alive, session.user_id)
            updates.write_beginning(transaction, chat, question, report, session)

    def session(self, id: UUID) -> ResearchSession:
        with self._database.reading() as transaction:
            return queries.read_session(transaction, id)

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
            return queries.read_list(transaction, session_filter) if transaction else ()

    def running(self, user_id: str) -> tuple[ResearchSession, ...]:
        with self._database.reading() as transaction:
            return queries.read_running(transaction, user_id) if transaction else ()

    def recorded(self, id: UUID) -> Recorded:
        with self._database.reading() as transaction:
            return queries.read_recorded(transaction, id)

    def take(self, id: UUID, worker: str, at: datetime) -> ResearchSession:
        with self._changing() as transaction:
            transaction.hold(SESSIONS)
            before = updates.lock(transaction, id)
            session = lifecycle.acquired(before, worker, at)
            lifecycle.check_running_limit(
                queries.count_alive(transaction, session), session.user_id
            )
            updates.write_session(transaction, session, before)
            return session

    def beat(self, id: UUID, worker: str, at: datetime) -> bool:
        with self._changing() as transaction:
            key: Row = {"id": str(id), "worker": worker, "at": time_text(at)}
            condition = "id = :id AND worker = :worker AND status = 'in_progress'"
            if not transaction.run(
                f"UPDATE research_sessions SET heartbeat_at = :at WHERE {condition}", key
            ):
                return True
            return queries.read_session(transaction, id).cancelling

    def cancel(self, id: UUID, at: datetime) -> ResearchSession:
        with self._changing() as transaction:
            transaction.hold(SESSIONS)
            before = updates.lock(transaction, id)
            session, event = lifecycle.cancelled(before, at)
            updates.write_events(transaction, before, [event] if event else [])
            updates.write_session(transaction, session, before)
            return session

    def bury(self, at: datetime) -> tuple[UUID, ...]:
        statement = f"SELECT id FROM research_sessions WHERE {queries.DEAD} ORDER BY started_at"
        parameters = {"since": time_text(at - DEAD_AFTER)}
        if not self._rows(statement, parameters):  # nothing is written then
            return ()
        with self._changing() as transaction:
            transaction.hold(SESSIONS)
            dead = tuple(UUID(row["id"]) for row in transaction.rows(statement, parameters))
            return tuple(id for id in dead if _mark_dead(transaction, id, at))

    def advance(self, id: UUID, worker: str, step: Step, at: datetime) -> None:
        with self._changing() as transaction:
            before = lifecycle.require_worker(updates.lock(transaction, id), worker)
            after = updates.write_step(transaction, before, step, at)
            updates.write_session(transaction, after, before)

    def finish(self, id: UUID, worker: str, outcome: SessionOutcome) -> None:
        with self._changing() as transaction:
            before = lifecycle.require_worker(updates.lock(transaction, id), worker)
            after = updates.write_outcome(transaction, before, outcome)
            updates.write_session(transaction, after, before)

    def events(self, id: UUID, after: int = 0) -> tuple[ResearchEvent, ...]:
        with self._database.reading() as transaction:
            queries.session_row(transaction, id)
            assert transaction is not None
            rows = transaction.rows(
                "SELECT payload FROM research_events WHERE research_session_id = :id "
                "AND sequence > :after ORDER BY sequence",
                {"id": str(id), "after": after},
            )
        return tuple(event_in(row) for row in rows)

    def delete(self, id: UUID, at: datetime) -> None:
        with self._changing() as transaction:
            transaction.hold(SESSIONS)
            delete_session(transaction, id, at)

    def remove(self, id: UUID, at: datetime) -> None:
        with self._changing() as transaction:
            transaction.hold(SESSIONS)
            delete_session(transaction, id, at)
            updates.remove_rows(transaction, [queries.session_row(transaction, id)])

    def restore(self, id: UUID) -> None:
        with self._changing() as transaction:
            transaction.hold(SESSIONS)
            before = updates.lock(transaction, id)
            session = lifecycle.restored(before)
            updates.write_session(transaction, session, before)
            updates.update_chat_deletion(transaction, session)

    def purge(self, before: datetime) -> int:
        deleted = "WHERE is_deleted = :deleted AND deleted_at < :at"
        statement = (
            f"SELECT id FROM research_sessions {deleted} UNION ALL SELECT id FROM chats {deleted}"
        )
        if not self._rows(statement, {"deleted": True, "at": time_text(before)}):
            return 0  # nothing is written then
        with self._changing() as transaction:
            transaction.hold(SESSIONS)
            return updates.purge_deleted(transaction, before)

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
    before = updates.lock(transaction, id)
    session = lifecycle.deleted(before, at)
    if session is before:  # deleted before, perhaps with its chat
        return
    updates.write_session(transaction, session, before)
    updates.update_chat_deletion(transaction, session)


def _mark_dead(transaction: Transaction, id: UUID, at: datetime) -> bool:
    """Whether the session was dead; it is marked as such. Raises SessionNotFound."""
    before = updates.lock(transaction, id)
    if not before.is_dead(at):
        return False
    session, event = lifecycle.ended_without_worker(before, at)
    updates.write_events(transaction, before, [event])
    updates.write_session(transaction, session, before)
    return True
