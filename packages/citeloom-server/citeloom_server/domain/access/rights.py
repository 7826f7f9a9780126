"""Rights of a principal: what it may see, change and create."""

from collections.abc import Mapping
from datetime import UTC, datetime

from citeloom.domain.errors import NotPermitted
from citeloom.domain.projects.project_id import ProjectId
from citeloom.domain.value import Value
from citeloom_server.domain.access.principal import Principal, Role


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
        """Another once a role was taken away, and for another principal of the name: what was
        kept for the former is not shown any more."""
        return f"{self.principal.created_at:%Y%m%dT%H%M%S%f}-{self.revocations}"

    def may_read(self, project_id: ProjectId) -> bool:
        return self.is_administrator or project_id.value in self.roles

    def may_change(self, project_id: ProjectId) -> bool:
        return self.is_administrator or self.roles.get(project_id.value) is Role.OWNER

    def may_create(self, project_id: ProjectId) -> bool:
        """Others create in the namespace of their own name: an id that is taken elsewhere would
        tell that there is such a project."""
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
        f"{project_id}: this name cannot be had; choose another one, or ask an administrator",
        project_id=project_id.value,
    )


def only_administrators(what: str, instead: str) -> NotPermitted:
    return NotPermitted(f"{what} for administrators of this server; {instead}")


def nobody(name: str) -> Rights:
    """Those of a principal who was removed."""
    return Rights(principal=Principal(name=name, created_at=datetime.min.replace(tzinfo=UTC)))
