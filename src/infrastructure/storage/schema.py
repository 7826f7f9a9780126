"""Tables of the catalogue, of the research record, and of jobs and answers to requests with a key.

A change of them is a new revision in ``database/database.py``; ``database/upgrade.py`` then adds
the tables and columns that a database lacks.

Times are ISO 8601 texts with their zone, lists and citations are JSON texts: SQLite and PostgreSQL
then return the same values, and rows are human-readable. Ids of the research record are UUIDs as
texts; ``ordinal`` keeps the order of insertion. The parts of a session are deleted with its
messages.
"""

import re
from collections.abc import Iterator
from typing import Any, Final

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Float,
    ForeignKey,
    ForeignKeyConstraint,
    Index,
    Integer,
    MetaData,
    Table,
    Text,
    UniqueConstraint,
)
from sqlalchemy.schema import SchemaItem

metadata = MetaData(
    naming_convention={
        "pk": "pk_%(table_name)s",
        "fk": "fk_%(table_name)s_%(referred_table_name)s",
        "uq": "uq_%(table_name)s_%(column_0_name)s",
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
    }
)
_TYPES: Final[dict[str, type[Any]]] = {
    "": Text,
    "int": Integer,
    "big": BigInteger,
    "bool": Boolean,
    "float": Float,
}
_COLUMN: Final = re.compile(r"(\w+)(?::(\w+))?([*?!]?)")


def _table(name: str, *items: str | SchemaItem) -> None:
    """A table. A text is several columns, ``NAME`` or ``NAME:TYPE`` (else Text), NOT NULL;
    ``*`` marks those of the primary key, ``?`` those that may be NULL, ``!`` those that are
    unique."""
    Table(name, metadata, *(one for item in items for one in _columns(item)))


def _columns(item: str | SchemaItem) -> Iterator[SchemaItem]:
    if not isinstance(item, str):
        yield item
        return
    for name, kind, mark in _COLUMN.findall(item):
        yield Column(
            name,
            _TYPES[kind],
            primary_key=mark == "*",
            nullable=mark == "?",
            unique=True if mark == "!" else None,
        )


def _project_id() -> Column[str]:
    return Column(
        "project_id", Text, ForeignKey("projects.id", ondelete="CASCADE"), primary_key=True
    )


def _to_document() -> ForeignKeyConstraint:
    return ForeignKeyConstraint(
        ["project_id", "document_id"],
        ["documents.project_id", "documents.document_id"],
        ondelete="CASCADE",
    )


def _of(column: str, target: str) -> Column[str]:
    return Column(column, Text, ForeignKey(target, ondelete="CASCADE"), nullable=False)


