"""Which languages a project has is asked with every question."""

from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_index("ix_documents_project_id_language", "documents", ["project_id", "language"])


def downgrade() -> None:
    op.drop_index("ix_documents_project_id_language", "documents")
