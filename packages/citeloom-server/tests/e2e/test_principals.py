"""A server with principals, by the installed command: queries with each token, changes of roles
while it serves, logins of browsers."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx2
import pytest
from support.command_line import citeloom
from support.http_client import client_at
from support.once import copied
from support.served import served

pytestmark = pytest.mark.server
PROJECT = "local/samples"
LOGIN = "/login"


def access(workspace: Path, *arguments: str) -> str:
    """What ``citeloom access`` prints."""
    done = citeloom("access", *arguments, workspace=workspace)
    assert done.code == 0, done.err
    return done.out.strip()


@contextmanager
def asking(address: str, token: str) -> Iterator[httpx2.Client]:
    bearer = {"Authorization": f"Bearer {token}"}
    with client_at(f"{address}/api/v1", headers=bearer) as client:
        yield client


@pytest.fixture
def workspace(samples: Path, tmp_path: Path) -> Path:
    return copied(samples, tmp_path / "group")


def test_each_token_sees_its_own_and_roles_change_while_it_serves(workspace: Path) -> None:
    tokens = {name: access(workspace, "add", name) for name in ("ada", "bob")}
    access(workspace, "grant", "ada", PROJECT, "reader")
    asked = {"project": PROJECT, "text": "how far does a pond cool the evening air"}
    with (
        served(workspace) as address,
        asking(address, tokens["ada"]) as ada,
        asking(address, tokens["bob"]) as bob,
        client_at(address) as nobody,
    ):
        assert nobody.get("/api/v1/projects").status_code == 401
        assert nobody.post("/mcp", json={}).status_code == 401
        assert ada.post("/query", json=asked).json()["count"] > 0
        refused = bob.post("/query", json=asked)
        assert (refused.status_code, refused.json()["code"]) == (404, "INVALID_PROJECT")

        access(workspace, "grant", "bob", PROJECT, "owner")
        access(workspace, "revoke", "ada", PROJECT)
        assert bob.post("/query", json=asked).json()["count"] > 0
        assert ada.post("/query", json=asked).status_code == 404

        made = ada.post("/projects", json={"name": "ada/reading"})
        assert made.status_code == 201, made.text
        assert ada.post("/projects", json={"name": "reading"}).status_code == 403
        roles = json.loads(access(workspace, "list", "--json"))["principals"][0]["roles"]
        assert roles == {"ada/reading": "owner"}

        done = citeloom("audit", "--principal", "ada", "--json", workspace=workspace)
        assert "ada/reading" in done.out or "create_project" in done.out, done.out + done.err

        renewed = access(workspace, "renew", "bob")
        assert bob.get("/projects").status_code == 401
        access(workspace, "remove", "ada")
        assert ada.get("/projects").status_code == 401
        refused = citeloom("access", "add", "ada", workspace=workspace)
        assert refused.code == 3
        assert "--again" in refused.err
        with asking(address, renewed) as again:
            assert again.get("/projects").json()["total"] == 1


def test_a_login_names_its_principal_and_ends_with_the_token(workspace: Path) -> None:
    token = access(workspace, "add", "ada")
    access(workspace, "grant", "ada", PROJECT, "reader")
    with served(workspace) as address, client_at(address) as browser:
        assert browser.get("/ask", headers={"Accept": "text/html"}).status_code == 303
        assert browser.post(LOGIN, data={"token": "x" * 43}).status_code == 401
        assert browser.post(LOGIN, data={"token": token}).status_code == 303
        page = browser.get(f"/library?project={PROJECT}")
        assert "szelkuti" in page.text.casefold()
        assert browser.get("/api/v1/projects").json()["total"] == 1
        assert browser.post("/api/v1/chats", json={}).status_code == 403  # not from the page
        assert browser.post("/mcp", json={}).status_code == 403
        access(workspace, "renew", "ada")
        assert browser.get("/api/v1/projects").status_code == 401


def test_the_one_token_and_principals_are_a_contradiction(workspace: Path) -> None:
    access(workspace, "add", "ada")
    done = citeloom("serve", "--port", "0", workspace=workspace, CITELOOM_MCP__TOKEN="t" * 43)
    assert done.code == 2
    assert "mcp.token: the principals of this workspace have tokens of their own" in done.err
