"""Tables of the research record, in the catalogue's database (decisions/0025).

Ids are UUIDs as texts, times and lists as in the catalogue's tables. ``ordinal`` keeps the order of
insertion. The parts of a session are deleted with its messages.
"""

from sqlalchemy import (
    Boolean,
    Column,
    Float,
    ForeignKey,
    Index,
    Integer,
    Table,
    Text,
    UniqueConstraint,
)

from citeloom.infrastructure.storage.schema import metadata as metadata  # all tables


def _id() -> Column[str]:
    return Column("id", Text, primary_key=True)


def _of(column: str, target: str) -> Column[str]:
    return Column(column, Text, ForeignKey(target, ondelete="CASCADE"), nullable=False)


chats = Table(
    "chats",
    metadata,
    _id(),
    Column("user_id", Text, nullable=False),
    Column("title", Text),
    Column("is_deleted", Boolean, nullable=False),
    Column("deleted_at", Text),
    Column("created_at", Text, nullable=False),
    Column("updated_at", Text, nullable=False),
    Index(None, "user_id"),
)

messages = Table(
    "messages",
    metadata,
    _id(),
    _of("chat_id", "chats.id"),
    Column("role", Text, nullable=False),
    Column("content", Text),
    Column("query_mode", Text),
    Column("created_at", Text, nullable=False),
    Column("passages", Text),
    Index(None, "chat_id"),
)

research_sessions = Table(
    "research_sessions",
    metadata,
    _id(),
    _of("message_id", "messages.id"),
    Column("question_id", Text, nullable=False),
    _of("chat_id", "chats.id"),
    Column("user_id", Text, nullable=False),
    Column("project_id", Text, nullable=False),
    Column("question", Text, nullable=False),
    Column("query_mode", Text, nullable=False),
    Column("research_depth", Text, nullable=False),
    Column("status", Text, nullable=False),
    Column("classification", Text, nullable=False),
    Column("plan", Text),
    Column("state", Text),
    Column("verification_summary", Text),
    Column("error_message", Text),
    Column("sequence", Integer, nullable=False),
    Column("worker", Text),
    Column("heartbeat_at", Text),
    Column("cancelling", Boolean, nullable=False),
    Column("is_deleted", Boolean, nullable=False),
    Column("deleted_at", Text),
    Column("started_at", Text, nullable=False),
    Column("completed_at", Text),
    Index(None, "message_id"),
    Index(None, "chat_id"),
    Index(None, "status"),
    Index(None, "started_at"),
    Index(None, "deleted_at"),
)

research_sources = Table(
    "research_sources",
    metadata,
    _id(),
    _of("research_session_id", "research_sessions.id"),
    Column("chat_id", Text),
    Column("url", Text, nullable=False),
    Column("title", Text, nullable=False),
    Column("snippet", Text, nullable=False),
    Column("content", Text),
    Column("is_cited", Boolean, nullable=False),
    Column("step_index", Integer),
    Column("step_title", Text),
    Column("crawl_status", Text, nullable=False),
    Column("error_reason", Text),
    Column("source_type", Text, nullable=False),
    Column("document_id", Text),
    Column("citekey", Text),
    Column("included", Boolean, nullable=False),
    Column("exclusion_reason", Text),
    Column("created_at", Text, nullable=False),
    Column("ordinal", Integer, nullable=False),
    UniqueConstraint("research_session_id", "url", name="uq_research_sources_session_url"),
)

evidence_spans = Table(
    "evidence_spans",
    metadata,
    _id(),
    _of("source_id", "research_sources.id"),
    Column("quote", Text, nullable=False),
    Column("start_offset", Integer),
    Column("end_offset", Integer),
    Column("section_heading", Text),
    Column("relevance_score", Float, nullable=False),
    Column("has_numeric_content", Boolean, nullable=False),
    Column("page", Integer),
    Column("page_label", Text),
    Column("regions", Text, nullable=False),
    Column("citation", Text),
    Column("address", Text),
    Column("knowledge_uri", Text),
    Column("step_index", Integer),
    Column("created_at", Text, nullable=False),
    Column("ordinal", Integer, nullable=False),
    Index(None, "source_id"),
)

claims = Table(
    "claims",
    metadata,
    _id(),
    _of("message_id", "messages.id"),
    Column("claim_text", Text, nullable=False),
    Column("claim_type", Text, nullable=False),
    Column("position_start", Integer, nullable=False),
    Column("position_end", Integer, nullable=False),
    Column("citation_key", Text),
    Column("verdict", Text),
    Column("confidence", Float, nullable=False),
    Column("verification_reasoning", Text),
    Column("correction", Text, nullable=False),
    Column("created_at", Text, nullable=False),
    Column("ordinal", Integer, nullable=False),
    Index(None, "message_id"),
)

claim_citations = Table(
    "claim_citations",
    metadata,
    _id(),
    _of("claim_id", "claims.id"),
    _of("evidence_span_id", "evidence_spans.id"),
    Column("confidence", Float, nullable=False),
    Column("is_primary", Boolean, nullable=False),
    Column("created_at", Text, nullable=False),
    Column("ordinal", Integer, nullable=False),
    Index(None, "claim_id"),
    Index(None, "evidence_span_id"),
)

research_events = Table(
    "research_events",
    metadata,
    _id(),
    _of("research_session_id", "research_sessions.id"),
    Column("sequence", Integer, nullable=False),
    Column("event_type", Text, nullable=False),
    Column("payload", Text, nullable=False),
    Column("timestamp", Text, nullable=False),
    UniqueConstraint("research_session_id", "sequence", name="uq_research_events_session_sequence"),
)

user_preferences = Table(
    "user_preferences",
    metadata,
    _id(),
    Column("user_id", Text, nullable=False, unique=True),
    Column("system_instructions", Text),
    Column("default_query_mode", Text),
    Column("default_research_depth", Text),
    Column("created_at", Text, nullable=False),
    Column("updated_at", Text, nullable=False),
)

message_feedback = Table(
    "message_feedback",
    metadata,
    _id(),
    _of("message_id", "messages.id"),
    Column("user_id", Text, nullable=False),
    Column("rating", Text, nullable=False),
    Column("feedback_text", Text),
    Column("mlflow_trace_id", Text),
    Column("created_at", Text, nullable=False),
    Index(None, "message_id"),
)
