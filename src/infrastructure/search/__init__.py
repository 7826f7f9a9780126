"""Adapters of port ``Index``: Qdrant Edge in the process, a Qdrant server."""
