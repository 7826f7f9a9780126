"""The command *watch*."""
