"""The configuration files of reference installations, with servers of this machine in place of
the named ones."""

import tomllib
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from support.command_line import citeloom, inside
from support.dask_cluster import dask_cluster
from support.paths import LIBRARY, ROOT
from support.servers.postgresql import PostgresServer
from support.servers.qdrant_double import QdrantDouble

pytestmark = pytest.mark.server

Answers = list[tuple[str, list[str], str]]
PAPER = LIBRARY / "papers" / "unhurried-page.pdf"
QUESTION = "How long does a page take to read?"


@pytest.fixture(scope="module")
def laptop(tmp_path_factory: pytest.TempPathFactory) -> Answers:
    workspace = tmp_path_factory.mktemp("laptop") / "w"
    installation("citeloom", workspace, {})
    return answers(workspace)


@pytest.fixture
def catalogue(postgres_server: PostgresServer) -> Iterator[str]:
    name = postgres_server.new_database()
    yield postgres_server.url(name)
    postgres_server.drop_database(name)


def installation(name: str, workspace: Path, servers: dict[str, str]) -> dict[str, Any]:
    """The file in the workspace, its servers replaced; what the file itself says."""
    text = (ROOT / "config" / f"{name}.toml").read_text("utf-8")
    told = tomllib.loads(text)
    for place, server in servers.items():
        section, setting = place.split(".")
        text = text.replace(f'{setting} = "{told[section][setting]}"', f'{setting} = "{server}"')
    workspace.mkdir()
    (workspace / "citeloom.toml").write_text(text, "utf-8")
    return told


def answers(workspace: Path) -> Answers:
    """Of the paper, which is ingested there, and found whole."""
    done = citeloom("ingest", PAPER, "--project", "p", "--json", workspace=workspace)
    assert done.code == 0, done.err
    done = inside("validate", "-p", "p", "--json", workspace=workspace)
    assert [one["message"] for one in done.json["checks"] if one["status"] == "FAIL"] == []
    done = inside("query", QUESTION, "-p", "p", "--json", workspace=workspace)
    assert done.code == 0, done.err
    return [(one["address"], one["page_labels"], one["text"]) for one in done.json["items"]]


def test_the_server_of_a_group_answers_as_a_laptop_does(
    laptop: Answers, tmp_path: Path, catalogue: str
) -> None:
    with QdrantDouble() as qdrant:
        storage = tmp_path / "storage"
        servers = {"catalogue.url": catalogue, "index.url": qdrant.url, "storage.url": str(storage)}
        installation("group-server", tmp_path / "w", servers)
        assert answers(tmp_path / "w") == laptop
        assert any(storage.rglob("*"))
        assert not (tmp_path / "w" / ".citeloom" / "catalogue.sqlite").exists()


def test_a_cluster_answers_as_a_laptop_does(
    laptop: Answers, tmp_path: Path, catalogue: str, bucket: str
) -> None:
    with ExitStack() as stack:
        qdrant = stack.enter_context(QdrantDouble())
        dask = stack.enter_context(dask_cluster(workers=1, processes=True))
        servers = {
            "catalogue.url": catalogue,
            "storage.url": f"{bucket}/group",
            "index.url": qdrant.url,
            "ingest.scheduler": dask.scheduler_address,
        }
        told = installation("cluster", tmp_path / "w", servers)
        found = answers(tmp_path / "w")
        # Each of the two parts of the index counts by itself how rare a word is.
        assert found[:4] == laptop[:4]
        assert sorted(found) == sorted(laptop)
        made = next(body for _, _, body in qdrant.seen if body and "shard_number" in body)
        assert made["shard_number"] == told["index"]["shards"]
        assert made["replication_factor"] == told["index"]["replicas"]
