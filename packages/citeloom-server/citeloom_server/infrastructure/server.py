"""What a group's server adds to that of one person."""

from citeloom.infrastructure.serving.extension import ServerExtension
from citeloom_server.infrastructure.principals.serving import WorkspacePrincipals, principals_of


class GroupServer(ServerExtension):
    """Its principals."""

    def principals(self) -> WorkspacePrincipals | None:
        return principals_of(self.application)
