"""Servers over HTTP: names, tokens, the gate, and the end of requests."""
