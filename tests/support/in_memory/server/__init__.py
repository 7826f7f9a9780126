"""In-memory adapters of the ports of a server."""
