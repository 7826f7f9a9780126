"""Adapters of the verification ports."""
