"""The HTTP interface: REST under ``/api/v1``, and MCP at ``/mcp``."""
