"""Zotero's local API and its web API."""
