"""Requests with an idempotency key to a server without the package that understands it."""

from pathlib import Path

import pytest
from support.http_client import client_at
from support.http_server import serving
from support.world import World

from citeloom.infrastructure.http.guards import HEADER
from citeloom.infrastructure.plugins import Plugin


def test_a_change_with_a_key_is_refused_with_what_to_install_and_not_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("citeloom.infrastructure.serving.extension.plugins", lambda: (Plugin(),))
    key = {HEADER: "one"}
    with serving(World(tmp_path)) as address, client_at(f"{address}/api/v1") as rest:
        refused = rest.post("/chats", json={"title": "Ponds"}, headers=key)
        assert (refused.status_code, refused.json()["parameter"]) == (400, HEADER)
        assert 'pip install "citeloom[server]"' in refused.json()["detail"]
        assert rest.get("/chats", headers=key).json()["total"] == 0
        assert rest.post("/chats", json={"title": "Ponds"}).status_code == 201
