"""Adapters of the index port: Qdrant Edge and a Qdrant server."""
