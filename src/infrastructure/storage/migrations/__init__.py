"""Alembic's steps from each schema of the catalogue to the next."""
