"""Options, output, progress and error handling of all commands."""
