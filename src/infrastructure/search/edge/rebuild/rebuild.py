"""Building a collection's graph beside it, and putting it in its place.

``python -m citeloom.infrastructure.search.edge.rebuild.rebuild FOLDER DIMENSION SECONDS`` prints
``{"rebuilt": true}`` or an error, as JSON, and dies with the process that holds its input.

The collection is locked for moments only: queries and writes go on while its files are
copied, but for those that change at that time, and while the graph is built. What changed
meanwhile is carried over document by document, a second at a time, and in the last such
second the new shard takes the old one's place. Killed at any moment, one of the two is there,
whole.
"""

import json
import os
import signal
import sys
import time
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import closing, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final

from citeloom.domain.errors import CiteLoomError
from citeloom.infrastructure.search.edge.hnsw_graph import build_graph
from citeloom.infrastructure.search.edge.rebuild.build_folder import Build
from citeloom.infrastructure.search.edge.rebuild.document_transfer import (
    Sample,
    carry_over,
    sample_of,
    verify,
)
from citeloom.infrastructure.search.edge.rebuild.tree_copy import TreeCopy, size_of, sync_tree
from citeloom.infrastructure.search.edge.shard import (
    engine_errors,
    exchange,
    is_of_this_version,
    is_there,
    open_shard,
    require_space,
)
from citeloom.infrastructure.search.edge.shard_lock import ShardLock

if TYPE_CHECKING:
    import qdrant_edge

# How long others may have to wait while changes are carried over.
TURN_SECONDS: Final = 1.0
# What is copied while others wait: half a second's work. More is copied before once again, but
# not for ever: what a large ingest writes to all the time will not become less.
COPY_BYTES: Final = 64 * 2**20
_PASSES: Final = 3
_OWNER: Final = "citeloom, building the index"


def rebuild(folder: Path, dimension: int, wait_seconds: float) -> bool:
    """Build the graph of the collection in ``folder``. False if another process is at it, or
    if the collection was dropped meanwhile.

    Raises ShardBusy, IndexUnavailable (damaged, or the new shard is not as the old one),
    StorageFailed (no room: it takes twice that of the index).
    """
    lock = ShardLock(folder, _OWNER)
    build: Build | None = None
    lock.acquire(wait_seconds)
    try:
        build = Build.begin(folder) if is_there(folder) else None
        if build is None:
            return False
        # A thread of its own, at low priority: while the lock is held there is no time to
        # lose, and a process that has stepped back cannot come forward again.
        with ThreadPoolExecutor(1, initializer=_step_back) as builder:
            with engine_errors(folder, "copying the index"):
                if not is_of_this_version(folder, dimension):
                    open_shard(folder, dimension).close()
                require_space(folder, size_of(folder / "shard"))
                copy = TreeCopy(folder / "shard", build.shard)
                if not copy_shard(copy, build, lock, builder, wait_seconds):
                    return False
            with engine_errors(folder, "building the index"):
                wanted = builder.submit(_sample, build.shard).result()
                shard = builder.submit(build_graph, build.shard, dimension).result()
                with closing(shard):
                    verify(wanted, shard)
                    sync_tree(build.shard)
                    return _catch_up(build, shard, folder, lock, dimension, wait_seconds)
    finally:
        lock.release()
        if build is not None:
            build.end()


def copy_shard(
    copy: TreeCopy, build: Build, lock: ShardLock, builder: Executor, wait_seconds: float
) -> bool:
    """Copy the files, with the lock, which is held at first, for what others change meanwhile
    only. False if the collection was dropped."""
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


def _step_back() -> None:
    """Of the calling thread and those that it starts, on Linux; elsewhere of the process."""
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
    """Carry over what changed since the copy, in turns, until nothing is left while nobody
    else can write; then exchange the shards. Holds the lock at the end."""
    offset, left = 0, list[str]()
    while True:
        lock.acquire(wait_seconds)
        if not build.under_way():
            return False
        changed, offset = build.changed_since(offset)
        left = list(dict.fromkeys([*left, *changed]))
        if left:
            with closing(open_shard(folder, dimension)) as old:
                left = _carry(old, new, left)
        if not left:
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
    """Carry over these documents for as long as a turn lasts, one at least; the rest."""
    until = time.monotonic() + TURN_SECONDS
    for done, document_id in enumerate(document_ids, start=1):
        carry_over(document_id, old, new)
        if time.monotonic() >= until:
            return document_ids[done:]
    return []


def main() -> None:
    folder, dimension, wait_seconds = sys.argv[1:]
    _die_with_the_parent()
    try:
        answer: dict[str, object] = {
            "rebuilt": rebuild(Path(folder), int(dimension), float(wait_seconds))
        }
    except CiteLoomError as error:
        answer = {"error": type(error).__name__, "message": error.message}
    json.dump(answer, sys.stdout)


def _die_with_the_parent() -> None:
    """End when the other end of the input does. The kernel sees to it by a signal: a thread
    that reads would not run while the engine holds the interpreter lock."""
    if sys.platform != "win32":
        import fcntl

        signal.signal(signal.SIGIO, signal.SIG_DFL)
        fcntl.fcntl(0, fcntl.F_SETOWN, os.getpid())
        fcntl.fcntl(0, fcntl.F_SETFL, fcntl.fcntl(0, fcntl.F_GETFL) | os.O_ASYNC)


if __name__ == "__main__":
    main()
