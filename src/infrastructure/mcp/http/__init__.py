"""The server over streamable HTTP, and what it refuses before a call is read."""
