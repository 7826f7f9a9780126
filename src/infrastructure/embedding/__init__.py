"""Vectors for texts: dense by fastembed, sparse by BM25."""
