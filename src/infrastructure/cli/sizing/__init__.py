"""The command *plan*."""
