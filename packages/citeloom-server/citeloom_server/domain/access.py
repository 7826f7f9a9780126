"""Who may do what: principals, their roles in projects, their rights."""

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from enum import StrEnum
from typing import Annotated, Final

from pydantic import AfterValidator, Field

from citeloom.domain.errors import InvalidRequest, NotPermitted, Refused, shown
from citeloom.domain.messages import Action, NextStep
from citeloom.domain.projects.project import DEFAULT_NAMESPACE, ProjectId
from citeloom.domain.value import Value

# Also the namespace of the projects that the principal creates.
_NAME: Final = re.compile(r"[a-z0-9](?:[a-z0-9._-]{0,38}[a-z0-9])?")


class Role(StrEnum):
    """What a principal is to a project: a ``reader`` sees all of it, an ``owner`` also changes and
    deletes it."""

    READER = "reader"
    OWNER = "owner"


def principal_name(text: str) -> str:
    """Raises InvalidRequest for an invalid name of a principal."""
    if not _NAME.fullmatch(text) or text == DEFAULT_NAMESPACE:
        raise InvalidRequest(
            f"{shown(text)}: no name of a principal: write 1 to 40 small letters a-z, digits, "
            f"'.', '_' and '-', first and last a letter or digit, and not {DEFAULT_NAMESPACE!r}",
            parameter="name",
        )
    return text


class Principal(Value):
    """Somebody whom a server knows by a token. An administrator may do everything in all
    projects."""

    name: Annotated[str, Field(pattern=_NAME.pattern), AfterValidator(principal_name)]
    is_administrator: bool = False
    created_at: datetime


class PrincipalNotFound(Refused):
    def __init__(self, name: str) -> None:
        super().__init__(f"{shown(name)}: no such principal here", name=name)


class PrincipalExists(Refused):
    def __init__(self, name: str) -> None:
        super().__init__(
            f"{name}: is a principal already; renew its token",
            name=name,
        )


class FormerPrincipal(Refused):
    def __init__(self, name: str, removed_at: datetime) -> None:
        super().__init__(
            f"{name}: a principal of this name was removed on {removed_at:%Y-%m-%d}, and the "
            "new holder would see its chats, reviews and drafts; choose another name",
            NextStep(Action.ADD_AGAIN),
            name=name,
        )


class Rights(Value):
    """A principal with its roles, by project id. ``revocations`` counts the roles that were taken
    from it."""

    principal: Principal
    roles: Mapping[str, Role] = {}
    revocations: int = 0

    @property
    def name(self) -> str:
        return self.principal.name

    @property
    def is_administrator(self) -> bool:
        return self.principal.is_administrator

    @property
    def stamp(self) -> str:
        """Changes when a role is taken away, and for another principal of the name, so cached data
        of the former is not shown."""
        return f"{self.principal.created_at:%Y%m%dT%H%M%S%f}-{self.revocations}"

    def may_read(self, project_id: ProjectId) -> bool:
        return self.is_administrator or project_id.value in self.roles

    def may_change(self, project_id: ProjectId) -> bool:
        return self.is_administrator or self.roles.get(project_id.value) is Role.OWNER

    def may_create(self, project_id: ProjectId) -> bool:
        """Others create in the namespace of their own name: an id that is taken elsewhere would say
        that there is such a project."""
        return self.is_administrator or project_id.namespace == self.name


def only_owners(rights: Rights, project_id: ProjectId) -> NotPermitted:
    return NotPermitted(
        f"{project_id}: {rights.name} may read this project, and not change it; its owners may",
        project_id=project_id.value,
    )


def only_in_own_namespace(rights: Rights, project_id: ProjectId) -> NotPermitted:
    """Says the same whether or not there is a project of this id."""
    return NotPermitted(
        f"{project_id}: {rights.name} may create projects in the namespace {rights.name} only; "
        f"name it {rights.name}/{project_id.name}, or let an administrator create it",
        project_id=project_id.value,
    )


def name_is_taken(project_id: ProjectId) -> NotPermitted:
    """In the principal's own namespace, by a project in which it has no role."""
    return NotPermitted(
        f"{project_id}: this name is not available; choose another one, or ask an administrator",
        project_id=project_id.value,
    )


def only_administrators(what: str, instead: str) -> NotPermitted:
    return NotPermitted(f"{what} for administrators of this server; {instead}")


def nobody(name: str) -> Rights:
    """The rights of a removed principal."""
    return Rights(principal=Principal(name=name, created_at=datetime.min.replace(tzinfo=UTC)))
