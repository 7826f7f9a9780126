"""Queries of research sessions and their parts, within a transaction."""

from uuid import UUID

from citeloom.application.ports.research import Recorded, SessionFilter
from citeloom.domain.leases import DEAD_AFTER
from citeloom.domain.research.lifecycle import not_found
from citeloom.domain.research.session import (
    Chat,
    Citation,
    Claim,
    Message,
    ResearchSession,
    SessionStatus,
    Source,
    SourceSpan,
)
from citeloom.infrastructure.storage.database.database import Row, Transaction
from citeloom.infrastructure.storage.research.rows import LISTED, time_text, value_of

#: In progress, with or without a heartbeat since ``:since``.
ALIVE = "status = 'in_progress' AND COALESCE(heartbeat_at, started_at) >= :since"
DEAD = "status = 'in_progress' AND COALESCE(heartbeat_at, started_at) < :since"


def session_row(transaction: Transaction | None, id: UUID) -> Row:
    """Raises SessionNotFound."""
    statement = "SELECT * FROM research_sessions WHERE id = :id"
    rows = transaction.rows(statement, {"id": str(id)}) if transaction else []
    if not rows:
        raise not_found(id)
    return rows[0]


def read_session(transaction: Transaction | None, id: UUID) -> ResearchSession:
    """Raises SessionNotFound."""
    return value_of(ResearchSession, session_row(transaction, id))


def read_recorded(transaction: Transaction | None, id: UUID) -> Recorded:
    """Raises SessionNotFound."""
    row = session_row(transaction, id)
    assert transaction is not None
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


def read_list(
    transaction: Transaction, session_filter: SessionFilter
) -> tuple[ResearchSession, ...]:
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


def read_running(transaction: Transaction, user_id: str) -> tuple[ResearchSession, ...]:
    rows = transaction.rows(
        f"SELECT {LISTED} FROM research_sessions WHERE user_id = :user_id AND status = :status "
        "ORDER BY started_at DESC, id",
        {"user_id": user_id, "status": SessionStatus.IN_PROGRESS.value},
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


def _one(transaction: Transaction, table: str, id: str) -> Row:
    (row,) = transaction.rows(f"SELECT * FROM {table} WHERE id = :id", {"id": id})
    return row
