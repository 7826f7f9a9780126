"""Names of removed principals, under which chats and reviews are kept."""

from alembic import op
from sqlalchemy import Column, Text

revision = "0017"
down_revision = "0016"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "former_principals",
        Column("name", Text, primary_key=True),
        Column("removed_at", Text, nullable=False),
    )
