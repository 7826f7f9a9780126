"""A Qdrant server: calls with their errors, shards of a cluster, condition of a collection."""

import logging
import math
import threading
import time
import warnings
from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, TypeVar
from urllib.parse import urlsplit
from uuid import UUID

from citeloom.domain.errors import ConfigurationError, IndexUnavailable
from citeloom.domain.projects.project import ServerCondition
from citeloom.domain.text.phrasing import counted

if TYPE_CHECKING:
    from qdrant_client import QdrantClient, models

# States of a copy that answers. A copy in another one is being made, or fell behind.
_READY: Final = frozenset({"Active", "ActiveRead"})


@dataclass(frozen=True, slots=True)
class ShardPlacement:
    """``copies`` are the states of the copies of each shard, by the address of their node;
    ``away`` are addresses of nodes that do not answer the one that was asked."""

    copies: Mapping[int, Mapping[str, str]]
    away: frozenset[str] = frozenset()

    def unanswered(self) -> Sequence[str]:
        """Why no answer is complete: a sentence for each shard without an answering copy. The
        server refuses questions that need such a shard."""
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
    """The nodes as the asked one knows them; None for a server that is not a cluster. Nodes that
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


T = TypeVar("T")

# Collections carry metadata from this version on.
OLDEST: Final = (1, 16)
# SearchParams.idf, term statistics of a part of the collection: qdrant/qdrant#9661.
OLDEST_SHARED: Final = (1, 19)
# Time ran out, too many requests, bad gateway, unavailable, gateway timeout.
TRANSIENT: Final = frozenset({408, 429, 502, 503, 504})
# What a node of a cluster answers, too, while another one is away and not yet known to be.
_FAULT: Final = 500
# A server keeps twice the size of a piece of its log free, and refuses what would need it.
_NODE_FAILED: Final = "Tonic status error"
_DISK_FULL: Final = b"No space left on device"
FIRST_PAUSE: Final = 0.1
LONGEST_PAUSE: Final = 2.0
ATTEMPTS: Final = 6

_log = logging.getLogger(__name__)


class Server:
    """The server at ``url``; connected on first use, thread-safe.

    A failure that may pass (no connection, truncated response, ``TRANSIENT``) is retried after a
    pause that doubles, or that the server requested, while all attempts together stay within
    ``timeout_seconds``. All calls of this package are idempotent. No message contains the API key.
    """

    def __init__(
        self,
        url: str,
        api_key: str | None,
        *,
        timeout_seconds: float = 30.0,
        sleep: Callable[[float], None] = time.sleep,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.url = url
        self._api_key = api_key
        self._timeout = timeout_seconds
        self._sleep = sleep
        self._clock = clock
        self._guard = threading.Lock()
        self._client: QdrantClient | None = None
        self._version: tuple[int, ...] | None = None

    def call(
        self,
        doing: str,
        operation: "Callable[[QdrantClient], T]",
        *,
        collection: str | None = None,
        accept: Container[int] = (),
    ) -> T | None:
        """The result of ``operation``; None if the server answers with a status in ``accept``.
        Raises IndexUnavailable, whose message says what to check, and names missing parts of
        ``collection``."""
        client = self._connected()
        from qdrant_client.common.client_exceptions import ResourceExhaustedResponse
        from qdrant_client.http.exceptions import ApiException

        end = self._clock() + self._timeout
        for attempt in range(ATTEMPTS):
            try:
                return operation(client)
            except (ApiException, ResourceExhaustedResponse, ValueError) as error:
                status = getattr(error, "status_code", None)
                if status is not None and status in accept:
                    return None
                pause = _pause(error, attempt)
                if pause is None or attempt + 1 == ATTEMPTS or self._clock() + pause >= end:
                    raise self._meaning(doing, collection, error) from error
                _log.debug("%s: %s: again in %.1f s", self.url, doing, pause)
                self._sleep(pause)
        raise AssertionError("the last attempt returns or raises")

    def require(self, oldest: tuple[int, ...], what_for: str) -> None:
        """Raise IndexUnavailable if the server is older than ``oldest``."""
        if self._version is None:
            info = self.call("asking for the version", lambda client: client.info())
            self._version = _version(info.version if info else "")
        if self._version < oldest:
            raise IndexUnavailable(
                f"{self.url}: the server is Qdrant {_dotted(self._version)}, {what_for} needs "
                f"{_dotted(oldest)}; upgrade the server",
                url=self.url,
            )

    def close(self) -> None:
        with self._guard:
            client, self._client = self._client, None
        if client is not None:
            client.close()

    def _connected(self) -> "QdrantClient":
        with self._guard:
            if self._client is None:
                self._client = self._connect()
            return self._client

    def _connect(self) -> "QdrantClient":
        try:
            from qdrant_client import QdrantClient
        except ImportError:
            raise ConfigurationError(
                f"{self.url}: the client of Qdrant servers is not installed; "
                'run `pip install "citeloom[server]"`',
                module="qdrant-client",
            ) from None
        with warnings.catch_warnings():
            # The client warns of keys over plain HTTP even on the loopback.
            warnings.simplefilter("ignore", UserWarning)
            client = QdrantClient(
                url=self.url,
                api_key=self._api_key,
                timeout=math.ceil(self._timeout),
                check_compatibility=False,
            )
        parts = urlsplit(self.url)
        loopback = parts.hostname in ("localhost", "127.0.0.1", "::1")
        if self._api_key and parts.scheme == "http" and not loopback:
            _log.warning("%s: the API key goes over plain HTTP; use https", self.url)
        return client

    def _meaning(self, doing: str, collection: str | None, error: Exception) -> IndexUnavailable:
        unanswered, away = _missing_nodes(self._connected(), collection, error)
        reason = unanswered or _reason(error)
        if away and not unanswered:
            reason += f"; nodes that do not answer: {away}"
        return IndexUnavailable(f"{self.url}: {doing} failed: {reason}", url=self.url)


def _pause(error: Exception, attempt: int) -> float | None:
    """Seconds before the next attempt; None if a retry is useless."""
    from qdrant_client.common.client_exceptions import ResourceExhaustedResponse
    from qdrant_client.http.exceptions import ResponseHandlingException, UnexpectedResponse

    default: float = min(LONGEST_PAUSE, FIRST_PAUSE * 2.0**attempt)
    if isinstance(error, ResourceExhaustedResponse):
        return max(default, float(error.retry_after_s))
    if isinstance(error, UnexpectedResponse):
        retried = error.status_code in TRANSIENT | {_FAULT} and _DISK_FULL not in error.content
        return default if retried else None
    if isinstance(error, ResponseHandlingException):
        return None if _is_permanent(error.source) else default
    # A response that is not JSON, perhaps truncated.
    return default


def _is_permanent(error: Exception) -> bool:
    import httpx

    return isinstance(error, httpx.UnsupportedProtocol | httpx.InvalidURL | httpx.ProxyError)


def _missing_nodes(
    client: "QdrantClient", collection: str | None, error: Exception
) -> tuple[str, str]:
    """Which shards of the collection no node answers for, and which nodes are away; empty where
    the failure has another cause, or nothing is known of nodes."""
    import httpx
    from qdrant_client.http.exceptions import (
        ApiException,
        ResponseHandlingException,
        UnexpectedResponse,
    )

    text = ""
    if isinstance(error, UnexpectedResponse):
        if error.status_code not in TRANSIENT | {_FAULT}:
            return "", ""
        text = error.content.decode("utf-8", "replace")
    elif not isinstance(error, ResponseHandlingException) or isinstance(
        error.source, httpx.ConnectError | httpx.ConnectTimeout
    ):
        return "", ""
    try:
        nodes = cluster_nodes(client, text)
        if nodes is None:
            return "", ""
        away = ", ".join(sorted(nodes.away))
        if collection is None or not client.collection_exists(collection):
            return "", away
        placement = shard_placement(client, collection, nodes)
        if not away and _NODE_FAILED in text:
            # Nodes other than the leader hear of one that is away only by its address in an error.
            away = f"one of {', '.join(placement.alone())}; start it again"
        return "; ".join(placement.unanswered()), away
    except (ApiException, ValueError):  # the server does not tell
        return "", ""


def _reason(error: Exception) -> str:
    import httpx
    from qdrant_client.common.client_exceptions import ResourceExhaustedResponse
    from qdrant_client.http.exceptions import ResponseHandlingException, UnexpectedResponse

    if isinstance(error, ResourceExhaustedResponse):
        return "the server is overloaded; try again later"
    if isinstance(error, UnexpectedResponse):
        return _refusal(error.status_code or 0, error.content)
    source = error.source if isinstance(error, ResponseHandlingException) else error
    if isinstance(source, httpx.ConnectTimeout | httpx.ConnectError):
        return f"no connection ({source}); check that the server runs and index.url names it"
    if isinstance(source, httpx.TimeoutException):
        return "no answer in time; try again, or raise index.timeout_seconds"
    if isinstance(source, httpx.TransportError):
        return f"the connection broke ({source}); try again"
    return "the answer is not one of Qdrant's, or is cut short; check index.url"


def _refusal(status: int, content: bytes) -> str:
    if status in (401, 403):
        return (
            f"the server refuses the API key ({status}); set CITELOOM_INDEX__API_KEY to one that "
            "may read and write"
        )
    if _DISK_FULL in content:
        return (
            "the server's disk is full: it answers, but refuses changes; free some space there "
            "and try again"
        )
    text = " ".join(content.decode("utf-8", "replace").split())[:300]
    if status in TRANSIENT:
        return f"the server is not ready or is overloaded ({status}); try again later"
    if status == 404:
        return f"not found ({text}); check index.url, or repair the project"
    return f"the server answers {status} ({text})"


def _version(text: str) -> tuple[int, ...]:
    """The first two numbers of a version; (0, 0) for anything else."""
    numbers = text.split(".")[:2]
    if len(numbers) < 2 or not all(number.isdecimal() for number in numbers):
        return (0, 0)
    return tuple(map(int, numbers))


def _dotted(version: tuple[int, ...]) -> str:
    return ".".join(map(str, version))


_NOTES: Final = {
    "yellow": "the server optimizes it; searches may be slower until it is done",
    "grey": "the server was restarted and optimizes it after the next write",
}
_NOBODY: Final = str(UUID(int=0))


def collection_condition(
    server: Server, name: str, info: "models.CollectionInfo", *, try_write: bool
) -> ServerCondition:
    """``try_write`` removes a point that does not exist, because a server with a full disk or a
    read-only key shows its fault only on a write. Raises IndexUnavailable if no copy of a shard
    answers."""
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
