"""The commands ``mcp``."""
