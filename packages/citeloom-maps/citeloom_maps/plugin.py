"""What this package adds to CiteLoom."""

from citeloom.infrastructure.plugins import Plugin


class MapsPlugin(Plugin):
    """Resource maps of code, recordings, JSON and other tools' output for CiteLoom."""
