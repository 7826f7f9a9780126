"""Mappers of code and data."""
