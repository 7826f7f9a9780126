"""The record of research: sessions, what they read, what they claim, what users say."""

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "chats",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("user_id", sa.Text(), nullable=False),
        sa.Column("title", sa.Text()),
        sa.Column("is_deleted", sa.Boolean(), nullable=False),
        sa.Column("deleted_at", sa.Text()),
        sa.Column("created_at", sa.Text(), nullable=False),
        sa.Column("updated_at", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_chats"),
    )
    op.create_index("ix_chats_user_id", "chats", ["user_id"])
    op.create_table(
        "messages",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("chat_id", sa.Text(), nullable=False),
        sa.Column("role", sa.Text(), nullable=False),
        sa.Column("content", sa.Text()),
        sa.Column("query_mode", sa.Text()),
        sa.Column("created_at", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_messages"),
        sa.ForeignKeyConstraint(
            ["chat_id"],
            ["chats.id"],
            ondelete="CASCADE",
            name="fk_messages_chats",
        ),
    )
    op.create_index("ix_messages_chat_id", "messages", ["chat_id"])
    op.create_table(
        "research_sessions",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("message_id", sa.Text(), nullable=False),
        sa.Column("question_id", sa.Text(), nullable=False),
        sa.Column("chat_id", sa.Text(), nullable=False),
        sa.Column("user_id", sa.Text(), nullable=False),
        sa.Column("project_id", sa.Text(), nullable=False),
        sa.Column("question", sa.Text(), nullable=False),
        sa.Column("query_mode", sa.Text(), nullable=False),
        sa.Column("research_depth", sa.Text(), nullable=False),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("classification", sa.Text(), nullable=False),
        sa.Column("plan", sa.Text()),
        sa.Column("state", sa.Text()),
        sa.Column("verification_summary", sa.Text()),
        sa.Column("error_message", sa.Text()),
        sa.Column("sequence", sa.Integer(), nullable=False),
        sa.Column("worker", sa.Text()),
        sa.Column("heartbeat_at", sa.Text()),
        sa.Column("cancelling", sa.Boolean(), nullable=False),
        sa.Column("is_deleted", sa.Boolean(), nullable=False),
        sa.Column("deleted_at", sa.Text()),
        sa.Column("started_at", sa.Text(), nullable=False),
        sa.Column("completed_at", sa.Text()),
        sa.PrimaryKeyConstraint("id", name="pk_research_sessions"),
        sa.ForeignKeyConstraint(
            ["chat_id"],
            ["chats.id"],
            ondelete="CASCADE",
            name="fk_research_sessions_chats",
        ),
        sa.ForeignKeyConstraint(
            ["message_id"],
            ["messages.id"],
            ondelete="CASCADE",
            name="fk_research_sessions_messages",
        ),
    )
    op.create_index("ix_research_sessions_chat_id", "research_sessions", ["chat_id"])
    op.create_index("ix_research_sessions_deleted_at", "research_sessions", ["deleted_at"])
    op.create_index("ix_research_sessions_message_id", "research_sessions", ["message_id"])
    op.create_index("ix_research_sessions_started_at", "research_sessions", ["started_at"])
    op.create_index("ix_research_sessions_status", "research_sessions", ["status"])
    op.create_table(
        "research_sources",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("research_session_id", sa.Text(), nullable=False),
        sa.Column("chat_id", sa.Text()),
        sa.Column("url", sa.Text(), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("snippet", sa.Text(), nullable=False),
        sa.Column("content", sa.Text()),
        sa.Column("is_cited", sa.Boolean(), nullable=False),
        sa.Column("step_index", sa.Integer()),
        sa.Column("step_title", sa.Text()),
        sa.Column("crawl_status", sa.Text(), nullable=False),
        sa.Column("error_reason", sa.Text()),
        sa.Column("source_type", sa.Text(), nullable=False),
        sa.Column("document_id", sa.Text()),
        sa.Column("citekey", sa.Text()),
        sa.Column("included", sa.Boolean(), nullable=False),
        sa.Column("exclusion_reason", sa.Text()),
        sa.Column("created_at", sa.Text(), nullable=False),
        sa.Column("ordinal", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_research_sources"),
        sa.ForeignKeyConstraint(
            ["research_session_id"],
            ["research_sessions.id"],
            ondelete="CASCADE",
            name="fk_research_sources_research_sessions",
        ),
        sa.UniqueConstraint("research_session_id", "url", name="uq_research_sources_session_url"),
    )
    op.create_table(
        "evidence_spans",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("source_id", sa.Text(), nullable=False),
        sa.Column("quote", sa.Text(), nullable=False),
        sa.Column("start_offset", sa.Integer()),
        sa.Column("end_offset", sa.Integer()),
        sa.Column("section_heading", sa.Text()),
        sa.Column("relevance_score", sa.Float(), nullable=False),
        sa.Column("has_numeric_content", sa.Boolean(), nullable=False),
        sa.Column("page", sa.Integer()),
        sa.Column("page_label", sa.Text()),
        sa.Column("regions", sa.Text(), nullable=False),
        sa.Column("citation", sa.Text()),
        sa.Column("address", sa.Text()),
        sa.Column("knowledge_uri", sa.Text()),
        sa.Column("step_index", sa.Integer()),
        sa.Column("created_at", sa.Text(), nullable=False),
        sa.Column("ordinal", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_evidence_spans"),
        sa.ForeignKeyConstraint(
            ["source_id"],
            ["research_sources.id"],
            ondelete="CASCADE",
            name="fk_evidence_spans_research_sources",
        ),
    )
    op.create_index("ix_evidence_spans_source_id", "evidence_spans", ["source_id"])
    op.create_table(
        "claims",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("message_id", sa.Text(), nullable=False),
        sa.Column("claim_text", sa.Text(), nullable=False),
        sa.Column("claim_type", sa.Text(), nullable=False),
        sa.Column("position_start", sa.Integer(), nullable=False),
        sa.Column("position_end", sa.Integer(), nullable=False),
        sa.Column("citation_key", sa.Text()),
        sa.Column("verdict", sa.Text()),
        sa.Column("confidence", sa.Float(), nullable=False),
        sa.Column("verification_reasoning", sa.Text()),
        sa.Column("correction", sa.Text(), nullable=False),
        sa.Column("created_at", sa.Text(), nullable=False),
        sa.Column("ordinal", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_claims"),
        sa.ForeignKeyConstraint(
            ["message_id"],
            ["messages.id"],
            ondelete="CASCADE",
            name="fk_claims_messages",
        ),
    )
    op.create_index("ix_claims_message_id", "claims", ["message_id"])
    op.create_table(
        "claim_citations",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("claim_id", sa.Text(), nullable=False),
        sa.Column("evidence_span_id", sa.Text(), nullable=False),
        sa.Column("confidence", sa.Float(), nullable=False),
        sa.Column("is_primary", sa.Boolean(), nullable=False),
        sa.Column("created_at", sa.Text(), nullable=False),
        sa.Column("ordinal", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_claim_citations"),
        sa.ForeignKeyConstraint(
            ["claim_id"],
            ["claims.id"],
            ondelete="CASCADE",
            name="fk_claim_citations_claims",
        ),
        sa.ForeignKeyConstraint(
            ["evidence_span_id"],
            ["evidence_spans.id"],
            ondelete="CASCADE",
            name="fk_claim_citations_evidence_spans",
        ),
    )
    op.create_index("ix_claim_citations_claim_id", "claim_citations", ["claim_id"])
    op.create_index("ix_claim_citations_evidence_span_id", "claim_citations", ["evidence_span_id"])
    op.create_table(
        "research_events",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("research_session_id", sa.Text(), nullable=False),
        sa.Column("sequence", sa.Integer(), nullable=False),
        sa.Column("event_type", sa.Text(), nullable=False),
        sa.Column("payload", sa.Text(), nullable=False),
        sa.Column("timestamp", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_research_events"),
        sa.ForeignKeyConstraint(
            ["research_session_id"],
            ["research_sessions.id"],
            ondelete="CASCADE",
            name="fk_research_events_research_sessions",
        ),
        sa.UniqueConstraint(
            "research_session_id", "sequence", name="uq_research_events_session_sequence"
        ),
    )
    op.create_table(
        "user_preferences",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("user_id", sa.Text(), nullable=False),
        sa.Column("system_instructions", sa.Text()),
        sa.Column("default_query_mode", sa.Text()),
        sa.Column("default_research_depth", sa.Text()),
        sa.Column("created_at", sa.Text(), nullable=False),
        sa.Column("updated_at", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_user_preferences"),
        sa.UniqueConstraint("user_id", name="uq_user_preferences_user_id"),
    )
    op.create_table(
        "message_feedback",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("message_id", sa.Text(), nullable=False),
        sa.Column("user_id", sa.Text(), nullable=False),
        sa.Column("rating", sa.Text(), nullable=False),
        sa.Column("feedback_text", sa.Text()),
        sa.Column("mlflow_trace_id", sa.Text()),
        sa.Column("created_at", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_message_feedback"),
        sa.ForeignKeyConstraint(
            ["message_id"],
            ["messages.id"],
            ondelete="CASCADE",
            name="fk_message_feedback_messages",
        ),
    )
    op.create_index("ix_message_feedback_message_id", "message_feedback", ["message_id"])


def downgrade() -> None:
    for table in (
        "message_feedback",
        "user_preferences",
        "research_events",
        "claim_citations",
        "claims",
        "evidence_spans",
        "research_sources",
        "research_sessions",
        "messages",
        "chats",
    ):
        op.drop_table(table)
