"""Embedding models behind an HTTP endpoint."""
