"""Rows of the research record, their queries and updates within a transaction.

A column has the name of its field. Texts hold UUIDs, times (UTC, always with microseconds, so that
they sort chronologically) and, as JSON, structured values.
"""

import json
import re
from collections.abc import Sequence
from datetime import datetime
from enum import Enum
from typing import Any, Final, TypeVar
from uuid import UUID

from citeloom.application.ports.research import SessionFilter, SessionOutcome, Step
from citeloom.domain.leases import DEAD_AFTER
from citeloom.domain.research.events import (
    ResearchEvent,
    from_wire,
    last_sequence,
    not_found,
    to_wire,
)
from citeloom.domain.research.session import (
    Chat,
    Citation,
    Claim,
    Message,
    Recorded,
    ResearchSession,
    Source,
    SourceSpan,
)
from citeloom.domain.value import Value
from citeloom.infrastructure.storage.database.database import (
    Reading,
    Row,
    Transaction,
    insert_all,
    insert_into,
    put_into,
    time_text,
)
from citeloom.infrastructure.storage.rows import json_text

_V = TypeVar("_V", bound=Value)
_JSON: Final = frozenset(
    {"classification", "plan", "state", "verification_summary", "regions", "passages"}
)

#: Columns of a list of sessions: all but the state, which may be large.
LISTED: Final = ", ".join(name for name in ResearchSession.model_fields if name != "state")

_DIGITS = re.compile(r"[0-9a-f]{0,32}")
# Groups of digits in the canonical form of a UUID (RFC 9562, 4).
_GROUPS: Final = ((0, 8), (8, 12), (12, 16), (16, 20), (20, 32))


def session_prefix(text: str) -> str | None:
    """``text`` as the prefix of a session id, if it is a valid one; hyphens are optional."""
    digits = text.strip().lower().replace("-", "")
    if not _DIGITS.fullmatch(digits):
        return None
    return "-".join(digits[start:end] for start, end in _GROUPS if start < len(digits))


def row_of(value: Value, **more: object) -> dict[str, Any]:
    """The row of an entity; ``more`` are columns that are not fields of it."""
    return {name: _stored(name, field) for name, field in value.model_dump().items()} | more


def rows_of(values: Sequence[Value], first: int = 0) -> list[Row]:
    """With ordinals from ``first`` on."""
    return [row_of(value, ordinal=number) for number, value in enumerate(values, start=first)]


def value_of(kind: type[_V], row: Row) -> _V:
    """The entity of a row; columns that are not fields are ignored."""
    return kind.model_validate(
        {name: _parsed(name, row[name]) for name in kind.model_fields if name in row}
    )


def event_row(event: ResearchEvent, session: ResearchSession) -> Row:
    return {
        "id": str(session.part_id("event", event.sequence)),
        "research_session_id": str(session.id),
        "sequence": event.sequence,
        "event_type": event.event_type,
        "payload": json_text(to_wire(event)),
        "timestamp": time_text(event.timestamp),
    }


def event_in(row: Row) -> ResearchEvent:
    return from_wire(json.loads(row["payload"]))


def _stored(name: str, field: object) -> object:
    if field is None:
        return None
    if name in _JSON:
        return json_text(field)
    if isinstance(field, UUID):
        return str(field)
    if isinstance(field, datetime):
        return time_text(field)
    return field.value if isinstance(field, Enum) else field


def _parsed(name: str, stored: Any) -> Any:
    return json.loads(stored) if name in _JSON and stored is not None else stored


#: In progress, with or without a heartbeat since ``:since``.
ALIVE = "status = 'in_progress' AND COALESCE(heartbeat_at, started_at) >= :since"
DEAD = "status = 'in_progress' AND COALESCE(heartbeat_at, started_at) < :since"


def session_row(transaction: Reading, id: UUID) -> Row:
    """Raises SessionNotFound."""
    statement = "SELECT * FROM research_sessions WHERE id = :id"
    rows = transaction.rows(statement, {"id": str(id)})
    if not rows:
        raise not_found(id)
    return rows[0]


def read_session(transaction: Reading, id: UUID) -> ResearchSession:
    """Raises SessionNotFound."""
    return value_of(ResearchSession, session_row(transaction, id))


def read_recorded(transaction: Reading, id: UUID) -> Recorded:
    """Raises SessionNotFound."""
    row = session_row(transaction, id)
    session = value_of(ResearchSession, row)
    of_session, of_report = {"id": str(id)}, {"id": row["message_id"]}
    sources = transaction.rows(
        "SELECT * FROM research_sources WHERE research_session_id = :id ORDER BY ordinal",
        of_session,
    )
    spans = transaction.rows(
        "SELECT e.* FROM evidence_spans e JOIN research_sources s ON s.id = e.source_id "
        "WHERE s.research_session_id = :id ORDER BY e.ordinal",
        of_session,
    )
    claims = transaction.rows(
        "SELECT * FROM claims WHERE message_id = :id ORDER BY ordinal", of_report
    )
    citations = transaction.rows(
        "SELECT x.* FROM claim_citations x JOIN claims c ON c.id = x.claim_id "
        "WHERE c.message_id = :id ORDER BY x.ordinal",
        of_report,
    )
    return Recorded(
        session=session,
        chat=value_of(Chat, _one(transaction, "chats", row["chat_id"])),
        question=value_of(Message, _one(transaction, "messages", row["question_id"])),
        report=value_of(Message, _one(transaction, "messages", row["message_id"])),
        sources=tuple(value_of(Source, one) for one in sources),
        spans=tuple(value_of(SourceSpan, one) for one in spans),
        claims=tuple(value_of(Claim, one) for one in claims),
        citations=tuple(value_of(Citation, one) for one in citations),
    )


def read_list(transaction: Reading, session_filter: SessionFilter) -> tuple[ResearchSession, ...]:
    parameters: dict[str, object] = {
        "deleted": session_filter.deleted,
        "limit": session_filter.limit,
    }
    conditions = ["is_deleted = :deleted"]
    for name in ("user_id", "project_id"):
        if (value := getattr(session_filter, name)) is not None:
            conditions.append(f"{name} = :{name}")
            parameters[name] = value
    if session_filter.statuses:
        names = {
            f"status_{number}": one.value for number, one in enumerate(session_filter.statuses)
        }
        conditions.append(f"status IN ({', '.join(f':{name}' for name in names)})")
        parameters |= names
    rows = transaction.rows(
        f"SELECT {LISTED} FROM research_sessions WHERE {' AND '.join(conditions)} "
        "ORDER BY started_at DESC, id LIMIT :limit",
        parameters,
    )
    return tuple(value_of(ResearchSession, row) for row in rows)


def count_alive(transaction: Transaction, session: ResearchSession) -> int:
    """Number of other live sessions of the same user, at the time of the last heartbeat of
    ``session``."""
    last_heartbeat = session.heartbeat_at or session.started_at
    (row,) = transaction.rows(
        "SELECT COUNT(*) AS alive FROM research_sessions "
        f"WHERE user_id = :user_id AND id <> :id AND {ALIVE}",
        {
            "user_id": session.user_id,
            "id": str(session.id),
            "since": time_text(last_heartbeat - DEAD_AFTER),
        },
    )
    return int(row["alive"])


def _one(transaction: Reading, table: str, id: str) -> Row:
    (row,) = transaction.rows(f"SELECT * FROM {table} WHERE id = :id", {"id": id})
    return row


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
