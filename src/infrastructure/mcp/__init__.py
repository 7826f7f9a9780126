"""The MCP server: tools in, compact answers out."""
