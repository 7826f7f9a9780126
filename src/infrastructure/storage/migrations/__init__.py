"""Alembic's migrations of the catalogue."""
