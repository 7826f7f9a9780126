"""Nodes that are away, a full disk, optimizers that fail: what a server's collection is said to be.

The answers of the double are those of a real cluster of three nodes, 1.18.3.
"""

from collections.abc import Iterator
from typing import Any

import pytest
from support.builders import a_project
from support.servers.qdrant import QdrantServer
from support.servers.qdrant_double import Fault, QdrantDouble

from citeloom.application.validation.checks import Status, server_condition
from citeloom.domain.errors import IndexUnavailable
from citeloom.domain.search.filters import Filter
from citeloom.infrastructure.search.edge.index import EdgeIndex
from citeloom_server.infrastructure.index.collection import ServerCollection
from citeloom_server.infrastructure.index.index import CollectionStorage, ServerIndex
from citeloom_server.infrastructure.index.server import ATTEMPTS, Server

pytestmark = pytest.mark.server

NAME = a_project().collection
NODES = {1: "http://10.0.0.1:6335", 2: "http://10.0.0.2:6335", 3: "http://10.0.0.3:6335"}
GONE = (
    "Service internal error: 1 of 1 read operations failed:\n  Service internal error: Tonic "
    "status error: code: 'The service is currently unavailable', message: \"Failed to connect to "
    'http://10.0.0.3:6335/, error: transport error"'
)
FULL = (
    "Service internal error: No space left on device: WAL buffer size exceeds available disk space"
)


@pytest.fixture
def double() -> Iterator[QdrantDouble]:
    with QdrantDouble() as made:
        yield made


def an_index(double: QdrantDouble, replicas: int = 1) -> ServerIndex:
    """With its collection made, on a server that never waits."""
    storage = CollectionStorage(shards=3, replicas=replicas)
    server = Server(double.url, None, sleep=lambda _: None)
    index = ServerIndex(server, model="tiny", storage=storage)
    with index.open(NAME, dimension=2):
        return index


def clustered(
    double: QdrantDouble, *remote: tuple[int, int, str], silent: tuple[int, ...] = ()
) -> None:
    """Node 1 is asked and has shard 0; ``remote`` are shard, node and state of other copies."""
    double.store.cluster = {
        "status": "enabled",
        "peer_id": 1,
        "peers": {str(number): {"uri": f"{uri}/"} for number, uri in NODES.items()},
        "raft_info": {
            "term": 1, "commit": 9, "pending_operations": 0, "role": "Leader", "is_voter": True,
        },
        "consensus_thread_status": {
            "consensus_thread_status": "working", "last_update": "2026-11-25T10:00:00Z",
        },
        "message_send_failures": {
            f"{NODES[number]}/": {"count": 3, "latest_error": "away"} for number in silent
        },
    }  # fmt: skip
    double.store.placements[NAME] = {
        "peer_id": 1,
        "shard_count": 3,
        "local_shards": [{"shard_id": 0, "points_count": 7, "state": "Active"}],
        "remote_shards": [
            {"shard_id": shard, "peer_id": node, "state": state} for shard, node, state in remote
        ],
        "shard_transfers": [],
    }


def ask(index: ServerIndex) -> None:
    with index.open(NAME, dimension=2) as opened:
        opened.search(dense=(1.0, 0.0), sparse=None, filter=Filter(), limit=5)


def test_a_shard_on_a_node_that_is_away_is_named_with_its_node(double: QdrantDouble) -> None:
    index = an_index(double)
    clustered(double, (1, 2, "Active"), (2, 3, "Active"))
    double.faults = [Fault(status=500, text=GONE, only=NAME)] * ATTEMPTS
    with pytest.raises(IndexUnavailable) as caught:
        ask(index)
    assert str(caught.value.message) == (
        f"{double.url}: opening a collection failed: shard 2 of 3 is on http://10.0.0.3:6335 "
        "alone, which does not answer: start that node again"
    )


def test_a_shard_that_no_node_has_any_more_is_told_apart(double: QdrantDouble) -> None:
    """A server whose node was removed by force breaks off searches, and names nothing."""
    index = an_index(double)
    clustered(double, (1, 2, "Active"))
    double.faults = [Fault(cut=True, only="query")] * ATTEMPTS
    with pytest.raises(IndexUnavailable, match=r"shard 2 of 3 is on no node any more.*snapshot"):
        ask(index)


