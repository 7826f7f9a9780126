"""Ports of a server for many users."""
