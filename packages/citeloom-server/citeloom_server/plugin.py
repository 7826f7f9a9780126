"""What this package adds to CiteLoom."""

from citeloom.infrastructure.plugins import Plugin


class ServerPlugin(Plugin):
    """A group's server: principals, operation, servers of index and catalogue, clusters."""
