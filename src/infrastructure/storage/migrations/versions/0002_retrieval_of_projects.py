"""How a project is searched: sentence vectors, fusion."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("projects", sa.Column("retrieval", sa.Text()))


def downgrade() -> None:
    op.drop_column("projects", "retrieval")
