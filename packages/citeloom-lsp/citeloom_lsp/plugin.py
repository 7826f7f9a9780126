"""What this package adds to CiteLoom."""

from citeloom.infrastructure.plugins import Plugin


class LspPlugin(Plugin):
    """CiteLoom in an editor, over the Language Server Protocol."""
