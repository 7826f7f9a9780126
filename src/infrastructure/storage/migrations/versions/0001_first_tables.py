"""Projects, documents, sources, aliases, citations."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "projects",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("folded_id", sa.Text(), nullable=False),
        sa.Column("collection", sa.Text(), nullable=False),
        sa.Column("model_name", sa.Text(), nullable=False),
        sa.Column("model_dimension", sa.Integer(), nullable=False),
        sa.Column("model_digest", sa.Text(), nullable=False),
        sa.Column("model_max_tokens", sa.Integer(), nullable=False),
        sa.Column("sparse_model", sa.Text(), nullable=False),
        sa.Column("references_json", sa.Text()),
        sa.Column("hybrid_enabled", sa.Boolean(), nullable=False),
        sa.Column("created_at", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_projects"),
        sa.UniqueConstraint("folded_id", name="uq_projects_folded_id"),
    )
    op.create_table(
        "documents",
        sa.Column("project_id", sa.Text(), nullable=False),
        sa.Column("document_id", sa.Text(), nullable=False),
        sa.Column("title", sa.Text()),
        sa.Column("mime_type", sa.Text(), nullable=False),
        sa.Column("pages", sa.Integer(), nullable=False),
        sa.Column("chunks", sa.Integer(), nullable=False),
        sa.Column("language", sa.Text()),
        sa.Column("identifiers", sa.Text(), nullable=False),
        sa.Column("conversion", sa.Text(), nullable=False),
        sa.Column("chunking", sa.Text(), nullable=False),
        sa.Column("embedding", sa.Text(), nullable=False),
        sa.Column("citation_how", sa.Text()),
        sa.Column("references_digest", sa.Text()),
        sa.Column("warnings", sa.Text(), nullable=False),
        sa.Column("stored_at", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("project_id", "document_id", name="pk_documents"),
        sa.ForeignKeyConstraint(
            ["project_id"],
            ["projects.id"],
            ondelete="CASCADE",
            name="fk_documents_projects",
        ),
    )
    op.create_index("ix_documents_document_id", "documents", ["document_id"])
    op.create_table(
        "sources",
        sa.Column("project_id", sa.Text(), nullable=False),
        sa.Column("path", sa.Text(), nullable=False),
        sa.Column("document_id", sa.Text(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("size", sa.BigInteger(), nullable=False),
        sa.Column("mtime_ns", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("project_id", "path", name="pk_sources"),
        _to_document("sources"),
    )
    op.create_index("ix_sources_project_id_document_id", "sources", ["project_id", "document_id"])
    op.create_table(
        "aliases",
        sa.Column("project_id", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("value", sa.Text(), nullable=False),
        sa.Column("document_id", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("project_id", "kind", "value", "document_id", name="pk_aliases"),
        _to_document("aliases"),
    )
    op.create_index("ix_aliases_project_id_document_id", "aliases", ["project_id", "document_id"])
    op.create_table(
        "citations",
        sa.Column("project_id", sa.Text(), nullable=False),
        sa.Column("document_id", sa.Text(), nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("project_id", "document_id", name="pk_citations"),
        _to_document("citations"),
    )


def _to_document(table: str) -> sa.ForeignKeyConstraint:
    return sa.ForeignKeyConstraint(
        ["project_id", "document_id"],
        ["documents.project_id", "documents.document_id"],
        ondelete="CASCADE",
        name=f"fk_{table}_documents",
    )


def downgrade() -> None:
    for table in ("citations", "aliases", "sources", "documents", "projects"):
        op.drop_table(table)
