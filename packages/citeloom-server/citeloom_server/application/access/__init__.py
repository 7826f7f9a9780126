"""Principals of a server, and what each of them sees of the workspace."""
