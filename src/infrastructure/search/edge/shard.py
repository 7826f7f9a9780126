"""Shard on disk: creation, loading, checks, error translation."""

import errno
import json
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final

from citeloom.domain.errors import CiteLoomError, IndexUnavailable, StorageFailed, WorkspaceTooNew
from citeloom.domain.messages import Action, NextStep
from citeloom.domain.text.phrasing import listed
from citeloom.infrastructure.search.payload import DENSE, INTEGERS, KEYWORDS, SENTENCES, SPARSE
from citeloom.infrastructure.system.files import sync_folder, write_atomic

from . import checksums
from .child_process import run_module

if TYPE_CHECKING:
    import qdrant_edge

# 2: sentence vectors beside the passage's; passages can be filtered by language.
FORMAT: Final = 2
# The engine writes through memory maps into sparse files: on a full disk the process dies of
# SIGBUS. So free space is checked before: for writing, that of an empty shard and a reserve; for
# opening, what loading may touch.
MEGABYTE: Final = 2**20
ROOM_TO_WRITE: Final = 160 * MEGABYTE
ROOM_TO_OPEN: Final = 16 * MEGABYTE
# Share of removed points from which compaction pays.
COMPACT_ABOVE: Final = 0.05
# Rewriting a segment because it grew takes seconds, and makes an exact search no faster.
NEVER: Final = 2**40
_TRIAL: Final = "citeloom.infrastructure.search.edge.trial"
_NAMED: Final = 3
#: Where a collection is rebuilt, in its folder.
RENEWAL: Final = "renewal"
# A shard that is being replaced.
_REPLACED: Final = "shard.old"


@contextmanager
def engine_errors(folder: Path, doing: str) -> Iterator[None]:
    """Translate exceptions of the engine (bare ``Exception``, or a panic that is not one): no space
    and missing permissions become StorageFailed, others IndexUnavailable."""
    try:
        yield
    except (CiteLoomError, KeyboardInterrupt, SystemExit, GeneratorExit):
        raise
    except BaseException as error:
        raise _translated(folder, doing, error) from error


def _translated(folder: Path, doing: str, error: BaseException) -> CiteLoomError:
    text = " ".join(str(error).split())[:300]
    number = error.errno if isinstance(error, OSError) else None
    if number in (errno.ENOSPC, errno.EDQUOT) or "os error 28" in text:
        return _full(folder, ROOM_TO_WRITE)
    if number in (errno.EROFS, errno.EACCES, errno.EPERM) or any(
        sign in text for sign in ("os error 30", "os error 13", "os error 5)")
    ):
        return StorageFailed(
            f"{folder}: the index cannot be written ({text}); make the folder writable",
            path=str(folder),
        )
    return IndexUnavailable(
        f"{folder.name}: {doing} failed ({text}); try again",
        NextStep(Action.REPAIR),
        path=str(folder),
        collection=folder.name,
    )


def _full(folder: Path, needed: int) -> StorageFailed:
    return StorageFailed(
        f"{folder}: the disk is full: the index needs {needed // MEGABYTE} MB of room; free "
        "some and try again, nothing that was stored is lost",
        path=str(folder),
    )


def require_space(folder: Path, writing: int = 0) -> None:
    """Raise StorageFailed unless there is space for ``writing`` bytes and the engine's own files.
    Everything is written twice: to the log and to the storage."""
    _require(folder, ROOM_TO_WRITE + 2 * writing)


def _require(folder: Path, needed: int) -> None:
    if shutil.disk_usage(folder).free < needed:
        raise _full(folder, needed)


def _unfilled(folder: Path) -> int:
    """Bytes of the dense vectors' files that have no space on the disk yet. The engine touches them
    all when it opens a shard; on a full disk that ends the process (SIGBUS)."""
    return sum(
        max(0, status.st_size - status.st_blocks * 512)
        for path in folder.glob("shard/segments/*/vector_storage-dense/vectors/*")
        if hasattr(status := path.stat(), "st_blocks")
    )


def shard_exists(folder: Path) -> bool:
    """Works without the lock: an exchange may happen meanwhile, so the first name is checked
    twice."""
    return any((folder / name).is_dir() for name in ("shard", _REPLACED, "shard"))


def exchange(folder: Path, built: Path) -> None:
    """Replace the shard in ``folder`` by the one in ``built``, which the old one takes the place
    of. The caller holds the lock, both shards are closed. After a kill in between, the next
    process that opens the shard finds the old one."""
    shard, old = folder / "shard", folder / _REPLACED
    checksums.discard(folder)
    if shard.is_dir():
        shard.replace(old)
    built.replace(shard)
    sync_folder(folder)
    if old.is_dir():
        old.replace(built)
    checksums.end_use(folder)


