"""Index on a Qdrant server."""
