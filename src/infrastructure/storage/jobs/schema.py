"""Tables of jobs and of answers to requests with a key, in the catalogue's database
(decisions/0050). Times and structured values are texts as in the other tables.
"""

from sqlalchemy import Boolean, Column, ForeignKey, Index, Integer, Table, Text

from citeloom.infrastructure.storage.research.schema import metadata as metadata  # all tables

workers = Table(
    "workers",
    metadata,
    Column("id", Text, primary_key=True),
    Column("heard_at", Text, nullable=False),
)

jobs = Table(
    "jobs",
    metadata,
    Column("id", Text, primary_key=True),
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
    Index(None, "status"),
    Index(None, "session"),
    Index(None, "project"),
    Index(None, "created_at"),
    Index(None, "ended_at"),
)

job_events = Table(
    "job_events",
    metadata,
    Column("job_id", Text, ForeignKey("jobs.id", ondelete="CASCADE"), primary_key=True),
    Column("number", Integer, primary_key=True),
    Column("progress", Text, nullable=False),
)

given_answers = Table(
    "given_answers",
    metadata,
    Column("owner", Text, primary_key=True),
    Column("key", Text, primary_key=True),
    Column("target", Text, nullable=False),
    Column("worker", Text, nullable=False),
    Column("begun_at", Text, nullable=False),
    Column("digest", Text),
    Column("status", Integer),
    Column("headers", Text),
    Column("body", Text),
    Index(None, "begun_at"),
)
