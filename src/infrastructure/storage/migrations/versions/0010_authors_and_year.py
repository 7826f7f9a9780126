"""Authors and year that a document states itself; unknown for documents stored before."""

from alembic import op
from sqlalchemy import Column, Integer, Text

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("documents", Column("authors", Text))
    op.add_column("documents", Column("year", Integer))
