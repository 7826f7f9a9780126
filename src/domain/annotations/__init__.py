"""Annotations of readers, and where their words stand in a document."""
