"""Synchronisation of a project with a reference library (Zotero)."""
