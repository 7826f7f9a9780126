"""The commands ``backup`` and ``restore``."""
