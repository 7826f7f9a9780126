"""Libraries that projects follow, and how they hold documents."""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("documents", sa.Column("held", sa.Text()))
    op.create_table(
        "followed",
        sa.Column("project_id", sa.Text(), nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("project_id", name="pk_followed"),
        sa.ForeignKeyConstraint(
            ["project_id"],
            ["projects.id"],
            ondelete="CASCADE",
            name="fk_followed_projects",
        ),
    )
    op.create_table(
        "entries",
        sa.Column("project_id", sa.Text(), nullable=False),
        sa.Column("entry", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("scope", sa.Text(), nullable=False),
        sa.Column("item", sa.Text()),
        sa.Column("digest", sa.Text(), nullable=False),
        sa.Column("document_id", sa.Text()),
        sa.Column("path", sa.Text()),
        sa.Column("size", sa.BigInteger()),
        sa.Column("mtime_ns", sa.BigInteger()),
        sa.Column("annotations", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("project_id", "entry", name="pk_entries"),
        sa.ForeignKeyConstraint(
            ["project_id"],
            ["projects.id"],
            ondelete="CASCADE",
            name="fk_entries_projects",
        ),
    )


def downgrade() -> None:
    op.drop_table("entries")
    op.drop_table("followed")
    op.drop_column("documents", "held")
