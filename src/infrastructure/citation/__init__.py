"""Adapters of the citation ports."""