def install(folder: Path, built: Path, dimension: int) -> None:
    """Put the closed shard ``built`` in the place of the one in ``folder``, whatever state that
    is in. The caller holds the lock."""
    with engine_errors(folder, "replacing the index"):
        _complete_exchange(folder)
        _write_format(folder, dimension)
        exchange(folder, built)


def open_shard(folder: Path, dimension: int) -> "qdrant_edge.EdgeShard":
    """Load the shard in ``folder``, creating it if need be. The caller holds its lock, and closes
    it with ``close_shard``.

    A shard whose files are not those of its last clean end is not opened; after an unclean end it
    is opened in another process first, which damage may end. Raises IndexUnavailable (damaged, or
    of another dimension), StorageFailed, WorkspaceTooNew.
    """
    import qdrant_edge

    with engine_errors(folder, "opening the index"):
        _complete_exchange(folder)
        if not shard_exists(folder):
            _create(folder, dimension)
        version = _check_format(folder, dimension)
        # Leftovers of a killed optimize() or repair, which no load removes.
        shutil.rmtree(folder / "shard" / "temp_segments", ignore_errors=True)
        shutil.rmtree(folder / RENEWAL, ignore_errors=True)
        _require(folder, ROOM_TO_OPEN + _unfilled(folder))
        _vet(folder)
        checksums.begin_use(folder)
        shard = qdrant_edge.EdgeShard.load(str(folder / "shard"))
        try:
            _probe(shard, dimension)
            if version < FORMAT:
                checksums.discard(folder)
                _upgrade(shard, folder, dimension)
        except BaseException:
            shard.close()
            raise
    return shard


@contextmanager
def opened_shard(folder: Path, dimension: int) -> "Iterator[qdrant_edge.EdgeShard]":
    """``open_shard`` for a block. Raises what that raises."""
    shard = open_shard(folder, dimension)
    try:
        yield shard
    except BaseException:
        shard.close()
        raise
    close_shard(shard, folder)


def close_shard(shard: "qdrant_edge.EdgeShard", folder: Path) -> None:
    """Close the shard of ``folder`` and note its files for the next opening."""
    shard.close()
    checksums.end_use(folder)


def damaged_files(folder: Path) -> list[str]:
    """Files of the closed shard that differ from its last clean end; none if it did not end
    cleanly. The caller holds the lock."""
    sums = checksums.noted(folder)
    return checksums.differences(folder, sums) if sums else []


def _vet(folder: Path) -> None:
    """Raise IndexUnavailable for a shard that is damaged, before the engine loads it."""
    if checksums.noted(folder) is not None:
        if wrong := damaged_files(folder):
            names = listed([Path(name).name for name in wrong], _NAMED)
            raise _damaged(folder, f"{names} changed or gone since it was closed")
        return
    ended = run_module(_TRIAL, folder / "shard")
    if ended.status and not ended.output:
        raise IndexUnavailable(
            f"{folder.name}: the index was not opened: a process that tries it first did not start "
            f"({ended.cause[:300]}); try again",
            path=str(folder),
        )
    if ended.status:
        raise _damaged(folder, f"a trial opening failed ({ended.cause[:300]})")


def is_of_this_version(folder: Path, dimension: int) -> bool:
    """Complete an interrupted exchange, as ``open_shard`` does; False if the shard needs an
    upgrade. The caller holds the lock. Raises what ``open_shard`` raises."""
    _complete_exchange(folder)
    return _check_format(folder, dimension) == FORMAT


def remove(folder: Path) -> None:
    """Delete a collection with its lock, which the caller holds: the shard is renamed first, so
    that a kill in between leaves no partial shard."""
    with engine_errors(folder, "deleting the index"):
        doomed = folder / "shard.gone"
        shutil.rmtree(doomed, ignore_errors=True)
        _complete_exchange(folder)
        checksums.discard(folder)
        if shard_exists(folder):
            (folder / "shard").replace(doomed)
        shutil.rmtree(folder, ignore_errors=True)


def _complete_exchange(folder: Path) -> None:
    old = folder / _REPLACED
    if (folder / "shard").is_dir():
        shutil.rmtree(old, ignore_errors=True)
    elif old.is_dir():
        old.replace(folder / "shard")


def _create(folder: Path, dimension: int) -> None:
    """Create the shard under another name, and rename it when complete."""
    import qdrant_edge

    require_space(folder)
    for leftover in ("shard.new", "shard.gone"):
        shutil.rmtree(folder / leftover, ignore_errors=True)
    new = folder / "shard.new"
    new.mkdir()
    optimizers = qdrant_edge.EdgeOptimizersConfig(
        deleted_threshold=COMPACT_ABOVE,
        vacuum_min_vector_number=1,
        indexing_threshold=NEVER,
    )
    config = engine_config(dimension, dense=_exact(), optimizers=optimizers)
    shard = qdrant_edge.EdgeShard.create(str(new), config)
    index_fields(shard, on_disk=False)
    shard.flush()
    shard.close()
    _write_format(folder, dimension)
    checksums.discard(folder)
    new.replace(folder / "shard")
    checksums.end_use(folder)


