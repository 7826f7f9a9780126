"""Installations: passages, memory, disk, shards and hours of ingest for so many papers."""

from collections.abc import Mapping, Sequence
from enum import StrEnum
from math import ceil
from typing import Final

from pydantic import Field

from citeloom.domain.value import Value

from . import unit_costs as costs

_GB: Final = 1e9
_HOUR: Final = 3600
# What of a machine's memory the index may take; the rest is for searches and the system's cache.
_USABLE: Final = 0.7
# Passages of a shard, so that its graph is rebuilt within hours (0.0046 s a passage: 6.4 hours).
_PASSAGES_PER_SHARD: Final = 5_000_000
# An embedded index answered in 43 / 61 ms at this size (p50 / p95); its graph took 17 minutes.
_MOST_EMBEDDED: Final = 300_000
# How far a figure may be off: where it was measured, up to a hundred times beyond, farther.
_NEAR, _FAR, _FARTHEST = 1.3, 2.0, 4.0
_FAR_UP_TO = 100 * costs.MEASURED_PASSAGES


class Engine(StrEnum):
    """Where the index is: in the process of one machine, on a server, on several."""

    EMBEDDED = "embedded"
    SERVER = "server"
    CLUSTER = "cluster"


class Residence(StrEnum):
    """How a server keeps the vectors of passages in memory; sentences and texts are on disk."""

    FLOAT32 = "float32"
    INT8 = "int8"


class InstallationRequest(Value):
    """``pages``: of an average paper; ``sentences``: vectors of them a passage; ``workers``:
    processors that ingest; ``node_memory_gb``: of one machine; ``budget_gb``: memory of all
    machines of the index together."""

    papers: int = Field(ge=1, le=10**9)
    pages: float = Field(default=12, gt=0, le=10_000)
    workers: int = Field(default=2, ge=1, le=100_000)
    replicas: int = Field(default=1, ge=1, le=10)
    sentences: float = Field(default=costs.SENTENCES_PER_PASSAGE, ge=0, le=1_000)
    node_memory_gb: float = Field(default=64, gt=0, le=100_000)
    budget_gb: float | None = Field(default=None, gt=0)


class CostDriver(Value):
    """A driver of a sum's cost, as a share of 1."""

    resource: str
    driver: str
    share: float


class InstallationPlan(Value):
    """Gigabytes are 10^9 bytes. ``memory_gb``, ``index_gb`` and ``stored_gb`` are of all machines
    together, replicas included; ``ingest_hours`` of all workers at once, the others of processor
    time. A figure may be ``uncertainty`` times as large, or as small. ``residence`` is null for
    an embedded index, ``fits`` (the budget is kept) and ``papers_that_fit`` without a budget."""

    request: InstallationRequest
    engine: Engine
    residence: Residence | None
    pages: int
    passages: int
    vectors: int
    memory_gb: float
    index_gb: float
    stored_gb: float
    nodes: int
    shards: int
    processor_hours: float
    ingest_hours: float
    graph_hours: float
    drivers: Sequence[CostDriver]
    uncertainty: float
    extrapolated: bool
    fits: bool | None
    papers_that_fit: int | None


def planned(request: InstallationRequest) -> InstallationPlan:
    """The cheapest installation: embedded up to what was measured so, one machine as long as one
    holds it, float32 in memory as long as the budget (or one machine) allows it."""
    passages = ceil(request.papers * request.pages * costs.PASSAGES_PER_PAGE)
    embedded = passages <= _MOST_EMBEDDED
    replicas = 1 if embedded else request.replicas
    residence = None if embedded else _residence(request, passages * replicas)
    index = passages * _on_disk(request)
    memory = replicas * _memory(passages, residence, index)
    nodes = 1 if embedded else _nodes(request, memory)
    ingest, graph = passages * costs.INGEST_SECONDS, passages * _graph_seconds(residence)
    conversions = passages * costs.CONVERSION_BYTES
    extrapolated = passages > costs.MEASURED_PASSAGES
    budget = request.budget_gb
    return InstallationPlan(
        request=request,
        engine=_engine(nodes, embedded=embedded),
        residence=residence,
        pages=ceil(request.papers * request.pages),
        passages=passages,
        vectors=round(passages * (1 + request.sentences)),
        memory_gb=memory / _GB,
        index_gb=replicas * index / _GB,
        stored_gb=(conversions + request.papers * costs.CATALOGUE_BYTES) / _GB,
        nodes=nodes,
        shards=1 if embedded else _shards(passages, nodes, replicas),
        processor_hours=ingest / _HOUR,
        ingest_hours=ingest / _HOUR / request.workers,
        graph_hours=graph / _HOUR,
        drivers=_drivers(request, residence, ingest / (ingest + graph)),
        uncertainty=_uncertainty(passages),
        extrapolated=extrapolated,
        fits=None if budget is None else memory <= budget * _GB,
        papers_that_fit=None if budget is None else _papers_within(request, budget),
    )


