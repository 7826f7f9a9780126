"""Runs the migrations on the connection that ``upgrade`` hands over."""

from alembic import context

from citeloom.infrastructure.storage.schema import metadata

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=metadata,
    # All steps in one transaction: SQLite can do so when it is told (upgrade.py begins one).
    transactional_ddl=True,
)
with context.begin_transaction():
    context.run_migrations()
