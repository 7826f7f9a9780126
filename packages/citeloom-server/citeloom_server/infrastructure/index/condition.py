"""Condition of a collection: what its server says of it, its copies, whether it takes writes."""

from typing import TYPE_CHECKING, Final
from uuid import UUID

from citeloom.domain.errors import IndexUnavailable
from citeloom.domain.projects.server_condition import ServerCondition
from citeloom_server.infrastructure.index.calls import Server
from citeloom_server.infrastructure.index.shards import cluster_nodes, shard_placement

if TYPE_CHECKING:
    from qdrant_client import QdrantClient, models

_NOTES: Final = {
    "yellow": "the server optimizes it; searches may be slower until it is done",
    "grey": "the server was started anew and optimizes it after the next write",
}
_NOBODY: Final = str(UUID(int=0))


def collection_condition(
    server: Server, name: str, info: "models.CollectionInfo", *, try_write: bool
) -> ServerCondition:
    """``try_write`` removes a point that is not there: a server whose disk is full, or whose key
    may only read, says nothing before it is written to. Raises IndexUnavailable where no copy
    of a shard answers."""
    params = info.config.params
    copies = params.replication_factor or 1
    state = info.status.value
    faults = [*_cannot_optimize(info), *(_cannot_write(server, name) if try_write else ())]
    return ServerCondition(
        state=state,
        shards=params.shard_number or 1,
        copies=copies,
        faults=tuple(faults),
        warnings=tuple(_missing_copies(server, name, copies)),
        notes=(_NOTES[state],) if state in _NOTES else (),
    )


def _cannot_optimize(info: "models.CollectionInfo") -> list[str]:
    error = getattr(info.optimizer_status, "error", None)
    if error is None and info.status.value != "red":
        return []
    return [f"the server cannot optimize it: {error or 'no reason is given'}"]


def _cannot_write(server: Server, name: str) -> list[str]:
    from qdrant_client import models

    nobody = models.Filter(must=[models.HasIdCondition(has_id=[_NOBODY])])
    selector = models.FilterSelector(filter=nobody)
    try:
        server.call(
            f"writing in {name}",
            lambda client: client.delete(name, selector, wait=True),
            collection=name,
        )
    except IndexUnavailable as error:
        return [str(error.message)]
    return []


def _missing_copies(server: Server, name: str, copies: int) -> list[str]:
    """A node that was asked knows of some others only that they did not answer a call: so a
    point of each shard is asked for from all its copies."""
    if copies < 2:
        return []
    return server.call("asking for the copies", lambda client: _told(client, name, copies)) or []


def _told(client: "QdrantClient", name: str, copies: int) -> list[str]:
    from qdrant_client import models
    from qdrant_client.http.exceptions import UnexpectedResponse

    failure = ""
    try:
        client.scroll(name, limit=1, with_payload=False, consistency=models.ReadConsistencyType.ALL)
    except UnexpectedResponse as error:
        failure = error.content.decode("utf-8", "replace")
    nodes = cluster_nodes(client, failure)
    if nodes is None:
        return [f"there is one copy of {copies}: the server is not part of a cluster"]
    return list(shard_placement(client, name, nodes).incomplete(copies))