def _residence(request: InstallationRequest, copies: int) -> Residence:
    limit = request.budget_gb or request.node_memory_gb * _USABLE
    return next(
        (one for one in Residence if copies * _in_server(one) <= limit * _GB),
        Residence.INT8,
    )


def _in_server(residence: Residence) -> int:
    """Bytes of a passage in the memory of a server."""
    if residence is Residence.FLOAT32:
        return costs.SERVER_PASSAGE_BYTES
    return costs.SERVER_PASSAGE_BYTES_ON_DISK


def _graph_seconds(residence: Residence | None) -> float:
    """Processor seconds for one passage."""
    return costs.GRAPH_SECONDS_INT8 if residence is Residence.INT8 else costs.GRAPH_SECONDS


def _resident(residence: Residence) -> Mapping[str, float]:
    """Their consumer: the graph is on the disk if the vectors are."""
    in_memory = residence is Residence.FLOAT32
    parts = {
        "vectors of passages": costs.DIMENSION * (costs.FLOAT_BYTES if in_memory else 1),
        "graph": costs.GRAPH_BYTES if in_memory else 0,
    }
    return parts | {"ids, payload and terms": _in_server(residence) - sum(parts.values())}


def _on_disk(request: InstallationRequest) -> float:
    """Bytes of a passage with its vectors, those of its sentences, and its part of the graph."""
    sentences = request.sentences * costs.SENTENCE_BYTES
    return costs.PASSAGE_BYTES + sentences + costs.GRAPH_BYTES


def _memory(passages: int, residence: Residence | None, index: float) -> float:
    """Bytes of one copy of an index of ``index`` bytes on disk."""
    if residence is None:
        return costs.PROCESS_BYTES + index * costs.MAPPED_SHARE
    return costs.SERVER_BYTES + passages * _in_server(residence)


def _uncertainty(passages: int) -> float:
    if passages <= costs.MEASURED_PASSAGES:
        return _NEAR
    return _FAR if passages <= _FAR_UP_TO else _FARTHEST


def _nodes(request: InstallationRequest, memory: float) -> int:
    """As many as the memory takes, and one for each replica."""
    usable = request.node_memory_gb * _USABLE * _GB
    return max(request.replicas, ceil(memory / usable))


def _engine(nodes: int, *, embedded: bool) -> Engine:
    if embedded:
        return Engine.EMBEDDED
    return Engine.SERVER if nodes == 1 else Engine.CLUSTER


def _shards(passages: int, nodes: int, replicas: int) -> int:
    """Equally many on each machine, with a limit of passages for each."""
    most = ceil(passages / _PASSAGES_PER_SHARD)
    each = max(1, nodes // replicas)
    return ceil(most / each) * each


def _papers_within(request: InstallationRequest, budget_gb: float) -> int:
    a_passage = request.replicas * _in_server(Residence.INT8)
    left = max(0.0, budget_gb * _GB - request.replicas * costs.SERVER_BYTES)
    return int(left / (request.pages * costs.PASSAGES_PER_PAGE * a_passage))


def _drivers(
    request: InstallationRequest, residence: Residence | None, ingest: float
) -> Sequence[CostDriver]:
    """The largest part of each resource. ``ingest``: its share of the processor time."""
    disk = costs.PASSAGE_BYTES / _on_disk(request)
    found = [
        CostDriver(resource="disk", driver="texts and vectors of passages", share=disk),
        CostDriver(resource="processor", driver="conversion and embedding", share=ingest),
    ]
    if residence is not None:
        parts = _resident(residence)
        largest = max(parts, key=lambda name: parts[name])
        share = parts[largest] / _in_server(residence)
        found.append(CostDriver(resource="memory", driver=largest, share=share))
    return found