_table(
    "projects",
    "id* folded_id! collection model_name model_dimension:int model_digest "
    "model_max_tokens:int sparse_model references_json? hybrid_enabled:bool created_at "
    "retrieval? others? folders? more_references?",
)
_table(
    "documents",
    _project_id(),
    "document_id* title? mime_type pages:int chunks:int language? identifiers conversion "
    "chunking embedding citation_how? references_digest? warnings stored_at held? fidelity? "
    "authors? year:int? item?",
    Index(None, "document_id"),
    Index(None, "project_id", "language"),
)
_table(
    "sources",
    "project_id* path* document_id position:int size:big mtime_ns:big",
    _to_document(),
    Index(None, "project_id", "document_id"),
)
_table(
    "aliases",
    "project_id* kind* value* document_id*",
    _to_document(),
    Index(None, "project_id", "document_id"),
)
_table("citations", "project_id* document_id* body", _to_document())
_table(
    "labels",
    _project_id(),
    "target* name* document_id? value",
    Index(None, "project_id", "document_id"),
)
_table(
    "own_changes",
    _project_id(),
    "number:int* document_id what body",
    Index(None, "project_id", "document_id"),
)
_table("table_columns", _project_id(), "question* number:int")
_table("table_cells", _project_id(), "document_id* question* version body")
_table("annotations", _project_id(), "document_id* digest annotations:int body")
_table(
    "indexed",
    _project_id(),
    "collection* document_id* chunks:int conversion chunking embedding cited",
)
_table("followed", _project_id(), "body")
_table(
    "entries",
    _project_id(),
    "entry* kind scope item? digest document_id? path? size:big? mtime_ns:big? annotations",
)
_table(
    "principals",
    "name* is_administrator:bool token_digest! browser_digest! revocations:int created_at",
)
_table("former_principals", "name* removed_at")
_table(
    "roles",
    Column("principal", Text, ForeignKey("principals.name", ondelete="CASCADE"), primary_key=True),
    _project_id(),
    "role",
)
_table(
    "audit_events",
    "id* time origin action principal project object outcome request_id count:int",
    Index(None, "time", "id"),
)
_table(
    "chats",
    "id* user_id title? is_deleted:bool deleted_at? created_at updated_at",
    Index(None, "user_id"),
)
_table(
    "messages",
    "id*",
    _of("chat_id", "chats.id"),
    "role content? query_mode? created_at passages?",
    Index(None, "chat_id"),
)
_table(
    "research_sessions",
    "id*",
    _of("message_id", "messages.id"),
    "question_id",
    _of("chat_id", "chats.id"),
    "user_id project_id question query_mode research_depth status classification plan? state? "
    "verification_summary? error_message? sequence:int worker? heartbeat_at? cancelling:bool "
    "is_deleted:bool deleted_at? started_at completed_at?",
    Index(None, "message_id"),
    Index(None, "chat_id"),
    Index(None, "status"),
    Index(None, "started_at"),
    Index(None, "deleted_at"),
)
_table(
    "research_sources",
    "id*",
    _of("research_session_id", "research_sessions.id"),
    "chat_id? url title snippet content? is_cited:bool step_index:int? step_title? "
    "crawl_status error_reason? source_type document_id? citekey? included:bool "
    "exclusion_reason? created_at ordinal:int",
    UniqueConstraint("research_session_id", "url", name="uq_research_sources_session_url"),
)
_table(
    "evidence_spans",
    "id*",
    _of("source_id", "research_sources.id"),
    "quote start_offset:int? end_offset:int? section_heading? relevance_score:float "
    "has_numeric_content:bool page:int? page_label? regions citation? address? knowledge_uri? "
    "step_index:int? created_at ordinal:int",
    Index(None, "source_id"),
)
_table(
    "claims",
    "id*",
    _of("message_id", "messages.id"),
    "claim_text claim_type position_start:int position_end:int citation_key? verdict? "
    "confidence:float verification_reasoning? correction created_at ordinal:int",
    Index(None, "message_id"),
)
_table(
    "claim_citations",
    "id*",
    _of("claim_id", "claims.id"),
    _of("evidence_span_id", "evidence_spans.id"),
    "confidence:float is_primary:bool created_at ordinal:int",
    Index(None, "claim_id"),
    Index(None, "evidence_span_id"),
)
_table(
    "research_events",
    "id*",
    _of("research_session_id", "research_sessions.id"),
    "sequence:int event_type payload timestamp",
    UniqueConstraint("research_session_id", "sequence", name="uq_research_events_session_sequence"),
)
_table(
    "user_preferences",
    "id* user_id! system_instructions? default_query_mode? default_research_depth? created_at "
    "updated_at",
)
_table(
    "message_feedback",
    "id*",
    _of("message_id", "messages.id"),
    "user_id rating feedback_text? mlflow_trace_id? created_at",
    Index(None, "message_id"),
)
_table("workers", "id* heard_at")
_table(
    "jobs",
    "id* kind project owner session? digest asked status progress sequence:int failure? "
    "result? cancelling:bool worker created_at ended_at?",
    Index(None, "status"),
    Index(None, "session"),
    Index(None, "project"),
    Index(None, "created_at"),
    Index(None, "ended_at"),
)
_table(
    "job_events",
    Column("job_id", Text, ForeignKey("jobs.id", ondelete="CASCADE"), primary_key=True),
    "number:int* progress",
)
_table(
    "given_answers",
    "owner* key* target worker begun_at digest? status:int? headers? body?",
    Index(None, "begun_at"),
)
