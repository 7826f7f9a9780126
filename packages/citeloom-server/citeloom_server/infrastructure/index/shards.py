"""Shards of a collection: the nodes of a cluster that have copies of them, and which are away."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from citeloom.domain.text.phrasing import counted

if TYPE_CHECKING:
    from qdrant_client import QdrantClient

# States of a copy that answers. A copy in another one is being made, or fell behind.
_READY: Final = frozenset({"Active", "ActiveRead"})


@dataclass(frozen=True, slots=True)
class ShardPlacement:
    """``copies`` are the states of the copies of each shard, by the address of their node;
    ``away`` are addresses of nodes that do not answer the one that was asked."""

    copies: Mapping[int, Mapping[str, str]]
    away: frozenset[str] = frozenset()

    def unanswered(self) -> Sequence[str]:
        """Why no answer is whole: a sentence for each shard of which no copy answers. The server
        refuses what it would have to answer without such a shard."""
        told = []
        for shard, copies in self.copies.items():
            if any(self._answers(node, state) for node, state in copies.items()):
                continue
            name = f"shard {shard} of {len(self.copies)}"
            if not copies:
                told.append(
                    f"{name} is on no node any more, and its passages with it: restore a snapshot "
                    "of the collection, or delete it on the server and repair the project"
                )
            elif missing := sorted(set(copies) & self.away):
                nodes = " and ".join(missing)
                told.append(
                    f"{name} is on {nodes} alone, which does not answer: start that node again"
                )
            else:
                states = ", ".join(f"{state} on {node}" for node, state in sorted(copies.items()))
                told.append(f"{name} has no copy that answers ({states}): try again later")
        return told

    def alone(self) -> Sequence[str]:
        """Addresses of nodes that have the only copy of a shard."""
        only = (list(copies) for copies in self.copies.values() if len(copies) == 1)
        return sorted({node for nodes in only for node in nodes})

    def incomplete(self, replicas: int) -> Sequence[str]:
        """A sentence for each shard that has fewer than ``replicas`` copies that answer, but
        one."""
        told = []
        for shard, copies in self.copies.items():
            good = sum(self._answers(node, state) for node, state in copies.items())
            if not 0 < good < replicas:
                continue
            name = f"shard {shard} of {len(self.copies)}"
            bad = [
                f"{node} is away" if node in self.away else f"{state} on {node}"
                for node, state in sorted(copies.items())
                if not self._answers(node, state)
            ]
            why = f" ({', '.join(bad)})" if bad else ""
            told.append(f"{name} has {good} of {counted(replicas, 'copy', 'copies')}{why}")
        return told

    def _answers(self, node: str, state: str) -> bool:
        return state in _READY and node not in self.away


@dataclass(frozen=True, slots=True)
class ClusterNodes:
    """Addresses of nodes by their ids; ``away`` do not answer the one that was asked."""

    addresses: Mapping[int, str]
    away: frozenset[str]


def cluster_nodes(client: "QdrantClient", failure: str = "") -> ClusterNodes | None:
    """The nodes as the asked one knows them; None for a server that is no cluster. Nodes that
    ``failure``, the text of an error, names are away too: a node knows of itself only of those
    that it sends its messages to. Raises ApiException."""
    cluster = client.cluster_status().model_dump(mode="json")
    if cluster["status"] != "enabled":
        return None
    nodes = {int(peer): str(info["uri"]).rstrip("/") for peer, info in cluster["peers"].items()}
    silent = {str(uri).rstrip("/") for uri in cluster["message_send_failures"]}
    away = {node for node in nodes.values() if node in silent or node in failure}
    return ClusterNodes(nodes, frozenset(away))


def shard_placement(client: "QdrantClient", collection: str, nodes: ClusterNodes) -> ShardPlacement:
    """Raises ApiException."""
    info = client.collection_cluster_info(collection)
    copies: dict[int, dict[str, str]] = {number: {} for number in range(info.shard_count)}
    for local in info.local_shards:
        copies[local.shard_id][nodes.addresses[info.peer_id]] = local.state.value
    for remote in info.remote_shards:
        node = nodes.addresses.get(remote.peer_id, f"node {remote.peer_id}")
        copies[remote.shard_id][node] = remote.state.value
    return ShardPlacement(copies, nodes.away)
