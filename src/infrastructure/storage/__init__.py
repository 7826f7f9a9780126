"""Adapters of the catalogue and the stores in its database."""
