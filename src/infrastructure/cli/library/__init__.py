"""The commands *zotero* and *ingest --zotero*."""
