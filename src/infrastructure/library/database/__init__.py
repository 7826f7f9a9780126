"""Zotero's SQLite database, read from a copy."""
