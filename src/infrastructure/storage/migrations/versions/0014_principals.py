"""Principals of a server, and their roles in projects."""

from alembic import op
from sqlalchemy import Boolean, Column, ForeignKey, Integer, Text

revision = "0014"
down_revision = "0012"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "principals",
        Column("name", Text, primary_key=True),
        Column("is_administrator", Boolean, nullable=False),
        Column("token_digest", Text, nullable=False, unique=True),
        Column("browser_digest", Text, nullable=False, unique=True),
        Column("revocations", Integer, nullable=False),
        Column("created_at", Text, nullable=False),
    )
    op.create_table(
        "roles",
        Column(
            "principal", Text, ForeignKey("principals.name", ondelete="CASCADE"), primary_key=True
        ),
        Column("project_id", Text, ForeignKey("projects.id", ondelete="CASCADE"), primary_key=True),
        Column("role", Text, nullable=False),
    )
