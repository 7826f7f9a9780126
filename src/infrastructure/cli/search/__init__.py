"""The command *query*."""
