"""The command *evaluate*."""
