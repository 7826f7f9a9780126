"""Adapters of the map ports: mappers, foreign maps."""
