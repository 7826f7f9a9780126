"""Embedding models (dense) and BM25 (sparse)."""
