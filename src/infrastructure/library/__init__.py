"""Adapters of the library port: Zotero database, local and web API."""
