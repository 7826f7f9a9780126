"""Folders whose files a project holds; unknown for projects filled before."""

from alembic import op
from sqlalchemy import Column, Text

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("projects", Column("folders", Text))
