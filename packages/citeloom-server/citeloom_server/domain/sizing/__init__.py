"""Sizing: the needs of an installation for a number of papers."""
