"""Labels of what is seen of resources."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "labels",
        sa.Column("project_id", sa.Text(), nullable=False),
        sa.Column("target", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("document_id", sa.Text()),
        sa.Column("value", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("project_id", "target", "name", name="pk_labels"),
        sa.ForeignKeyConstraint(
            ["project_id"],
            ["projects.id"],
            ondelete="CASCADE",
            name="fk_labels_projects",
        ),
    )
    op.create_index("ix_labels_project_id_document_id", "labels", ["project_id", "document_id"])


def downgrade() -> None:
    op.drop_table("labels")
