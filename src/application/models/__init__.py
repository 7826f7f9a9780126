"""Embedding models of projects: catalogue, migration, re-embedding."""
