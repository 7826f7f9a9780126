"""Fidelity of the stored text of a document's pages; unknown for documents stored before."""

from alembic import op
from sqlalchemy import Column, Text

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("documents", Column("fidelity", Text))
