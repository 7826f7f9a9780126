"""A Qdrant server on the loopback, in the process: the REST shapes that the adapter uses.

Requests are read with the models of qdrant-client (which refuse unknown fields), answered by
its local mode (filters and scores by plain arithmetic in numpy) and written as the server
writes them. What local mode has no effect for, payload indexes and metadata, is kept here.
"""

import json
import threading
import time
import warnings
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from typing import Any
from urllib.parse import unquote, urlsplit

from pydantic import TypeAdapter, ValidationError
from pydantic_core import to_jsonable_python
from qdrant_client import QdrantClient, models
from support.servers.loopback import LoopbackServer, OwnedHandler

MEGABYTES = 32
VACUUM_ABOVE = 500


@dataclass
class Fault:
    """What happens to one request instead of its answer: a status with headers, silence for
    some seconds, or an answer that breaks off (``cut``: the connection; ``garble``: the
    text). ``only`` names what the path must hold."""

    status: int = 0
    headers: dict[str, str] = field(default_factory=dict)
    seconds: float = 0.0
    cut: bool = False
    garble: bool = False
    applied: bool = False
    only: str = ""
    text: str = "made up"


class HttpError(Exception):
    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


class Store:
    """What the server holds; outlives a restart."""

    def __init__(self) -> None:
        self.local = QdrantClient(":memory:")
        self.indexes: dict[str, dict[str, Any]] = {}
        self.metadata: dict[str, dict[str, Any]] = {}
        self.definitions: dict[str, dict[str, int]] = {}
        self.removed: Counter[str] = Counter()
        self.cluster: dict[str, Any] = {"status": "disabled"}
        self.placements: dict[str, dict[str, Any]] = {}
        self.conditions: dict[str, dict[str, Any]] = {}
        self.turn = threading.RLock()


class _Handler(OwnedHandler, BaseHTTPRequestHandler):
    owner: "QdrantDouble"

    def do_GET(self) -> None:
        self._handle("GET")

    def do_PUT(self) -> None:
        self._handle("PUT")

    def do_POST(self) -> None:
        self._handle("POST")

    def do_DELETE(self) -> None:
        self._handle("DELETE")

    def _handle(self, method: str) -> None:
        path = urlsplit(self.path).path
        length = int(self.headers.get("Content-Length") or 0)
        raw = self.rfile.read(length)
        body = json.loads(raw) if raw else None
        self.owner.seen.append((method, path, body))
        self.owner.keys.append(self.headers.get("api-key"))
        self.owner.on_request(len(self.owner.seen))
        fault = self.owner.take_fault(path)
        if fault and fault.applied:
            self._answer(method, path, body, length)
        if fault and fault.seconds:
            time.sleep(fault.seconds)
            self.close_connection = True
            return
        if fault and fault.status:
            self._send(fault.status, _error(fault.text), fault.headers)
            return
        status, answer = self._answer(method, path, body, length)
        text = json.dumps(answer).encode()
        if fault and (fault.cut or fault.garble):
            self._send_half(text, whole_length=fault.cut)
            return
        self._send(status, answer)

    def _answer(self, method: str, path: str, body: Any, length: int) -> tuple[int, Any]:
        if path == "/":
            return 200, {"title": "qdrant - vector search engine", "version": self.owner.version}
        if self.owner.api_key and self.headers.get("api-key") != self.owner.api_key:
            return 401, _error("Must provide an API key or an Authorization bearer token")
        if length > MEGABYTES * 2**20:
            return 413, _error("Payload reached size limit.")
        try:
            with self.owner.store.turn:
                parts = [unquote(part) for part in path.strip("/").split("/")]
                result = _route(self.owner.store, method, parts, body)
        except HttpError as error:
            return error.status, _error(str(error))
        except ValidationError as error:
            return 400, _error(f"Format error in JSON body: {error}")
        return 200, {"result": to_jsonable_python(result), "status": "ok", "time": 0.0}

    def _send(self, status: int, answer: Any, headers: dict[str, str] | None = None) -> None:
        text = json.dumps(answer).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(text)))
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(text)

    def _send_half(self, text: bytes, *, whole_length: bool) -> None:
        half = text[: len(text) // 2]
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(text) if whole_length else len(half)))
        self.end_headers()
        self.wfile.write(half)
        self.wfile.flush()
        self.close_connection = True


