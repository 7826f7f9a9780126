"""Configuration files of MCP clients: their places, and the entry of a server in them."""
