"""MCP server: tools with compact answers."""
