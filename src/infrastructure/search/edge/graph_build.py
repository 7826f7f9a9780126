"""Build of a collection's search graph, on a copy, in a process of its own.

``python -m citeloom.infrastructure.search.edge.graph_build FOLDER DIMENSION SECONDS`` prints
``{"rebuilt": true}`` or an error, as JSON, and dies with the process at the other end of its
standard input.

The copy is in ``building/`` in the collection's folder. The builder holds ``build.lock``, and the
collection's own lock only while it copies the files and while it puts the new shard in place of the
old one, so that queries go on meanwhile. A write removes ``building/current``: the build is given
up, and the next one begins with what was written. After a kill at any moment one of the two shards
is complete.
"""

import json
import os
import shutil
import sys
from collections.abc import Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from citeloom.domain.errors import (
    CiteLoomError,
    IndexUnavailable,
    ShardBusy,
    StorageFailed,
    WorkspaceTooNew,
)
from citeloom.domain.messages import Action, NextStep
from citeloom.infrastructure.search.payload import DENSE, SPARSE, embedded_filters
from citeloom.infrastructure.system.locks import OsLock
from citeloom.infrastructure.system.processes import end_with_input

from .child_process import Ended, run_module
from .copies import copy_tree, size_of, sync_tree
from .hnsw_graph import build_graph
from .shard import (
    engine_errors,
    exchange,
    is_of_this_version,
    opened_shard,
    require_space,
    shard_exists,
)
from .shard_lock import ShardLock

if TYPE_CHECKING:
    import qdrant_edge

_MODULE: Final = "citeloom.infrastructure.search.edge.graph_build"
_OWNER: Final = "citeloom, building the index"
_ERRORS: Final = {
    error.__name__: error for error in (IndexUnavailable, ShardBusy, StorageFailed, WorkspaceTooNew)
}
_PLACE: Final = "building"
# Sampled documents, neighbours compared for each, and the least recall of the graph.
_SAMPLES: Final = 20
_DEPTH: Final = 10
_RECALL: Final = 0.9
_TOLERANCE: Final = 1e-4


def build_apart(folder: Path, dimension: int, wait_seconds: float) -> bool:
    """Run ``build`` in a new process and wait for it.

    Raises what that raises; IndexUnavailable if the process dies.
    """
    ended = run_module(_MODULE, folder, dimension, wait_seconds)
    try:
        answer = json.loads(ended.output)
    except ValueError:
        raise _died(folder, ended) from None
    if "error" in answer:
        next_step = NextStep.of(answer["next_step"])
        raise _ERRORS.get(answer["error"], IndexUnavailable)(answer["message"], next_step)
    return bool(answer["rebuilt"])


def _died(folder: Path, ended: Ended) -> IndexUnavailable:
    return IndexUnavailable(
        f"{folder.name}: building the index failed ({ended.cause}); what is stored "
        "can be searched as before",
        NextStep(Action.OPTIMIZE),
        collection=folder.name,
    )


def give_up_build(folder: Path) -> None:
    """A build in progress is not put in place: the collection changes. The caller holds the
    collection's lock."""
    _current(folder).unlink(missing_ok=True)


def clear_killed_build(folder: Path) -> None:
    """Remove what a killed builder left. The caller holds the collection's lock."""
    place = folder / _PLACE
    if place.is_dir() and (lock := OsLock(folder / "build.lock")).acquire():
        shutil.rmtree(place, ignore_errors=True)
        lock.release()


def build(folder: Path, dimension: int, wait_seconds: float) -> bool:
    """Build the graph of the collection in ``folder``. False if another process is building, or if
    the collection was changed or dropped meanwhile.

    Raises ShardBusy, IndexUnavailable (damaged, or the new shard differs from the old one),
    StorageFailed (no space: it takes twice that of the index).
    """
    lock, building = ShardLock(folder, _OWNER), OsLock(folder / "build.lock")
    lock.acquire(wait_seconds)
    try:
        if not shard_exists(folder) or not building.acquire():
            return False
        built = _copy(folder, dimension)
        lock.release()
        _lower_priority()
        with engine_errors(folder, "building the index"):
            expected = _sample(built)
            with closing(build_graph(built, dimension)) as shard:
                verify(expected, shard)
            sync_tree(built)
            lock.acquire(wait_seconds)
            if not _current(folder).is_file():
                return False
            exchange(folder, built)
        return True
    finally:
        lock.release()
        if building.is_held:
            shutil.rmtree(folder / _PLACE, ignore_errors=True)
            building.release()


def _copy(folder: Path, dimension: int) -> Path:
    """A copy of the shard, of this version's format. The caller holds the collection's lock."""
    place = folder / _PLACE
    with engine_errors(folder, "copying the index"):
        if not is_of_this_version(folder, dimension):
            with opened_shard(folder, dimension):
                pass
        require_space(folder, size_of(folder / "shard"))
        shutil.rmtree(place, ignore_errors=True)
        place.mkdir()
        copy_tree(folder / "shard", place / "shard")
        _current(folder).touch()
    return place / "shard"


