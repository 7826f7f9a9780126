"""Judges of claims that take more than words and numbers."""
