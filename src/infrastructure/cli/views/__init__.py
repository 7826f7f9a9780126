"""Results of commands as text."""
