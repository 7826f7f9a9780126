"""Port of access: principals with the digests of their tokens, and roles in projects."""

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol

from citeloom.domain.projects.project import ProjectId
from citeloom.domain.value import Value
from citeloom_server.domain.access import Principal, Rights, Role


class TokenDigests(Value):
    """sha256 (hex) of a token, and of the secret that browsers have instead of it. Neither can be
    found from them."""

    token: str
    browser: str


class KnownToken(Value):
    """The digests of a principal's token, and its rights."""

    digests: TokenDigests
    rights: Rights


class PrincipalStore(Protocol):
    """Principals and their roles. Each method is one transaction, durable when it returns. Roles
    end with their principal and with their project. Any method may raise StorageFailed and
    WorkspaceTooNew. Reading creates nothing."""

    def add(self, principal: Principal, digests: TokenDigests, *, again: bool = False) -> None:
        """Raises PrincipalExists, and FormerPrincipal for the name of a removed one unless it is
        wanted ``again``."""

    def renew(self, name: str, digests: TokenDigests) -> None:
        """Replace the token. Raises PrincipalNotFound."""

    def remove(self, name: str, at: datetime) -> None:
        """The name stays known. Raises PrincipalNotFound."""

    def grant(self, name: str, project_id: ProjectId, role: Role) -> None:
        """Insert or replace. Raises PrincipalNotFound, ProjectNotFound."""

    def revoke(self, name: str, project_id: ProjectId) -> bool:
        """Returns whether there was a role."""

    def all(self) -> Sequence[Rights]:
        """Ordered by name."""

    def rights(self, name: str) -> Rights | None:
        """None for an unknown principal."""

    def with_token(self, digest: str) -> KnownToken | None:
        """Whose token has this digest."""

    def with_browser_secret(self, digest: str) -> KnownToken | None:
        """Whose browser secret has this digest."""
