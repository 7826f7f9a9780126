"""Adapters of port ``LibrarySource``: Zotero database, local API, web API."""
