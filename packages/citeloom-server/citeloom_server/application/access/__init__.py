"""Principals of a server, and the part of the workspace that each sees."""
