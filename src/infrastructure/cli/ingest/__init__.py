"""The command *ingest*."""