def _error(message: str) -> dict[str, Any]:
    return {"status": {"error": message}, "time": 0.0}


def _route(store: Store, method: str, parts: list[str], body: Any) -> Any:
    if parts == ["collections"]:
        return store.local.get_collections()
    if parts == ["cluster"]:
        return store.cluster
    name, rest = parts[1], "/".join(parts[2:])
    whole = {
        ("GET", ""): _get,
        ("PUT", ""): _create,
        ("DELETE", ""): _drop,
        ("GET", "exists"): lambda s, n, _: {"exists": s.local.collection_exists(n)},
    }
    if found := whole.get((method, rest)):
        return found(store, name, body)
    _require(store, name)
    handler = _POINTS.get((method, rest))
    if handler is None:
        raise HttpError(404, f"{method} {'/'.join(parts)}: not a path of this double")
    return handler(store, name, body)


def _require(store: Store, name: str) -> None:
    if not store.local.collection_exists(name):
        raise HttpError(404, f"Not found: Collection `{name}` doesn't exist!")


def _get(store: Store, name: str, _: Any) -> Any:
    _require(store, name)
    info = to_jsonable_python(store.local.get_collection(name))
    info["payload_schema"] = {
        field: {"data_type": schema["type"], "params": schema, "points": 0}
        for field, schema in store.indexes[name].items()
    }
    info["config"]["metadata"] = store.metadata[name]
    info["config"]["params"] |= store.definitions[name]
    return info | store.conditions.get(name, {})


def _placement(store: Store, name: str, _: Any) -> Any:
    return store.placements[name]


def _create(store: Store, name: str, body: Any) -> bool:
    if store.local.collection_exists(name):
        raise HttpError(409, f"Wrong input: Collection `{name}` already exists!")
    asked = models.CreateCollection.model_validate(body)
    store.local.create_collection(
        name, vectors_config=asked.vectors, sparse_vectors_config=asked.sparse_vectors
    )
    store.indexes[name], store.metadata[name] = {}, asked.metadata or {}
    store.definitions[name] = {
        "shard_number": asked.shard_number or 1,
        "replication_factor": asked.replication_factor or 1,
    }
    return True


def _drop(store: Store, name: str, _: Any) -> bool:
    if not store.local.collection_exists(name):
        return False
    store.local.delete_collection(name)
    return True


def _index(store: Store, name: str, body: Any) -> Any:
    asked = models.CreateFieldIndex.model_validate(body)
    store.indexes[name][asked.field_name] = to_jsonable_python(asked.field_schema)
    return _done()


def _done() -> dict[str, Any]:
    return {"operation_id": 0, "status": "completed"}


def _upsert(store: Store, name: str, body: Any) -> Any:
    points = models.PointsList.model_validate(body).points
    size = store.local.get_collection(name).config.params.vectors["dense"].size
    for point in points:
        if len(point.vector["dense"]) != size:
            received = len(point.vector["dense"])
            raise HttpError(
                400, f"Wrong input: Vector dimension error: expected dim: {size}, got {received}"
            )
    store.local.upsert(name, points)
    return _done()


def _delete(store: Store, name: str, body: Any) -> Any:
    before = store.local.count(name).count
    store.local.delete(name, TypeAdapter(models.PointsSelector).validate_python(body))
    store.removed[name] += before - store.local.count(name).count
    if store.removed[name] > VACUUM_ABOVE:
        _vacuum(store, name)
    return _done()


def _vacuum(store: Store, name: str) -> None:
    """Local mode keeps the places of removed points for ever, and looks at each."""
    points, _ = store.local.scroll(name, limit=10**6, with_vectors=True)
    params = store.local.get_collection(name).config.params
    store.local.delete_collection(name)
    store.local.create_collection(
        name, vectors_config=params.vectors, sparse_vectors_config=params.sparse_vectors
    )
    kept = [models.PointStruct(**p.model_dump(include={"id", "payload", "vector"})) for p in points]
    if kept:
        store.local.upsert(name, kept)
    store.removed[name] = 0


def _require_points(store: Store, name: str, ids: Sequence[Any]) -> None:
    """Changes of points by their ids are refused by a server that misses one of them."""
    there = {point.id for point in store.local.retrieve(name, ids, with_payload=False)}
    for id in ids:
        if id not in there:
            raise HttpError(404, f"Not found: No point with id {id} found")


