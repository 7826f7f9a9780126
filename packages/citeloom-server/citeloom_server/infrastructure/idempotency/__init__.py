"""Requests that are sent again with the same key, and done once."""
