"""Passages of several embedding models a project."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("projects", sa.Column("others", sa.Text()))
    op.create_table(
        "indexed",
        sa.Column("project_id", sa.Text(), nullable=False),
        sa.Column("collection", sa.Text(), nullable=False),
        sa.Column("document_id", sa.Text(), nullable=False),
        sa.Column("chunks", sa.Integer(), nullable=False),
        sa.Column("conversion", sa.Text(), nullable=False),
        sa.Column("chunking", sa.Text(), nullable=False),
        sa.Column("embedding", sa.Text(), nullable=False),
        sa.Column("cited", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("project_id", "collection", "document_id", name="pk_indexed"),
        sa.ForeignKeyConstraint(
            ["project_id"],
            ["projects.id"],
            ondelete="CASCADE",
            name="fk_indexed_projects",
        ),
    )


def downgrade() -> None:
    op.drop_table("indexed")
    op.drop_column("projects", "others")
