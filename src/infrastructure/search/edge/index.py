"""Index of Qdrant Edge: one shard per collection, kept open, shared between processes."""

import atexit
import logging
import shutil
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from citeloom.domain.errors import CiteLoomError

from .collection import EdgeCollection
from .copies import copy_to_temporary, is_read_only
from .graph_build import build_apart, give_up_build
from .hnsw_graph import EXACT_UP_TO
from .shard import RENEWAL, install, remove, shard_exists
from .shard_lock import ShardLock
from .shared_shard import WarmShard

POLL_SECONDS: Final = 0.05

_log = logging.getLogger(__name__)


class EdgeIndex:
    """All collections in ``root``.

    A shard stays open after its ``with`` for the next call; a thread checks twenty times a second
    whether another process asks for it. One that may not be written is read from a temporary
    copy, which ``close`` deletes. ``owner`` describes this process to waiting ones, for
    example ``citeloom mcp``. Collections of more than ``exact_up_to`` passages get a graph when
    they are optimized. Calls wait ``wait_seconds`` for another process, at most.
    """

    def __init__(
        self,
        root: Path,
        *,
        owner: str = "citeloom",
        exact_up_to: int = EXACT_UP_TO,
        wait_seconds: float = 30.0,
    ) -> None:
        self._root = root
        self._owner = owner
        self._exact_up_to = exact_up_to
        self._wait = wait_seconds
        self._slots: dict[str, WarmShard] = {}
        self._copies: list[Path] = []
        self._guard = threading.Lock()
        self._watcher: threading.Thread | None = None
        self._stop = threading.Event()

    @contextmanager
    def open(
        self,
        collection: str,
        *,
        dimension: int,
        writing: bool = False,  # noqa: ARG002
    ) -> Iterator[EdgeCollection]:
        slot = self._slot(collection)
        opened = slot.enter(dimension, self._wait)
        try:
            yield opened
        finally:
            slot.leave()

    def exists(self, collection: str) -> bool:
        return shard_exists(self._folder(collection))

    def optimize(
        self, collection: str, *, dimension: int, on_start: Callable[[], None] | None = None
    ) -> bool:
        with self.open(collection, dimension=dimension) as opened:
            if not opened.outgrown(self._exact_up_to):
                return False
        if on_start is not None:
            on_start()
        return build_apart(self._folder(collection), dimension, self._wait)

    @contextmanager
    def renewal(self, collection: str, *, dimension: int) -> "Iterator[EdgeIndex]":
        """An index of its own in the collection's folder, whose shard is installed at the end."""
        folder = self._folder(collection)
        with self._slot(collection).emptied(self._wait):
            give_up_build(folder)
            place = folder / RENEWAL
            shutil.rmtree(place, ignore_errors=True)
            index = EdgeIndex(
                place, owner=self._owner, exact_up_to=self._exact_up_to, wait_seconds=self._wait
            )
            try:
                with index.open(collection, dimension=dimension):
                    pass  # also one without passages takes the place of a damaged one
                yield index
                index.close()
                install(folder, place / collection / "shard", dimension)
            finally:
                index.close()
                shutil.rmtree(place, ignore_errors=True)

    @contextmanager
    def held(self, collection: str) -> "Iterator[Path]":
        """The collection's folder (or its copy, if read-only), whose files no process changes
        during the block. Raises ShardBusy."""
        slot = self._slot(collection)
        with slot.emptied(self._wait):
            yield slot.folder

    def condition(
        self,
        collection: str,  # noqa: ARG002
        *,
        try_write: bool = False,  # noqa: ARG002
    ) -> None:
        """None, because there is no server."""
        return

    def drop(self, collection: str) -> None:
        folder = self._folder(collection)
        if not folder.is_dir():
            return
        with self._slot(collection).emptied(self._wait):
            remove(folder)

    def close(self) -> None:
        """Close all shards: idle ones now, others at the end of their ``with``."""
        with self._guard:
            slots, watcher = list(self._slots.values()), self._watcher
            self._watcher = None
            self._stop.set()
        for slot in slots:
            slot.give_up()
        if watcher is not None:
            watcher.join(timeout=5.0)
            atexit.unregister(self.close)
        self._remove_copies()

    def _folder(self, collection: str) -> Path:
        if collection in ("", ".", "..") or Path(collection).name != collection:
            raise ValueError(f"{collection!r} is not a collection name")
        return self._root / collection

    def _remove_copies(self) -> None:
        with self._guard:
            for copy in self._copies:
                self._slots.pop(copy.name, None)
                shutil.rmtree(copy.parent, ignore_errors=True)
            self._copies = []

    def _slot(self, collection: str) -> WarmShard:
        folder = self._folder(collection)
        with self._guard:
            if collection not in self._slots:
                original = None
                if is_read_only(folder):
                    original, folder = folder, copy_to_temporary(folder, self._wait)
                    self._copies.append(folder)
                lock = ShardLock(folder, self._owner)
                self._slots[collection] = WarmShard(folder, lock, copy_of=original)
            if self._watcher is None:
                self._stop = threading.Event()
                self._watcher = threading.Thread(
                    target=self._watch, args=(self._stop,), name="index-watcher", daemon=True
                )
                self._watcher.start()
                atexit.register(self.close)
            return self._slots[collection]

    def _watch(self, stop: threading.Event) -> None:
        while not stop.wait(POLL_SECONDS):
            for slot in list(self._slots.values()):
                try:
                    slot.give_way()
                except (CiteLoomError, OSError) as error:  # retried at the next poll
                    _log.warning("giving up an index that another process wants: %s", error)
