"""Jobs with their events, the processes that work on them, and answers to requests with a key."""

from alembic import op
from sqlalchemy import Boolean, Column, ForeignKeyConstraint, Integer, PrimaryKeyConstraint, Text

revision = "0015"
down_revision = "0014"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "workers",
        Column("id", Text, nullable=False),
        Column("heard_at", Text, nullable=False),
        PrimaryKeyConstraint("id", name="pk_workers"),
    )
    op.create_table(
        "jobs",
        Column("id", Text, nullable=False),
        Column("kind", Text, nullable=False),
        Column("project", Text, nullable=False),
        Column("owner", Text, nullable=False),
        Column("session", Text),
        Column("digest", Text, nullable=False),
        Column("asked", Text, nullable=False),
        Column("status", Text, nullable=False),
        Column("progress", Text, nullable=False),
        Column("sequence", Integer, nullable=False),
        Column("failure", Text),
        Column("result", Text),
        Column("cancelling", Boolean, nullable=False),
        Column("worker", Text, nullable=False),
        Column("created_at", Text, nullable=False),
        Column("ended_at", Text),
        PrimaryKeyConstraint("id", name="pk_jobs"),
    )
    for column in ("status", "session", "project", "created_at", "ended_at"):
        op.create_index(f"ix_jobs_{column}", "jobs", [column])
    op.create_table(
        "job_events",
        Column("job_id", Text, nullable=False),
        Column("number", Integer, nullable=False),
        Column("progress", Text, nullable=False),
        ForeignKeyConstraint(
            ["job_id"], ["jobs.id"], name="fk_job_events_jobs", ondelete="CASCADE"
        ),
        PrimaryKeyConstraint("job_id", "number", name="pk_job_events"),
    )
    op.create_table(
        "given_answers",
        Column("owner", Text, nullable=False),
        Column("key", Text, nullable=False),
        Column("target", Text, nullable=False),
        Column("worker", Text, nullable=False),
        Column("begun_at", Text, nullable=False),
        Column("digest", Text),
        Column("status", Integer),
        Column("headers", Text),
        Column("body", Text),
        PrimaryKeyConstraint("owner", "key", name="pk_given_answers"),
    )
    op.create_index("ix_given_answers_begun_at", "given_answers", ["begun_at"])
