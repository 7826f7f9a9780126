"""Readers and writers of the formats of reference files."""
