"""The command *verify*."""
