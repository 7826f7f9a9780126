"""Bringing a project in step with a reader's library."""
