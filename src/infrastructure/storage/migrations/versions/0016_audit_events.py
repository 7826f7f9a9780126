"""Events of the audit trail."""

from alembic import op
from sqlalchemy import Column, Integer, Text

revision = "0016"
down_revision = "0015"
branch_labels = None
depends_on = None


def upgrade() -> None:
    names = ("time", "origin", "action", "principal", "project", "object", "outcome", "request_id")
    op.create_table(
        "audit_events",
        Column("id", Text, primary_key=True),
        *(Column(name, Text, nullable=False) for name in names),
        Column("count", Integer, nullable=False),
    )
    op.create_index("ix_audit_events_time_id", "audit_events", ["time", "id"])
