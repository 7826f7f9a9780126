"""Building a collection's graph beside it, and putting it in its place.

``python -m citeloom.infrastructure.index.rebuild FOLDER DIMENSION WAIT_SECONDS`` prints
``{"rebuilt": true}`` or an error, as JSON, and dies with the process that holds its input.

The collection is locked while its files are copied, and then for moments only: queries and
writes go on while the graph is built. What they changed meanwhile is carried over document
by document, a second at a time, and in the last such second the new shard takes the old
one's place. Killed at any moment, one of the two is there, whole.
"""

import json
import os
import signal
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final

from citeloom.domain.errors import CiteLoomError
from citeloom.infrastructure.index.build import Build
from citeloom.infrastructure.index.carrying import carry_over, verify
from citeloom.infrastructure.index.copying import copy_tree, size_of, sync_tree
from citeloom.infrastructure.index.graph import build_graph
from citeloom.infrastructure.index.lock import ShardLock
from citeloom.infrastructure.index.shard import (
    engine_errors,
    exchange,
    is_there,
    open_shard,
    require_space,
)

if TYPE_CHECKING:
    import qdrant_edge

# How long others may have to wait while changes are carried over.
TURN_SECONDS: Final = 1.0
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
        with engine_errors(folder, "copying the index"):
            open_shard(folder, dimension).close()  # whole, and of this version
            require_space(folder, size_of(folder / "shard"))
            copy_tree(folder / "shard", build.shard)
        lock.release()
        with engine_errors(folder, "building the index"):
            # A thread of its own, at low priority: while the lock is held there is no time to
            # lose, and a process that has stepped back cannot come forward again.
            with ThreadPoolExecutor(1, initializer=_step_back) as builder:
                shard = builder.submit(build_graph, build.shard, dimension).result()
            with closing(shard):
                sync_tree(build.shard)
                return _catch_up(build, shard, folder, lock, dimension, wait_seconds)
    finally:
        if build is not None:
            build.end()
        lock.release()


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
        with closing(open_shard(folder, dimension)) as old:
            changed, offset = build.changed_since(offset)
            left = _carry(old, new, list(dict.fromkeys([*left, *changed])))
            if not left:
                verify(old, new)
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
