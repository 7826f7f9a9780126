"""Converters of every format but PDF."""
