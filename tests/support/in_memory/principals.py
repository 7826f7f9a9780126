"""In-memory adapter of principals and roles."""

from collections.abc import Callable, Sequence
from datetime import datetime

from support.in_memory.stores import InMemoryCatalogue

from citeloom.domain.projects.project import ProjectId
from citeloom_server.application.access.ports import KnownToken, TokenDigests
from citeloom_server.domain.access import (
    FormerPrincipal,
    Principal,
    PrincipalExists,
    PrincipalNotFound,
    Rights,
    Role,
)


class InMemoryPrincipalStore:
    """Roles hold in projects of ``catalogue``."""

    def __init__(self, catalogue: InMemoryCatalogue) -> None:
        self._catalogue = catalogue
        catalogue.on_delete.append(self._end_roles)
        self._principals: dict[str, tuple[Principal, TokenDigests]] = {}
        self._roles: dict[str, dict[str, Role]] = {}
        self._revocations: dict[str, int] = {}
        self._removed_at: dict[str, datetime] = {}

    def add(self, principal: Principal, digests: TokenDigests, *, again: bool = False) -> None:
        if principal.name in self._principals:
            raise PrincipalExists(principal.name)
        if principal.name in self._removed_at and not again:
            raise FormerPrincipal(principal.name, self._removed_at[principal.name])
        self._removed_at.pop(principal.name, None)
        self._principals[principal.name] = principal, digests
        self._roles[principal.name], self._revocations[principal.name] = {}, 0

    def renew(self, name: str, digests: TokenDigests) -> None:
        self._principals[name] = self._principal(name)[0], digests

    def remove(self, name: str, at: datetime) -> None:
        self._principal(name)
        self._removed_at[name] = at
        del self._principals[name], self._roles[name]

    def grant(self, name: str, project_id: ProjectId, role: Role) -> None:
        self._principal(name)
        self._catalogue.project(project_id)
        self._roles[name][project_id.value] = role

    def revoke(self, name: str, project_id: ProjectId) -> bool:
        if self._roles.get(name, {}).pop(project_id.value, None) is None:
            return False
        self._revocations[name] += 1
        return True

    def all(self) -> Sequence[Rights]:
        return [self._rights(name) for name in sorted(self._principals)]

    def rights(self, name: str) -> Rights | None:
        return self._rights(name) if name in self._principals else None

    def with_token(self, digest: str) -> KnownToken | None:
        return self._known(lambda one: one.token == digest)

    def with_browser_secret(self, digest: str) -> KnownToken | None:
        return self._known(lambda one: one.browser == digest)

    def close(self) -> None: ...

    def _known(self, fits: Callable[[TokenDigests], bool]) -> KnownToken | None:
        found = (
            KnownToken(digests=digests, rights=self._rights(name))
            for name, (_, digests) in self._principals.items()
            if fits(digests)
        )
        return next(found, None)

    def _principal(self, name: str) -> tuple[Principal, TokenDigests]:
        if name not in self._principals:
            raise PrincipalNotFound(name)
        return self._principals[name]

    def _rights(self, name: str) -> Rights:
        return Rights(
            principal=self._principals[name][0],
            roles=dict(self._roles[name]),
            revocations=self._revocations[name],
        )

    def _end_roles(self, project_id: ProjectId) -> None:
        for roles in self._roles.values():
            roles.pop(project_id.value, None)