def index_fields(shard: "qdrant_edge.EdgeShard", *, on_disk: bool) -> None:
    """Index the fields of filters; replaces existing indexes of another kind. On disk, optimized
    segments need not be read on opening: at 100,000 passages that takes a quarter of the time,
    and filters are as fast."""
    import qdrant_edge

    for name in KEYWORDS:
        keyword = qdrant_edge.KeywordIndexParams(on_disk=on_disk)
        shard.update(qdrant_edge.UpdateOperation.create_field_index(name, keyword))
    for name in INTEGERS:
        number = qdrant_edge.IntegerIndexParams(lookup=False, range=True, on_disk=on_disk)
        shard.update(qdrant_edge.UpdateOperation.create_field_index(name, number))


def engine_config(
    dimension: int,
    *,
    dense: "qdrant_edge.HnswIndexConfig",
    optimizers: "qdrant_edge.EdgeOptimizersConfig",
) -> "qdrant_edge.EdgeConfig":
    """Configuration of the vectors of a shard; ``dense`` is the index of passage vectors."""
    import qdrant_edge

    return qdrant_edge.EdgeConfig(
        vectors={
            DENSE: qdrant_edge.EdgeVectorParams(
                dimension, qdrant_edge.Distance.Cosine, hnsw_config=dense
            ),
            # Compared with candidates only, so they need no graph, nor to be in memory, nor to
            # be exact to more than three digits.
            SENTENCES: qdrant_edge.EdgeVectorParams(
                dimension,
                qdrant_edge.Distance.Cosine,
                on_disk=True,
                multivector_config=_max_sim(),
                datatype=qdrant_edge.VectorStorageDatatype.Float16,
                hnsw_config=_exact(),
            ),
        },
        sparse_vectors={
            SPARSE: qdrant_edge.EdgeSparseVectorParams(modifier=qdrant_edge.Modifier.Idf),
        },
        hnsw_config=_exact(),
        optimizers=optimizers,
        wal_enabled=True,
    )


def _exact() -> "qdrant_edge.HnswIndexConfig":
    """No graph: built many times faster, and exact."""
    import qdrant_edge

    return qdrant_edge.HnswIndexConfig(m=0, ef_construct=100, full_scan_threshold=10_000)


def _max_sim() -> "qdrant_edge.MultiVectorConfig":
    import qdrant_edge

    return qdrant_edge.MultiVectorConfig(qdrant_edge.MultiVectorComparator.MaxSim)


def _upgrade(shard: "qdrant_edge.EdgeShard", folder: Path, dimension: int) -> None:
    """Add what this format adds; passages are unchanged until they are ingested again."""
    import qdrant_edge

    shard.update(
        qdrant_edge.UpdateOperation.create_dense_vector(
            SENTENCES,
            dimension,
            qdrant_edge.Distance.Cosine,
            _max_sim(),
            qdrant_edge.VectorStorageDatatype.Float16,
        )
    )
    keyword = qdrant_edge.KeywordIndexParams()
    shard.update(qdrant_edge.UpdateOperation.create_field_index("language", keyword))
    shard.flush()
    _write_format(folder, dimension)


def _write_format(folder: Path, dimension: int) -> None:
    text = json.dumps({"version": FORMAT, "collection": folder.name, "dimension": dimension})
    write_atomic(folder / "format.json", text.encode())


def _check_format(folder: Path, dimension: int) -> int:
    try:
        format = json.loads((folder / "format.json").read_text(encoding="utf-8"))
        version, collection = int(format["version"]), str(format["collection"])
        size = int(format["dimension"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise _damaged(folder, f"format.json cannot be read: {error}") from error
    if version > FORMAT:
        raise WorkspaceTooNew(
            f"{folder}: the index has format {version}, this version knows up to {FORMAT}; "
            "upgrade citeloom",
            path=str(folder),
        )
    if collection != folder.name:
        raise _damaged(folder, f"it belongs to {collection}")
    if size != dimension:
        raise _damaged(folder, f"its vectors have {size} dimensions, not {dimension}")
    return version


def _probe(shard: "qdrant_edge.EdgeShard", dimension: int) -> None:
    """A shard that lost its vectors still loads, but finds nothing: query one point."""
    import qdrant_edge

    if not shard.count(qdrant_edge.CountRequest(exact=False)):
        return
    nearest = qdrant_edge.Query.Nearest([1.0] * dimension, DENSE)
    if not shard.query(qdrant_edge.QueryRequest(limit=1, query=nearest)):
        raise RuntimeError("vectors are missing")


def _damaged(folder: Path, reason: str) -> IndexUnavailable:
    return IndexUnavailable(
        f"{folder.name}: the index is damaged: {reason}",
        NextStep(Action.REPAIR),
        path=str(folder),
        collection=folder.name,
    )