def _current(folder: Path) -> Path:
    return folder / _PLACE / "current"


def _sample(files: Path) -> "Sample":
    import qdrant_edge

    with closing(qdrant_edge.EdgeShard.load(str(files))) as shard:
        return sample_of(shard)


def _lower_priority() -> None:
    with suppress(AttributeError, OSError):
        os.nice(10)


@dataclass(frozen=True, slots=True)
class Sample:
    """The passages per document of a shard; and some passages with the scores of their nearest
    neighbours."""

    counts: Mapping[Any, int]
    passages: Sequence[tuple["qdrant_edge.Record", Mapping[Any, float]]]


def sample_of(shard: "qdrant_edge.EdgeShard") -> Sample:
    """One passage of each of some documents."""
    counts = _counts(shard)
    documents = sorted(counts)
    sampled = documents[:: max(1, len(documents) // _SAMPLES)]
    records = [_one_of(document_id, shard) for document_id in sampled]
    return Sample(counts, [(r, _nearest(shard, _vectors(r)[DENSE], exact=True)) for r in records])


def verify(expected: Sample, shard: "qdrant_edge.EdgeShard") -> None:
    """Raise RuntimeError unless the shard has the same passages, and finds them by its graph."""
    if _counts(shard) != expected.counts:
        raise RuntimeError("the new index does not hold the same passages")
    recalls = [_compare(record, nearest, shard) for record, nearest in expected.passages]
    if recalls and sum(recalls) < _RECALL * len(recalls):
        raise RuntimeError("the graph of the new index misses too much")


def _one_of(document_id: Any, shard: "qdrant_edge.EdgeShard") -> "qdrant_edge.Record":
    import qdrant_edge

    condition = embedded_filters().of_documents([document_id])
    [record], _ = shard.scroll(
        qdrant_edge.ScrollRequest(limit=1, filter=condition, with_payload=True, with_vector=True)
    )
    return record


def _vectors(record: "qdrant_edge.Record") -> dict[str, Any]:
    assert isinstance(record.vector, dict)
    return record.vector


def _compare(
    record: "qdrant_edge.Record", expected: Mapping[Any, float], new: "qdrant_edge.EdgeShard"
) -> float:
    """The share of a passage's nearest neighbours that the graph finds. RuntimeError if the passage
    or the exact result differs."""
    [copy] = new.retrieve([record.id], with_payload=True, with_vector=True)
    vectors = _vectors(record)
    if record.payload != copy.payload or vectors.keys() != _vectors(copy).keys():
        raise RuntimeError("the new index holds other passages")
    exact_neighbours = _nearest(new, vectors[DENSE], exact=True)
    scores = zip(sorted(expected.values()), sorted(exact_neighbours.values()), strict=False)
    if len(expected) != len(exact_neighbours) or any(abs(a - b) > _TOLERANCE for a, b in scores):
        raise RuntimeError("the new index finds other passages")
    term_vector: Any = vectors.get(SPARSE)
    if (
        term_vector is not None
        and term_vector.indices
        and not _finds_by_terms(new, term_vector, record.id)
    ):
        raise RuntimeError("the new index does not find a passage by its words")
    worst = min(expected.values()) - _TOLERANCE
    graph_neighbours = _nearest(new, vectors[DENSE], exact=False)
    return sum(score >= worst for score in graph_neighbours.values()) / max(1, len(expected))


def _nearest(
    shard: "qdrant_edge.EdgeShard", dense: list[float], *, exact: bool
) -> dict[Any, float]:
    import qdrant_edge

    request = qdrant_edge.QueryRequest(
        limit=_DEPTH,
        query=qdrant_edge.Query.Nearest(dense, DENSE),
        params=qdrant_edge.SearchParams(exact=exact),
    )
    return {point.id: point.score for point in shard.query(request)}


def _finds_by_terms(shard: "qdrant_edge.EdgeShard", term_vector: Any, id: Any) -> bool:
    import qdrant_edge

    condition = qdrant_edge.Filter(must=[qdrant_edge.HasIdCondition({id})])
    nearest = qdrant_edge.Query.Nearest(term_vector, SPARSE)
    return bool(shard.query(qdrant_edge.QueryRequest(limit=1, query=nearest, filter=condition)))


def _counts(shard: "qdrant_edge.EdgeShard") -> dict[Any, int]:
    import qdrant_edge

    points = shard.count(qdrant_edge.CountRequest(exact=True))
    facet = qdrant_edge.FacetRequest("document", limit=max(1, points), exact=True)
    return {hit.value: hit.count for hit in shard.facet(facet).hits if hit.count}


def main() -> None:
    folder, dimension, wait_seconds = sys.argv[1:]
    end_with_input()
    try:
        answer: dict[str, object] = {
            "rebuilt": build(Path(folder), int(dimension), float(wait_seconds))
        }
    except CiteLoomError as error:
        answer = {
            "error": type(error).__name__,
            "message": error.message,
            "next_step": error.next_step and asdict(error.next_step),
        }
    json.dump(answer, sys.stdout)


if __name__ == "__main__":
    main()
