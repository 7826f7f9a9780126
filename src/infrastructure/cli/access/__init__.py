"""Commands about the principals of a server."""
