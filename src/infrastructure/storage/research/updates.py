"""Updates of research sessions and their parts, within a transaction."""

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from citeloom.application.ports.research import SessionOutcome, Step
from citeloom.domain.research.events import ResearchEvent
from citeloom.domain.research.lifecycle import last_sequence, not_found
from citeloom.domain.research.session import Chat, Message, ResearchSession
from citeloom.infrastructure.storage.database.database import (
    Row,
    Transaction,
    insert_all,
    insert_into,
    put_into,
)
from citeloom.infrastructure.storage.research.queries import read_session
from citeloom.infrastructure.storage.research.rows import event_row, row_of, rows_of, time_text

_KEPT_COLUMNS = frozenset({"ordinal"})
_OF_SESSION = "research_session_id = :id"
_SOURCES = f"FROM research_sources WHERE {_OF_SESSION}"
_SPANS = f"FROM evidence_spans WHERE source_id IN (SELECT id {_SOURCES})"


def lock(transaction: Transaction, id: UUID) -> ResearchSession:
    """The session, locked against other writers until the end of the transaction. Raises
    SessionNotFound."""
    touched = "UPDATE research_sessions SET sequence = sequence WHERE id = :id"
    if not transaction.run(touched, {"id": str(id)}):
        raise not_found(id)
    return read_session(transaction, id)


def write_session(
    transaction: Transaction, session: ResearchSession, before: ResearchSession
) -> None:
    """Writes the fields that differ from ``before``."""
    old = row_of(before)
    row = {name: value for name, value in row_of(session).items() if value != old[name]}
    if row:
        columns = ", ".join(f"{name} = :{name}" for name in row)
        row["id"] = str(session.id)
        transaction.run(f"UPDATE research_sessions SET {columns} WHERE id = :id", row)


def write_beginning(
    transaction: Transaction,
    chat: Chat,
    question: Message,
    report: Message,
    session: ResearchSession,
) -> None:
    """An existing chat is updated, and restored if it was deleted."""
    row = row_of(chat)
    transaction.run(
        f"{insert_into('chats', row)} ON CONFLICT (id) DO UPDATE SET "
        "updated_at = excluded.updated_at, is_deleted = excluded.is_deleted, "
        "deleted_at = excluded.deleted_at",
        row,
    )
    for message in (question, report):
        row = row_of(message)
        transaction.run(insert_into("messages", row), row)
    row = row_of(session, question_id=str(question.id))
    transaction.run(insert_into("research_sessions", row), row)


def write_step(
    transaction: Transaction, session: ResearchSession, step: Step, at: datetime
) -> ResearchSession:
    """The session after the step. Rows with existing ids are replaced in place."""
    key = {"id": str(session.id)}
    _put(transaction, "research_sources", step.sources, _next(transaction, _SOURCES, key))
    _put(transaction, "evidence_spans", step.spans, _next(transaction, _SPANS, key))
    changes: dict[str, object] = {
        "sequence": write_events(transaction, session, step.events),
        "heartbeat_at": at,
    }
    if step.plan is not None:
        changes["plan"] = step.plan
    if step.state is not None:
        changes["state"] = step.state
    return session.model_copy(update=changes)


def write_outcome(
    transaction: Transaction, session: ResearchSession, outcome: SessionOutcome
) -> ResearchSession:
    """The session after its end; claims of an earlier end are removed."""
    report = {"id": str(session.message_id)}
    if outcome.content is not None:
        transaction.run(
            "UPDATE messages SET content = :content WHERE id = :id",
            {**report, "content": outcome.content},
        )
    transaction.run("DELETE FROM claims WHERE message_id = :id", report)
    _put(transaction, "claims", outcome.claims, 0)
    _put(transaction, "claim_citations", outcome.citations, 0)
    of_session = {"id": str(session.id), "cited": False}
    transaction.run(
        f"UPDATE research_sources SET is_cited = :cited WHERE {_OF_SESSION}", of_session
    )
    transaction.run_many(
        f"UPDATE research_sources SET is_cited = :cited WHERE {_OF_SESSION} AND id = :source",
        [{**of_session, "cited": True, "source": str(one)} for one in outcome.cited],
    )
    transaction.run(
        "UPDATE chats SET updated_at = :at WHERE id = :id",
        {"id": str(session.chat_id), "at": time_text(outcome.completed_at)},
    )
    return session.model_copy(
        update={
            "status": outcome.status,
            "verification_summary": outcome.summary,
            "error_message": outcome.error_message,
            "sequence": write_events(transaction, session, outcome.events),
            "worker": None,
            "cancelling": False,
            "completed_at": outcome.completed_at,
        }
    )


def write_events(
    transaction: Transaction, session: ResearchSession, events: Sequence[ResearchEvent]
) -> int:
    """Number of the last event. Raises ValueError as ``last_sequence`` does."""
    last = last_sequence(session, events)
    insert_all(transaction, "research_events", [event_row(event, session) for event in events])
    return last


def update_chat_deletion(transaction: Transaction, session: ResearchSession) -> None:
    """A chat is deleted with its last session, if it has no other messages, and restored with
    the first."""
    parameters: Row = {"id": str(session.chat_id), "deleted": True}
    remaining = transaction.rows(
        "SELECT m.id FROM messages m WHERE m.chat_id = :id AND NOT EXISTS "
        "(SELECT 1 FROM research_sessions r WHERE r.chat_id = m.chat_id "
        "AND r.is_deleted = :deleted AND m.id IN (r.message_id, r.question_id)) LIMIT 1",
        parameters,
    )
    at = session.deleted_at
    transaction.run(
        "UPDATE chats SET is_deleted = :deleted, deleted_at = :at WHERE id = :id",
        {
            "id": str(session.chat_id),
            "deleted": not remaining,
            "at": None if remaining or at is None else time_text(at),
        },
    )


def purge_deleted(transaction: Transaction, before: datetime) -> int:
    """Remove sessions and chats deleted before ``before``; the number of sessions."""
    old = transaction.rows(
        "SELECT message_id, question_id, chat_id FROM research_sessions "
        "WHERE is_deleted = :deleted AND deleted_at < :before",
        {"deleted": True, "before": time_text(before)},
    )
    remove_rows(transaction, old)
    transaction.run(
        "DELETE FROM chats WHERE is_deleted = :deleted AND deleted_at < :before",
        {"deleted": True, "before": time_text(before)},
    )
    return len(old)


def remove_rows(transaction: Transaction, sessions: Sequence[Row]) -> None:
    """Remove sessions, given by their rows, with their messages and parts, and chats that are
    deleted and empty then."""
    messages = [{"id": row[name]} for row in sessions for name in ("message_id", "question_id")]
    transaction.run_many("DELETE FROM messages WHERE id = :id", messages)
    transaction.run_many(
        "DELETE FROM chats WHERE id = :id AND is_deleted = :deleted AND NOT EXISTS "
        "(SELECT 1 FROM messages m WHERE m.chat_id = chats.id)",
        [{"id": row["chat_id"], "deleted": True} for row in sessions],
    )


def _next(transaction: Transaction, source: str, key: Row) -> int:
    (row,) = transaction.rows(f"SELECT COALESCE(MAX(ordinal) + 1, 0) AS next {source}", key)
    return int(row["next"])


def _put(transaction: Transaction, table: str, values: Sequence[object], first: int) -> None:
    if values:
        rows = rows_of(values, first)  # type: ignore[arg-type]
        transaction.run_many(put_into(table, rows[0], keep=_KEPT_COLUMNS), rows)
