"""The installed command with its index on a server: a double on the loopback, or a real one."""

from collections.abc import Iterator
from contextlib import closing, nullcontext
from pathlib import Path

import pytest
import yaml
from support.command_line import Done, inside
from support.paths import ROOT
from support.servers.qdrant import KINDS, qdrant_server
from support.servers.qdrant_double import QdrantDouble

from citeloom.domain.errors import IndexUnavailable
from citeloom.domain.projects.project import EmbeddingModel, IndexPlace
from citeloom.infrastructure.composition.application import open_application

pytestmark = pytest.mark.server

KEY = "a-key-that-nobody-may-see"
TEXT = "# Ponds\n\n## Results\n\nThe cooling by ponds is gone at one hundred metres.\n"
OTHER = "# Grids\n\n## Results\n\nThe square grid has the smallest error of all.\n"


@pytest.fixture
def double() -> Iterator[QdrantDouble]:
    with QdrantDouble(api_key=KEY) as made:
        yield made


@pytest.fixture
def library(tmp_path: Path) -> Path:
    (tmp_path / "papers").mkdir()
    (tmp_path / "papers" / "ponds.md").write_text(TEXT, encoding="utf-8")
    (tmp_path / "papers" / "grids.md").write_text(OTHER, encoding="utf-8")
    return tmp_path


def run(library: Path, *arguments: str, key: str = KEY, **more: str) -> Done:
    return inside(*arguments, workspace=library, CITELOOM_INDEX__API_KEY=key, **more)


def asked(library: Path, key: str) -> tuple[str, float]:
    question = "How far does the cooling reach?"
    done = run(library, "query", question, "-p", "p", "--json", key=key)
    assert done.code == 0, done.err
    best = done.json["items"][0]
    return best["text"], best["score"]


@pytest.mark.parametrize("kind", KINDS)
def test_a_project_lives_on_a_server_moves_home_and_back(library: Path, kind: str) -> None:
    with qdrant_server(kind, api_key=KEY) as server:

        def command(*arguments: str) -> Done:
            done = run(library, *arguments, key=server.api_key)
            assert done.code == 0, done.err
            return done

        (library / "citeloom.toml").write_text(f'[index]\nurl = "{server.url}"\n', "utf-8")
        command("ingest", str(library / "papers"), "-p", "p", "--json")
        assert not (library / ".citeloom" / "index").exists()
        assert server.collections() == {"proj-local-p"}
        text, score = asked(library, server.api_key)
        assert "one hundred metres" in text
        assert command("project", "show", "p", "--json").json["index"] == server.url

        done = command("project", "move", "p", "--to", "local", "--drop-old", "--json")
        assert done.json["dropped"] == [server.url]
        assert server.collections() == set()

        done = command("project", "move", "p", "--to", server.url)
        assert f"now at {server.url}" in done.out
        assert "a copy is still at local" in done.err
        moved_text, moved_score = asked(library, server.api_key)
        assert (moved_text, moved_score) == (text, pytest.approx(score, abs=1e-3))
        if server.double is not None:
            assert any(path.endswith("/query/batch") for _, path, _ in server.double.seen)
        command("project", "delete", "p", "--yes")
        assert server.collections() == set()
        assert not (library / ".citeloom" / "index" / "proj-local-p" / "shard").exists()


def test_a_wrong_key_and_no_server_are_said_in_one_line_and_no_key_is_shown(
    library: Path, double: QdrantDouble
) -> None:
    wrong = {"CITELOOM_INDEX__API_KEY": KEY + "-wrong", "CITELOOM_INDEX__URL": double.url}
    done = inside("project", "create", "p", workspace=library, **wrong)
    assert (done.code, done.err.count("\n")) == (4, 1), done.err
    assert "CITELOOM_INDEX__API_KEY" in done.err
    assert KEY not in done.out + done.err
    url = double.url
    double.stop()
    away = {"CITELOOM_INDEX__URL": url, "CITELOOM_INDEX__TIMEOUT_SECONDS": "0.5"}
    done = run(library, "project", "create", "p", **away)
    assert (done.code, done.err.count("\n")) == (4, 1), done.err
    assert f"{url}: " in done.err
    assert "check that the server runs" in done.err
    assert KEY not in done.out + done.err


def test_the_key_is_not_among_the_settings_that_are_listed(tmp_path: Path) -> None:
    done = run(tmp_path, "config", "--json")
    assert done.json["settings"]["index.api_key"] == {"value": "***", "origin": "environment"}
    assert KEY not in done.out + done.err


def test_a_url_that_is_none_is_refused(library: Path) -> None:
    done = inside("config", workspace=library, CITELOOM_INDEX__URL="http://me:secret@host")
    assert done.code == 2
    assert "index.url (environment)" in done.err
    assert "secret" not in done.err


def test_the_containers_listen_on_the_loopback_alone_and_have_fixed_versions() -> None:
    services = yaml.safe_load((ROOT / "config" / "compose.yaml").read_text("utf-8"))["services"]
    assert set(services) == {"qdrant", "postgres"}
    for service in services.values():
        assert all(port.startswith("127.0.0.1:") for port in service["ports"])
        _, _, tag = service["image"].partition(":")
        assert tag not in ("", "latest")


def test_the_key_goes_to_the_configured_server_only(tmp_path: Path, double: QdrantDouble) -> None:
    model = EmbeddingModel(name="tiny", dimension=2, digest="0f" * 32, max_tokens=8)
    place = IndexPlace(url=double.url)
    for url, sent in (("", KEY), (double.url, KEY), ("http://127.0.0.1:9", None)):
        double.keys.clear()
        flags = {"index": {"api_key": KEY, "url": url}}
        with closing(open_application(tmp_path, flags)) as application:
            index = application.stores.index.at(place, model)
            with nullcontext() if sent else pytest.raises(IndexUnavailable, match="API key"):
                index.exists("p")
        assert set(double.keys) == {sent}
