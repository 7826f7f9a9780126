"""Sessions of MCP and cookies of browsers are those of one principal."""

from collections.abc import Iterator
from pathlib import Path

import anyio
import httpx2
import pytest
from support.http_client import client_at
from support.http_server import serving_application
from support.world import World

from citeloom.infrastructure.composition.application import Application
from citeloom.infrastructure.storage.catalogue import SqlCatalogue
from citeloom.infrastructure.system.workspace import Workspace, make_folder
from citeloom_server.domain.access import PrincipalNotFound
from citeloom_server.infrastructure.principals.serving import PrincipalSessions
from citeloom_server.infrastructure.principals.store import access_control

HEADERS = {"Accept": "application/json, text/event-stream", "MCP-Protocol-Version": "2025-11-25"}
HELLO = {
    "protocolVersion": "2025-11-25",
    "capabilities": {},
    "clientInfo": {"name": "t", "version": "1"},
}


@pytest.fixture
def application(tmp_path: Path) -> Iterator[Application]:
    workspace = Workspace(tmp_path)
    make_folder(workspace.home)
    opened = World(tmp_path, catalogue=SqlCatalogue(workspace.catalogue_url)).application
    yield opened
    opened.close()


def posted(client: httpx2.Client, token: str, method: str, session: str = "") -> httpx2.Response:
    bearer = {**HEADERS, "Authorization": f"Bearer {token}"}
    if session:
        bearer["Mcp-Session-Id"] = session
    params = HELLO if method == "initialize" else {}
    message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
    return client.post("/mcp", json=message, headers=bearer)


def test_a_session_is_that_of_the_principal_who_began_it(application: Application) -> None:
    ada, bob = (access_control(application).add(name).token for name in ("ada", "bob"))
    with serving_application(application) as address, client_at(address) as client:
        session = posted(client, ada, "initialize").headers["mcp-session-id"]
        assert posted(client, ada, "tools/list", session).status_code == 200
        assert posted(client, bob, "tools/list", session).status_code == 404
        access_control(application).remove("ada")
        assert posted(client, ada, "tools/list", session).status_code == 401


def test_a_cookie_names_its_principal_for_a_week_and_ends_with_the_token(
    application: Application,
) -> None:
    now = [1000.0]
    access = access_control(application)
    sessions = PrincipalSessions(access, lambda: now[0])
    ada, bob = (access.add(name).token for name in ("ada", "bob"))

    def named(cookie: str) -> str | None:
        caller = anyio.run(sessions.caller, cookie)
        return caller.name if caller else None

    cookie, other = (anyio.run(sessions.begin, token) for token in (ada, bob))
    assert cookie is not None
    assert other is not None
    assert (named(cookie), named(other)) == ("ada", "bob")
    assert anyio.run(sessions.begin, "x" * 43) is None
    secret, end = cookie.split(".", 1)
    assert named(f"{secret}.{other.split('.', 1)[1]}") is None
    known = access.of_token(ada)
    assert known is not None
    assert ada not in cookie
    for stored in (known.digests.token, known.digests.browser):
        assert stored not in cookie
        assert named(f"{stored}.{end}") is None
    now[0] += 8 * 24 * 3600
    assert named(cookie) is None
    now[0] = 1000.0
    access.renew("ada")
    assert named(cookie) is None
    with pytest.raises(PrincipalNotFound, match="carol"):
        access.renew("carol")
