"""A server where no package adds principals or operation."""

from pathlib import Path
from typing import Any

import pytest
from support.http_client import client_at
from support.http_server import serving
from support.world import World

from citeloom.domain.errors import ConfigurationError
from citeloom.infrastructure.serving import extension
from citeloom.infrastructure.serving.extension import ServerExtension, server_extension
from citeloom.infrastructure.storage.catalogue import SqlCatalogue
from citeloom.infrastructure.system.workspace import Workspace, make_folder
from citeloom_server.infrastructure.principals.store import access_control

INSTALL = r'pip install "citeloom\[server\]"'


@pytest.fixture(autouse=True)
def no_plugins(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(extension, "plugins", tuple)


def test_it_answers_pages_and_routes_with_their_headers(tmp_path: Path) -> None:
    with serving(World(tmp_path)) as address, client_at(address) as client:
        answer = client.get("/api/v1/projects")
        assert answer.json()["total"] == 0
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert client.get("/library").status_code == 200
        assert client.get("/metrics").status_code == 404


def test_a_workspace_with_principals_is_refused(tmp_path: Path) -> None:
    make_folder(Workspace(tmp_path).home)
    catalogue = SqlCatalogue(Workspace(tmp_path).catalogue_url)
    application = World(tmp_path, catalogue=catalogue).application
    access_control(application).add("ada")
    with pytest.raises(ConfigurationError, match=INSTALL):
        server_extension(application).serving()
    application.close()


@pytest.mark.parametrize(
    ("section", "name", "value"),
    [
        ("serve", "metrics_token", "m" * 40),
        ("serve", "traces", True),
        ("log", "access", True),
        ("quota", "requests_per_minute", 60),
        ("audit", "reads", True),
        ("audit", "days", 30),
    ],
)
def test_settings_of_what_is_absent_are_refused(
    tmp_path: Path, section: str, name: str, value: Any
) -> None:
    plain = ServerExtension(World(tmp_path, settings={section: {name: value}}).application)
    with pytest.raises(ConfigurationError, match=rf"{section}\.{name}.*{INSTALL}"):
        plain.operation(plain.serving())
