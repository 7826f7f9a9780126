"""Answers of the tools as JSON."""
