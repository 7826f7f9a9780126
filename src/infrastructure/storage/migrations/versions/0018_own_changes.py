"""Persons' own metadata of documents, the citations without them, several reference files."""

from alembic import op
from sqlalchemy import Column, ForeignKey, Integer, Text

revision = "0018"
down_revision = "0017"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "own_changes",
        Column("project_id", Text, ForeignKey("projects.id", ondelete="CASCADE"), primary_key=True),
        Column("number", Integer, primary_key=True),
        Column("document_id", Text, nullable=False),
        Column("what", Text, nullable=False),
        Column("body", Text, nullable=False),
    )
    op.create_index(
        "ix_own_changes_project_id_document_id", "own_changes", ["project_id", "document_id"]
    )
    op.add_column("documents", Column("item", Text))
    op.add_column("projects", Column("more_references", Text))
