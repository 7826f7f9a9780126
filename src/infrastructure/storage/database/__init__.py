"""Connections to SQLite and PostgreSQL, and schema upgrades."""
