"""Keeping a project in step with what changes."""
