"""Rebuild of a collection with a graph, while it stays in use.

``python -m citeloom.infrastructure.search.edge.rebuild.rebuild FOLDER DIMENSION SECONDS`` prints
``{"rebuilt": true}`` or an error, as JSON, and dies with the process at the other end of its
standard input.

The collection is locked only briefly: queries and writes continue while its files are copied,
except for files that change during the copy, and while the graph is built. Later changes are
carried over document by document, in turns of a second, and in the last turn the new shard replaces
the old one. After a kill at any moment one of the two is complete.
"""

import json
import os
import signal
import sys
import time
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import closing, suppress
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Final

from citeloom.domain.errors import CiteLoomError
from citeloom.infrastructure.search.edge.files.tree_copy import TreeCopy, size_of, sync_tree
from citeloom.infrastructure.search.edge.hnsw_graph import build_graph
from citeloom.infrastructure.search.edge.rebuild.build_folder import Build
from citeloom.infrastructure.search.edge.rebuild.document_transfer import (
    Sample,
    carry_over,
    sample_of,
    verify,
)
from citeloom.infrastructure.search.edge.shard import (
    engine_errors,
    exchange,
    is_of_this_version,
    opened_shard,
    require_space,
    shard_exists,
)
from citeloom.infrastructure.search.edge.shard_lock import ShardLock

if TYPE_CHECKING:
    import qdrant_edge

# How long others may have to wait while changes are carried over.
TURN_SECONDS: Final = 1.0
# Bytes copied under the lock: half a second's work. More is first copied again without the lock,
# in a limited number of passes: a large ingest keeps changing files.
COPY_BYTES: Final = 64 * 2**20
_PASSES: Final = 3
_OWNER: Final = "citeloom, building the index"


def rebuild(folder: Path, dimension: int, wait_seconds: float) -> bool:
    """Build the graph of the collection in ``folder``. False if another process is building, or if
    the collection was dropped meanwhile.

    Raises ShardBusy, IndexUnavailable (damaged, or the new shard differs from the old one),
    StorageFailed (no space: it takes twice that of the index).
    """
    lock = ShardLock(folder, _OWNER)
    build: Build | None = None
    lock.acquire(wait_seconds)
    try:
        build = Build.begin(folder) if shard_exists(folder) else None
        if build is None:
            return False
        # A thread of its own at low priority: work under the lock is urgent, and a process
        # cannot raise its priority again.
        with ThreadPoolExecutor(1, initializer=_lower_priority) as builder:
            with engine_errors(folder, "copying the index"):
                if not is_of_this_version(folder, dimension):
                    with opened_shard(folder, dimension):
                        pass
                require_space(folder, size_of(folder / "shard"))
                copy = TreeCopy(folder / "shard", build.shard)
                if not copy_shard(copy, build, lock, builder, wait_seconds):
                    return False
            with engine_errors(folder, "building the index"):
                expected = builder.submit(_sample, build.shard).result()
                shard = builder.submit(build_graph, build.shard, dimension).result()
                with closing(shard):
                    verify(expected, shard)
                    sync_tree(build.shard)
                    return _catch_up(build, shard, folder, lock, dimension, wait_seconds)
    finally:
        lock.release()
        if build is not None:
            build.end()


def copy_shard(
    copy: TreeCopy, build: Build, lock: ShardLock, builder: Executor, wait_seconds: float
) -> bool:
    """Copy the files. The lock, which is held at first, is only held for files that others change
    meanwhile. False if the collection was dropped."""
    for _ in range(_PASSES):
        lock.release()
        builder.submit(copy.go_on).result()
        lock.acquire(wait_seconds)
        if not build.under_way():
            return False
        if copy.look_again() <= COPY_BYTES:
            break
    copy.go_on()
    lock.release()
    return True


def _sample(files: Path) -> Sample:
    import qdrant_edge

    with closing(qdrant_edge.EdgeShard.load(str(files))) as shard:
        return sample_of(shard)


def _lower_priority() -> None:
    """Lower the priority of the calling thread and its threads on Linux, elsewhere of the
    process."""
    with suppress(AttributeError, OSError):
        os.nice(10)


def _catch_up(
    build: Build,
    new: "qdrant_edge.EdgeShard",
    folder: Path,
    lock: ShardLock,
    dimension: int,
    wait_seconds: float,
) -> bool:
    """Carry over the changes since the copy, in turns, until none are left while the lock is held;
    then exchange the shards. Holds the lock at the end."""
    offset, pending = 0, list[str]()
    while True:
        lock.acquire(wait_seconds)
        if not build.under_way():
            return False
        changed, offset = build.changed_since(offset)
        pending = list(dict.fromkeys([*pending, *changed]))
        if pending:
            with opened_shard(folder, dimension) as old:
                pending = _carry(old, new, pending)
        if not pending:
            new.flush()
            new.close()
            sync_tree(build.shard)
            exchange(folder, build.shard)
            return True
        lock.release()
        new.flush()
        sync_tree(build.shard)


def _carry(
    old: "qdrant_edge.EdgeShard", new: "qdrant_edge.EdgeShard", document_ids: list[str]
) -> list[str]:
    """Carry over documents for the length of a turn, at least one; the remaining ones."""
    until = time.monotonic() + TURN_SECONDS
    for done, document_id in enumerate(document_ids, start=1):
        carry_over(document_id, old, new)
        if time.monotonic() >= until:
            return document_ids[done:]
    return []


def main() -> None:
    folder, dimension, wait_seconds = sys.argv[1:]
    _die_with_parent()
    try:
        answer: dict[str, object] = {
            "rebuilt": rebuild(Path(folder), int(dimension), float(wait_seconds))
        }
    except CiteLoomError as error:
        answer = {
            "error": type(error).__name__,
            "message": error.message,
            "next_step": error.next_step and asdict(error.next_step),
        }
    json.dump(answer, sys.stdout)


def _die_with_parent() -> None:
    """End with the other end of the standard input. The kernel sends a signal: a reading thread
    would not run while the engine holds the interpreter lock."""
    if sys.platform != "win32":
        import fcntl

        signal.signal(signal.SIGIO, signal.SIG_DFL)
        fcntl.fcntl(0, fcntl.F_SETOWN, os.getpid())
        fcntl.fcntl(0, fcntl.F_SETFL, fcntl.fcntl(0, fcntl.F_GETFL) | os.O_ASYNC)


if __name__ == "__main__":
    main()
