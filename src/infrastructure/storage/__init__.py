"""Adapters of the catalogue and of the stores in its database."""
