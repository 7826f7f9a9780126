"""A cluster of three Qdrant nodes of which one is away: no answer that looks whole and is not."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import httpx
import pytest
from support.command_line import Done, inside
from support.once import copied, made_once
from support.servers.qdrant_node import QdrantNode, needs_program, qdrant_cluster
from support.stores.indexed_library import answers, content, indexed_library
from support.stores.passages import DIMENSION, EVERYTHING, embedded

from citeloom.domain.errors import IndexUnavailable
from citeloom.infrastructure.composition.application import open_application
from citeloom_server.infrastructure.index.collection import ServerCollection
from citeloom_server.infrastructure.index.index import CollectionStorage, ServerIndex
from citeloom_server.infrastructure.index.server import Server

pytestmark = [pytest.mark.server, needs_program, pytest.mark.timeout(600)]
NAME = "proj-local-p"


@pytest.fixture
def nodes(tmp_path: Path) -> Iterator[list[QdrantNode]]:
    with qdrant_cluster(tmp_path / "cluster", 3) as running:
        yield running


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return made_once(tmp_path_factory, "indexed", lambda folder: indexed_library(folder, 8))


def an_index(node: QdrantNode, replicas: int, seconds: float = 15) -> ServerIndex:
    storage = CollectionStorage(shards=3, replicas=replicas)
    server = Server(node.server.url, None, timeout_seconds=seconds)
    return ServerIndex(server, model="tiny", storage=storage)


def filled(index: ServerIndex, documents: int = 12) -> None:
    with index.open(NAME, dimension=DIMENSION) as opened:
        for n in range(documents):
            opened.replace_document(f"d{n}", [embedded(f"d{n}", idx) for idx in range(10)])
        assert sum(opened.counts().values()) == 10 * documents


def whole_again(index: ServerIndex) -> None:
    """Once every copy of every shard answers."""
    until = time.monotonic() + 90
    while True:
        try:
            found = index.condition(NAME)
        except IndexUnavailable as error:
            told = str(error.message)
        else:
            assert found is not None
            if not found.warnings:
                return
            told = "; ".join(found.warnings)
        assert time.monotonic() < until, told
        time.sleep(0.2)


@pytest.mark.parametrize("asked", [0, 1])
def test_each_call_names_the_node_with_the_only_copy_of_a_shard(
    nodes: list[QdrantNode], asked: int
) -> None:
    """Asked of the node that leads the cluster, which knows who is away, and of another."""
    index = an_index(nodes[asked], replicas=1, seconds=4)
    filled(index)
    opened = ServerCollection(Server(nodes[asked].server.url, None, timeout_seconds=4), NAME, 4)
    calls: list[Callable[[], object]] = [
        lambda: opened.search(dense=(1, 0, 0, 0), sparse=None, filter=EVERYTHING, limit=5),
        opened.counts,
        opened.count,
        opened.info,
        lambda: list(opened.passages("d3")),
        lambda: opened.fetch([embedded("d3", idx).passage.chunk.id for idx in range(10)]),
        lambda: opened.replace_document("d3", [embedded("d3", idx) for idx in range(4)]),
        lambda: opened.delete_documents(["d4"]),
        lambda: index.condition(NAME),
    ]
    nodes[2].kill()
    for call in calls:
        with pytest.raises(IndexUnavailable) as caught:
            call()
        told = str(caught.value.message)
        assert nodes[2].address in told
        assert "start that node again" in told or (asked and "start it again" in told)
    nodes[2].start()
    whole_again(index)
    with index.open(NAME, dimension=DIMENSION) as again:
        again.replace_document("d3", [embedded("d3", idx) for idx in range(4)])
        again.delete_documents(["d4"])
        left = {f"d{n}": 10 for n in range(12) if n != 4} | {"d3": 4}
        assert again.counts() == left


def test_a_shard_whose_node_was_removed_is_told_to_be_lost(nodes: list[QdrantNode]) -> None:
    index = an_index(nodes[0], replicas=1, seconds=4)
    filled(index)
    nodes[2].kill()
    cluster = f"{nodes[0].server.url}/cluster"
    peers = httpx.get(cluster).json()["result"]["peers"]
    [gone] = [id for id, info in peers.items() if info["uri"].rstrip("/") == nodes[2].address]
    httpx.delete(f"{cluster}/peer/{gone}", params={"force": True}).raise_for_status()
    for call in (lambda: list(index.open(NAME, dimension=DIMENSION).__enter__().passages()),
                 lambda: index.condition(NAME)):  # fmt: skip
        with pytest.raises(IndexUnavailable, match=r"is on no node any more"):
            call()
    index.drop(NAME)
    filled(index)


def test_with_two_copies_nothing_is_lost_while_a_node_is_killed_under_writes(
    nodes: list[QdrantNode],
) -> None:
    index = an_index(nodes[0], replicas=2, seconds=30)
    filled(index)
    failed: list[BaseException] = []

    def write() -> None:
        try:
            for n in range(12, 40):
                with index.open(NAME, dimension=DIMENSION) as opened:
                    opened.replace_document(f"d{n}", [embedded(f"d{n}", idx) for idx in range(10)])
        except BaseException as error:
            failed.append(error)

    writer = threading.Thread(target=write)
    writer.start()
    time.sleep(0.3)
    nodes[2].kill()
    with index.open(NAME, dimension=DIMENSION) as opened:
        hits = opened.search(dense=(1, 0, 0, 0), sparse=None, filter=EVERYTHING, limit=500)
        assert len(hits) >= 120
    writer.join()
    assert failed == []
    found = index.condition(NAME)
    assert found is not None
    assert found.warnings
    assert all("has 1 of 2 copies" in told for told in found.warnings)
    nodes[2].start()
    whole_again(index)
    nodes[1].kill()
    with index.open(NAME, dimension=DIMENSION) as opened:
        assert opened.counts() == {f"d{n}": 10 for n in range(40)}


def test_commands_say_that_a_node_is_away_and_go_on_once_it_is_back(
    library: Path, tmp_path: Path, nodes: list[QdrantNode]
) -> None:
    workspace = copied(library, tmp_path / "workspace")
    url = nodes[0].server.url
    settings = f'[index]\nurl = "{url}"\nshards = 3\ntimeout_seconds = 4\n'
    (workspace / "citeloom.toml").write_text(settings, "utf-8")
    passages = content(workspace, {})[1]
    paper = tmp_path / "paper.md"
    paper.write_text("# Ponds\n\nThe cooling by ponds is gone at one hundred metres.\n", "utf-8")

    def run(*arguments: str) -> Done:
        return inside(*arguments, workspace=workspace)

    assert run("project", "move", "p", "--to", url).code == 0
    before = answers(workspace, {})  # by words not those of one shard: each counts for itself
    nodes[2].kill()
    commands = (
        ("query", "ba ce di", "-p", "p"),
        ("inspect", "-p", "p"),
        ("ingest", str(paper), "-p", "p"),
        ("validate", "-p", "p"),
    )
    for command in commands:
        done = run(*command)
        assert done.code != 0, command
        told = " ".join((done.out + done.err).replace("│", " ").split())
        assert nodes[2].address in told.replace(" ", ""), told
    nodes[2].start()
    assert _until_answered(workspace) == before
    assert content(workspace, {})[1] == passages
    done = run("ingest", str(paper), "-p", "p")
    assert done.code == 0, done.err
    with closing(open_application(workspace)) as application:
        project = application.stores.catalogue.projects()[0]
        documents = application.stores.catalogue.documents(project.id)
        assert len(documents) == 9
    assert len(content(workspace, {})[1]) == len(passages) + documents[-1].chunks


def _until_answered(workspace: Path) -> object:
    until = time.monotonic() + 60
    while True:
        try:
            return answers(workspace, {})
        except IndexUnavailable:
            assert time.monotonic() < until
            time.sleep(0.3)
