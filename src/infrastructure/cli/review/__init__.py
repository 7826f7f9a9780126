"""The command *review*."""
