"""The verbs about principals: add, renew, remove, grant, revoke, and whose a token is."""

import hashlib
import hmac
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from citeloom.application.ports.catalogue import Catalogue
from citeloom.application.ports.system import Clock
from citeloom.domain.projects.project import ProjectId
from citeloom.domain.value import Value
from citeloom_server.domain.access import Principal, PrincipalNotFound, Rights, Role, principal_name

from .ports import KnownToken, PrincipalStore, TokenDigests


class IssuedToken(Value):
    """A token, shown once: only digests of it are stored."""

    principal: Principal
    token: str


@dataclass(frozen=True, slots=True)
class AccessControl:
    """Principals of the workspace. ``new_token`` makes a token that nobody can guess."""

    store: PrincipalStore
    catalogue: Catalogue
    clock: Clock
    new_token: Callable[[], str]

    def add(self, name: str, *, administrator: bool = False, again: bool = False) -> IssuedToken:
        """Add a principal; a removed one only ``again``. Raises InvalidRequest for an invalid name,
        PrincipalExists, FormerPrincipal."""
        principal = Principal(
            name=principal_name(name),
            is_administrator=administrator,
            created_at=self.clock.now(),
        )
        token = self.new_token()
        self.store.add(principal, digests_of(token), again=again)
        return IssuedToken(principal=principal, token=token)

    def renew(self, name: str) -> IssuedToken:
        """Another token; the one before ends at once. Raises PrincipalNotFound."""
        token = self.new_token()
        self.store.renew(name, digests_of(token))
        return IssuedToken(principal=self.show(name).principal, token=token)

    def remove(self, name: str) -> None:
        """Its token and its roles end at once; projects stay. Raises PrincipalNotFound."""
        self.store.remove(name, self.clock.now())

    def grant(self, name: str, project_id: ProjectId, role: Role) -> Rights:
        """Raises PrincipalNotFound, ProjectNotFound."""
        self.show(name)
        self.store.grant(name, self.catalogue.project(project_id).id, role)
        return self.show(name)

    def revoke(self, name: str, project_id: ProjectId) -> bool:
        """Whether there was a role to end. Raises PrincipalNotFound."""
        self.show(name)
        return self.store.revoke(name, project_id)

    def all(self) -> Sequence[Rights]:
        return self.store.all()

    def show(self, name: str) -> Rights:
        """Raises PrincipalNotFound."""
        if (found := self.store.rights(name)) is None:
            raise PrincipalNotFound(name)
        return found

    def of_token(self, token: str) -> KnownToken | None:
        """The principal of a token, None if unknown. Looked up each time: a token ends at once."""
        return self.store.with_token(_digest(token))

    def of_browser_secret(self, secret: str) -> KnownToken | None:
        return self.store.with_browser_secret(_digest(secret))


def browser_secret(token: str) -> str:
    """What a browser that has shown the token keeps in its place: the token cannot be found from
    it, and a copy of the database does not hold it."""
    return hmac.new(token.encode(), b"citeloom browser", hashlib.sha256).hexdigest()


def digests_of(token: str) -> TokenDigests:
    return TokenDigests(token=_digest(token), browser=_digest(browser_secret(token)))


def _digest(secret: str) -> str:
    """Tokens are random: no salt and no slow hash is needed."""
    return hashlib.sha256(secret.encode()).hexdigest()
