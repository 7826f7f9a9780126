"""Tables of papers and questions: their columns and cells."""

from alembic import op
from sqlalchemy import Column, ForeignKey, Integer, Text

revision = "0019"
down_revision = "0018"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "table_columns",
        Column("project_id", Text, ForeignKey("projects.id", ondelete="CASCADE"), primary_key=True),
        Column("question", Text, primary_key=True),
        Column("number", Integer, nullable=False),
    )
    op.create_table(
        "table_cells",
        Column("project_id", Text, ForeignKey("projects.id", ondelete="CASCADE"), primary_key=True),
        Column("document_id", Text, primary_key=True),
        Column("question", Text, primary_key=True),
        Column("version", Text, nullable=False),
        Column("body", Text, nullable=False),
    )