def test_shards_that_only_have_copies_behind_are_named_by_their_state(double: QdrantDouble) -> None:
    index = an_index(double)
    clustered(double, (1, 2, "Active"), (2, 3, "Dead"))
    double.faults = [Fault(status=500, text="no active replica", only="query")] * ATTEMPTS
    with pytest.raises(IndexUnavailable, match=r"shard 2 of 3 .* \(Dead on http://10.0.0.3:6335\)"):
        ask(index)


def test_a_failure_with_all_shards_there_keeps_its_own_words_and_names_who_is_away(
    double: QdrantDouble,
) -> None:
    index = an_index(double, replicas=2)
    clustered(double, (0, 2, "Active"), (1, 2, "Active"), (2, 2, "Active"), silent=(3,))
    double.faults = [Fault(status=500, text="odd", only="query")] * ATTEMPTS
    with pytest.raises(
        IndexUnavailable, match=r"answers 500 .*odd.*nodes that do not answer: http://10.0.0.3:6335"
    ):
        ask(index)


def test_a_full_disk_is_said_at_once_and_reads_go_on(double: QdrantDouble) -> None:
    pauses: list[float] = []
    an_index(double)
    server = Server(double.url, None, sleep=pauses.append)
    double.faults = [Fault(status=500, text=FULL, only="delete")]
    with pytest.raises(IndexUnavailable, match="disk is full"):
        ServerCollection(server, NAME, 2).delete_documents(["d"])
    assert pauses == []
    ask(ServerIndex(server, model="tiny"))


def checks(index: Any) -> list[tuple[Status, str]]:
    found = server_condition(a_project(), index)
    return [(check.status, str(check.message)) for check in found]


def test_a_whole_collection_is_said_to_be_one(double: QdrantDouble) -> None:
    assert checks(an_index(double)) == [(Status.PASS, "green, 3 shards, 1 copy")]


def test_what_passes_by_itself_is_no_fault(double: QdrantDouble) -> None:
    index = an_index(double)
    double.store.conditions[NAME] = {"status": "grey"}
    [(status, message)] = checks(index)
    assert status is Status.PASS
    assert "was restarted" in message


def test_optimizers_that_fail_and_a_full_disk_fail_the_check(double: QdrantDouble) -> None:
    index = an_index(double)
    error = "Service runtime error: Not enough space available for optimization, needed: 58.96 MiB"
    double.store.conditions[NAME] = {"status": "red", "optimizer_status": {"error": error}}
    double.faults = [Fault(status=500, text=FULL, only="delete")]
    found = checks(index)
    assert [status for status, _ in found] == [Status.FAIL, Status.FAIL]
    assert "Not enough space" in found[0][1]
    assert "disk is full" in found[1][1]


def test_only_a_check_writes(double: QdrantDouble) -> None:
    index = an_index(double)
    double.seen.clear()
    assert index.condition(NAME).state == "green"
    assert {
        method for method, path, _ in double.seen if "delete" in path or method == "PUT"
    } == set()


def test_copies_that_are_behind_or_away_are_a_warning_that_names_them(double: QdrantDouble) -> None:
    index = an_index(double, replicas=2)
    copies = (
        (0, 2, "Active"),
        (1, 2, "Active"),
        (1, 3, "Active"),
        (2, 2, "Active"),
        (2, 3, "Dead"),
    )
    clustered(double, *copies)
    assert checks(index) == [
        (
            Status.WARN,
            "copies are missing: shard 2 of 3 has 1 of 2 copies (Dead on http://10.0.0.3:6335)",
        )
    ]
    double.faults = [Fault(status=500, text=GONE, only="scroll")]
    [(status, message)] = checks(index)
    assert status is Status.WARN
    assert "shard 1 of 3 has 1 of 2 copies (http://10.0.0.3:6335 is away)" in message


def test_copies_on_a_server_that_has_no_other_node_are_missing(double: QdrantDouble) -> None:
    [(status, message)] = checks(an_index(double, replicas=2))
    assert status is Status.WARN
    assert "not part of a cluster" in message


def test_an_index_in_the_workspace_and_one_that_is_not_there_have_no_condition(
    double: QdrantDouble, tmp_path: Any
) -> None:
    assert EdgeIndex(tmp_path).condition(NAME) is None
    assert ServerIndex(Server(double.url, None), model="tiny").condition(NAME) is None
    assert QdrantServer(double.url).collections() == set()
