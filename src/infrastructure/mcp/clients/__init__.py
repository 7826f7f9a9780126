"""Configuration files of MCP clients: where they lie, and the entry of a server in them."""
