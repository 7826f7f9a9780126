"""Principals and roles in the catalogue's database (port ``PrincipalStore``)."""

from collections.abc import Sequence
from datetime import datetime
from secrets import token_urlsafe

from citeloom.domain.errors import ProjectNotFound
from citeloom.domain.projects.project import ProjectId
from citeloom.infrastructure.composition.application import Application
from citeloom.infrastructure.storage.database.database import (
    ConflictError,
    Reading,
    Row,
    insert_into,
    put_into,
)
from citeloom.infrastructure.storage.database.store import SqlStore
from citeloom_server.application.access.access import AccessControl
from citeloom_server.application.access.ports import KnownToken, PrincipalStore, TokenDigests
from citeloom_server.domain.access import (
    FormerPrincipal,
    Principal,
    PrincipalExists,
    PrincipalNotFound,
    Rights,
    Role,
)

_FORMER = "SELECT removed_at FROM former_principals WHERE name = :name"
_ROLES = "SELECT project_id, role FROM roles WHERE principal = :name ORDER BY project_id"

_REVOKE = "DELETE FROM roles WHERE principal = :name AND project_id = :project_id"
_COUNT_REVOCATION = "UPDATE principals SET revocations = revocations + 1 WHERE name = :name"


class SqlPrincipalStore(SqlStore):
    def add(self, principal: Principal, digests: TokenDigests, *, again: bool = False) -> None:
        name = {"name": principal.name}
        row = {
            "name": principal.name,
            "is_administrator": principal.is_administrator,
            "token_digest": digests.token,
            "browser_digest": digests.browser,
            "revocations": 0,
            "created_at": principal.created_at.isoformat(),
        }
        try:
            with self._database.writing() as transaction:
                former = transaction.rows(_FORMER, name)
                if former and not again:
                    removed_at = datetime.fromisoformat(former[0]["removed_at"])
                    raise FormerPrincipal(principal.name, removed_at)
                transaction.run("DELETE FROM former_principals WHERE name = :name", name)
                transaction.run(insert_into("principals", row), row)
        except ConflictError:
            raise PrincipalExists(principal.name) from None

    def renew(self, name: str, digests: TokenDigests) -> None:
        changed = self._run(
            "UPDATE principals SET token_digest = :token, browser_digest = :browser "
            "WHERE name = :name",
            {"name": name, "token": digests.token, "browser": digests.browser},
        )
        if not changed:
            raise PrincipalNotFound(name)

    def remove(self, name: str, at: datetime) -> None:
        row = {"name": name, "removed_at": at.isoformat()}
        with self._database.writing() as transaction:
            if not transaction.run("DELETE FROM principals WHERE name = :name", {"name": name}):
                raise PrincipalNotFound(name)
            transaction.run(insert_into("former_principals", row), row)

    def grant(self, name: str, project_id: ProjectId, role: Role) -> None:
        row = {"principal": name, "project_id": project_id.value, "role": role.value}
        try:
            with self._database.writing() as transaction:
                if not _found(transaction, "name", name):
                    raise PrincipalNotFound(name)
                transaction.run(put_into("roles", row, "principal, project_id"), row)
        except ConflictError:
            raise ProjectNotFound(project_id.value) from None

    def revoke(self, name: str, project_id: ProjectId) -> bool:
        key = {"name": name, "project_id": project_id.value}
        with self._database.writing() as transaction:
            revoked = transaction.run(_REVOKE, key)
            if revoked:
                transaction.run(_COUNT_REVOCATION, {"name": name})
        return bool(revoked)

    def all(self) -> Sequence[Rights]:
        with self._database.reading() as transaction:
            rows = transaction.rows("SELECT * FROM principals", {})
            found = [_known(transaction, row).rights for row in rows]
        return sorted(found, key=lambda one: one.name)

    def rights(self, name: str) -> Rights | None:
        found = self._one("name", name)
        return found.rights if found else None

    def with_token(self, digest: str) -> KnownToken | None:
        return self._one("token_digest", digest)

    def with_browser_secret(self, digest: str) -> KnownToken | None:
        return self._one("browser_digest", digest)

    def _one(self, column: str, value: str) -> KnownToken | None:
        with self._database.reading() as transaction:
            rows = _found(transaction, column, value)
            return _known(transaction, rows[0]) if rows else None


def _found(transaction: Reading, column: str, value: str) -> list[Row]:
    return transaction.rows(f"SELECT * FROM principals WHERE {column} = :value", {"value": value})


def _known(transaction: Reading, row: Row) -> KnownToken:
    roles = transaction.rows(_ROLES, {"name": row["name"]})
    return KnownToken(
        digests=TokenDigests(token=row["token_digest"], browser=row["browser_digest"]),
        rights=Rights(
            principal=Principal(
                name=row["name"],
                is_administrator=bool(row["is_administrator"]),
                created_at=datetime.fromisoformat(row["created_at"]),
            ),
            roles={one["project_id"]: Role(one["role"]) for one in roles},
            revocations=row["revocations"],
        ),
    )


def principal_store(application: Application) -> PrincipalStore:
    """The principals of a workspace."""
    return application.stores.other("principals", SqlPrincipalStore)


def access_control(application: Application) -> AccessControl:
    """The verbs of access control."""
    stores = application.stores
    # 256 random bits.
    return AccessControl(
        principal_store(application), stores.catalogue, stores.clock, lambda: token_urlsafe(32)
    )
