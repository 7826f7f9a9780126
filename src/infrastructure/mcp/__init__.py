"""Agents over the Model Context Protocol: tools in, compact answers out."""
