"""Passages of answers in chats; messages before have none."""

from alembic import op
from sqlalchemy import Column, Text

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("messages", Column("passages", Text))
