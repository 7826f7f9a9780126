"""``citeloom zotero`` over Zotero's two APIs, which stand on the loopback here."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from support.zotero.account import articles, attachment, key_of
from support.zotero.api_double import API_KEY, ZoteroDouble
from typer.testing import CliRunner, Result

from citeloom.infrastructure.cli.app import app


@pytest.fixture
def zotero(monkeypatch: pytest.MonkeyPatch) -> Iterator[ZoteroDouble]:
    monkeypatch.setattr("citeloom.infrastructure.library.api._SECONDS_BETWEEN_REQUESTS", 0.0)
    with ZoteroDouble() as double:
        double.user.put(*articles(3), attachment("PDFAAAAA", key_of(1), "a.pdf"))
        for name, value in (("LOCAL_URL", double.url), ("WEB_URL", double.web_url),
                            ("BETTER_BIBTEX", f"{double.url}/better-bibtex/json-rpc"),
                            ("API_KEY", API_KEY)):  # fmt: skip
            monkeypatch.setenv(f"CITELOOM_ZOTERO__{name}", value)
        yield double


def run(workspace: Path, *arguments: str) -> Result:
    return CliRunner().invoke(app, ["zotero", *arguments, "--workspace", str(workspace)])


def test_the_local_api_is_asked_in_silence(zotero: ZoteroDouble, tmp_path: Path) -> None:
    shown = run(tmp_path, "items", "--source", "local-api", "--json")
    assert shown.exit_code == 0
    document = json.loads(shown.stdout)
    assert (document["source"], document["total"]) == ("local API", 3)
    assert "network" not in shown.stderr
    assert zotero.requests("/api/users/0/items")


def test_whatever_asks_the_network_says_so(zotero: ZoteroDouble, tmp_path: Path) -> None:
    shown = run(tmp_path, "status", "--source", "web-api", "--json")
    assert shown.exit_code == 0
    assert "using the network: web API" in shown.stderr
    assert json.loads(shown.stdout)["attachments"] == 1
    assert not zotero.requests("/file")


def test_what_does_not_answer_is_passed_over_and_told(
    zotero: ZoteroDouble, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CITELOOM_ZOTERO__DATA_DIR", str(tmp_path / "nothing"))
    zotero.local_enabled = False
    shown = run(tmp_path, "items", "--source", "local-first", "--json")
    assert shown.exit_code == 0
    document = json.loads(shown.stdout)
    assert (document["source"], document["total"]) == ("web API", 3)
    database, local, *_ = document["warnings"]
    assert str(tmp_path / "nothing") in database
    assert "local API" in local


def test_nobody_there_is_an_error_that_says_what_to_do(
    zotero: ZoteroDouble, tmp_path: Path
) -> None:
    zotero.stop()
    shown = run(tmp_path, "status", "--source", "local-api")
    assert shown.exit_code == 4
    assert "start Zotero" in shown.stderr
    assert API_KEY not in shown.stderr
