"""Sizing: what an installation for so many papers takes."""
