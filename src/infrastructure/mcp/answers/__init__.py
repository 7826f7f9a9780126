"""JSON answers of the tools."""
