"""Commands about sessions of research: a file a command, or a few that belong together."""
