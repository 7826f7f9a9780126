"""Every store of principals does the same: in memory, on SQLite, through SQLAlchemy, on
PostgreSQL."""

from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

import pytest
from support.in_memory.principals import InMemoryPrincipalStore
from support.in_memory.stores import InMemoryCatalogue
from support.stores.catalogues import HERE, STORES, THERE, a_project, reopening

from citeloom.application.ports.catalogue import Catalogue
from citeloom.domain.errors import ProjectNotFound
from citeloom.domain.projects.project import ProjectId
from citeloom.infrastructure.storage.catalogue import SqlCatalogue
from citeloom_server.application.access.access import digests_of
from citeloom_server.application.access.ports import PrincipalStore
from citeloom_server.domain.access import (
    FormerPrincipal,
    Principal,
    PrincipalExists,
    PrincipalNotFound,
    Role,
)
from citeloom_server.infrastructure.principals.store import SqlPrincipalStore

CREATED = datetime(2026, 3, 1, 12, tzinfo=UTC)
REMOVED = datetime(2026, 5, 1, tzinfo=UTC)
ADA, BOB = Principal(name="ada", created_at=CREATED), Principal(name="bob", created_at=CREATED)
ROOT = Principal(name="root", is_administrator=True, created_at=CREATED)


class Stored(NamedTuple):
    """``open`` opens the store, as another process would where there can be one."""

    open: Callable[[], PrincipalStore]
    catalogue: Catalogue


@pytest.fixture(params=STORES)
def stored(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Stored]:
    memory = InMemoryCatalogue()
    for project in (HERE, THERE):
        memory.add_project(a_project(project))
    catalogues: list[Catalogue] = []

    def sql(url: str) -> SqlPrincipalStore:
        catalogues.append(SqlCatalogue(url))
        return SqlPrincipalStore(url)

    for reopen in reopening(request, tmp_path, lambda: InMemoryPrincipalStore(memory), sql):
        reopen()
        yield Stored(reopen, catalogues[0] if catalogues else memory)
    for catalogue in catalogues:
        catalogue.close()


def roles_of(store: PrincipalStore, name: str = "ada") -> Mapping[str, Role]:
    found = store.rights(name)
    assert found is not None
    return found.roles


def test_principals_come_back_by_name_with_their_roles(stored: Stored) -> None:
    store = stored.open()
    assert list(store.all()) == []
    for one in (ROOT, BOB, ADA):
        store.add(one, digests_of(f"token of {one.name}"))
    store.grant("bob", THERE, Role.OWNER)
    store.grant("bob", HERE, Role.READER)
    ada, bob, root = stored.open().all()
    assert (ada.principal, ada.roles) == (ADA, {})
    assert (bob.principal, bob.roles) == (
        BOB,
        {HERE.value: Role.READER, THERE.value: Role.OWNER},
    )
    assert root.is_administrator
    assert store.rights("bob") == bob
    assert store.rights("nobody") is None


def test_a_token_is_found_by_its_digest_until_it_is_renewed(stored: Stored) -> None:
    store = stored.open()
    first, second = digests_of("first"), digests_of("second")
    assert store.with_token(first.token) is None
    store.add(ADA, first)
    found = stored.open().with_token(first.token)
    assert found is not None
    assert (found.rights.principal, found.digests) == (ADA, first)
    assert store.with_browser_secret(first.browser) == found
    assert store.with_token(first.browser) is store.with_browser_secret(first.token) is None
    store.renew("ada", second)
    assert stored.open().with_token(first.token) is None
    assert store.with_browser_secret(first.browser) is None
    renewed = store.with_token(second.token)
    assert renewed is not None
    assert renewed.rights.principal == ADA


def test_a_name_is_one_principal(stored: Stored) -> None:
    store = stored.open()
    store.add(ADA, digests_of("first"))
    with pytest.raises(PrincipalExists, match="ada"):
        store.add(ADA, digests_of("second"))
    assert store.with_token(digests_of("second").token) is None


def test_a_principal_has_one_role_in_a_project_until_it_is_revoked(stored: Stored) -> None:
    store = stored.open()
    store.add(ADA, digests_of("first"))
    store.grant("ada", HERE, Role.READER)
    store.grant("ada", HERE, Role.OWNER)
    assert roles_of(stored.open()) == {HERE.value: Role.OWNER}
    assert not store.revoke("ada", THERE)
    assert store.revoke("ada", HERE)
    assert not store.revoke("ada", HERE)
    assert roles_of(stored.open()) == {}


def test_roles_need_a_principal_and_a_project(stored: Stored) -> None:
    store = stored.open()
    with pytest.raises(PrincipalNotFound, match="ada"):
        store.grant("ada", HERE, Role.READER)
    store.add(ADA, digests_of("first"))
    with pytest.raises(ProjectNotFound, match="local/none"):
        store.grant("ada", ProjectId.parse("none"), Role.READER)
    for call in (lambda: store.renew("bob", digests_of("b")), lambda: store.remove("bob", REMOVED)):
        with pytest.raises(PrincipalNotFound, match="bob"):
            call()
    assert not store.revoke("bob", HERE)


def test_roles_end_with_the_principal(stored: Stored) -> None:
    store = stored.open()
    store.add(ADA, digests_of("first"))
    store.grant("ada", HERE, Role.OWNER)
    store.remove("ada", REMOVED)
    assert stored.open().rights("ada") is None
    assert store.with_token(digests_of("first").token) is None
    store.add(ADA, digests_of("second"), again=True)
    assert roles_of(store) == {}


def test_the_name_of_a_removed_principal_is_used_again_on_request_only(stored: Stored) -> None:
    store = stored.open()
    for number in range(2):
        store.add(ADA, digests_of(f"token {number}"), again=bool(number))
        store.remove("ada", REMOVED)
        with pytest.raises(FormerPrincipal, match=r"ada.*2026-05-01"):
            stored.open().add(ADA, digests_of("another"))
        assert store.all() == []
    store.add(BOB, digests_of("of bob"), again=True)
    with pytest.raises(PrincipalExists):
        store.add(BOB, digests_of("of another"), again=True)


def test_roles_end_with_the_project(stored: Stored) -> None:
    store = stored.open()
    store.add(ADA, digests_of("first"))
    store.grant("ada", HERE, Role.OWNER)
    stored.catalogue.delete_project(HERE)
    stored.catalogue.add_project(a_project(HERE))
    assert roles_of(stored.open()) == {}


def test_what_was_taken_away_is_counted(stored: Stored) -> None:
    store = stored.open()
    store.add(ADA, digests_of("first"))

    def stamp() -> str:
        found = stored.open().rights("ada")
        assert found is not None
        return found.stamp

    before = stamp()
    store.grant("ada", HERE, Role.OWNER)
    store.revoke("ada", THERE)
    assert stamp() == before
    store.revoke("ada", HERE)
    after = stamp()
    assert after != before
    store.grant("ada", HERE, Role.OWNER)
    assert stamp() == after