def _set_payload(store: Store, name: str, body: Any) -> Any:
    asked = models.SetPayload.model_validate(body)
    _require_points(store, name, asked.points or [])
    which = models.FilterSelector(filter=asked.filter) if asked.filter else asked.points
    store.local.set_payload(name, asked.payload, which)
    return _done()


def _update_vectors(store: Store, name: str, body: Any) -> Any:
    asked = models.UpdateVectors.model_validate(body).points
    _require_points(store, name, [point.id for point in asked])
    store.local.update_vectors(name, asked)
    return _done()


def _batch(store: Store, name: str, body: Any) -> Any:
    asked = models.UpdateOperations.model_validate(body)
    for each in asked.operations:
        if isinstance(each, models.SetPayloadOperation):
            _require_points(store, name, each.set_payload.points or [])
    store.local.batch_update_points(name, asked.operations)
    return [_done() for _ in asked.operations]


def _query(store: Store, name: str, body: Any) -> Any:
    asked = models.QueryRequestBatch.model_validate(body)
    with warnings.catch_warnings():
        # That every search is exact there.
        warnings.simplefilter("ignore", UserWarning)
        answers = store.local.query_batch_points(name, asked.searches)
    if store.definitions[name]["shard_number"] > 1:
        for search, answer in zip(asked.searches, answers, strict=True):
            if search.using == "bm25":
                _count_by_shard(answer)
    return answers


def _count_by_shard(answer: models.QueryResponse) -> None:
    """Each shard has its own statistics of terms: scores differ by the shard of a point."""
    for point in answer.points:
        point.score *= 1 + int(str(point.id)[:2], 16) % 3 / 5
    answer.points.sort(key=lambda point: -point.score)


def _scroll(store: Store, name: str, body: Any) -> Any:
    asked = models.ScrollRequest.model_validate(body)
    points, offset = store.local.scroll(
        name,
        scroll_filter=asked.filter,
        limit=asked.limit or 10,
        offset=asked.offset,
        with_payload=asked.with_payload,
        with_vectors=asked.with_vector or False,
    )
    return {"points": points, "next_page_offset": offset}


def _retrieve(store: Store, name: str, body: Any) -> Any:
    asked = models.PointRequest.model_validate(body)
    return store.local.retrieve(
        name, asked.ids, with_payload=asked.with_payload, with_vectors=asked.with_vector or False
    )


def _count(store: Store, name: str, body: Any) -> Any:
    asked = models.CountRequest.model_validate(body)
    return store.local.count(name, count_filter=asked.filter, exact=True)


def _facet(store: Store, name: str, body: Any) -> Any:
    asked = models.FacetRequest.model_validate(body)
    if asked.key not in store.indexes[name]:
        raise HttpError(400, f"Bad request: No appropriate index for faceting: `{asked.key}`")
    return store.local.facet(
        name, asked.key, facet_filter=asked.filter, limit=asked.limit or 10, exact=True
    )


_POINTS: dict[tuple[str, str], Callable[[Store, str, Any], Any]] = {
    ("GET", "cluster"): _placement,
    ("PUT", "index"): _index,
    ("PUT", "points"): _upsert,
    ("PUT", "points/vectors"): _update_vectors,
    ("POST", "points"): _retrieve,
    ("POST", "points/delete"): _delete,
    ("POST", "points/payload"): _set_payload,
    ("POST", "points/batch"): _batch,
    ("POST", "points/query/batch"): _query,
    ("POST", "points/scroll"): _scroll,
    ("POST", "points/count"): _count,
    ("POST", "facet"): _facet,
}


class QdrantDouble(LoopbackServer):
    """``url`` after ``start``. ``faults`` are used up one by one; ``seen`` are the requests
    (method, path, body), ``keys`` the API keys that came with them; ``on_request`` is told their
    number before each is answered."""

    handler = _Handler

    def __init__(self, *, api_key: str | None = None, version: str = "1.20.0") -> None:
        self.store = Store()
        self.api_key = api_key
        self.version = version
        self.faults: list[Fault] = []
        self.seen: list[tuple[str, str, Any]] = []
        self.keys: list[str | None] = []
        self.on_request: Callable[[int], None] = lambda _: None

    def take_fault(self, path: str) -> Fault | None:
        for fault in self.faults:
            if fault.only in path:
                self.faults.remove(fault)
                return fault
        return None
