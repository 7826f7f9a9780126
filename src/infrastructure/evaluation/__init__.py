"""Adapters for evaluation: datasets on disk and measures of rankings."""
