"""Lock of a shard: held by one process, given up when another asks.

The engine breaks when two processes load one shard, so a process that wants it takes an OS lock
first; the kernel releases that when the process dies, however it dies. A waiting process leaves a
*ticket*, a file in ``want/`` that it touches while it waits. An idle holder looks for tickets and
releases the lock. Tickets are served in order of creation, so a holder that wants the shard back
queues behind earlier ones. A ticket that is no longer touched belongs to a dead process and is
ignored.
"""

import json
import logging
import os
import time
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import Final
from uuid import uuid4

from citeloom.domain.errors import ShardBusy, StorageFailed
from citeloom.infrastructure.system.locks import OsLock, write_holder

POLL_SECONDS: Final = 0.02
# A waiting process touches its ticket fifty times in this time. Longer than the coarsest time
# stamps of file systems in use (1 s), and short, because a killed process delays others this long.
TICKET_LIFETIME: Final = 1.5
# A wait of so many seconds is logged: longer than a turn of another reader takes.
_SILENT: Final = 2.0

_log = logging.getLogger(__name__)


class ShardLock:
    """The lock of the collection in ``folder``; ``owner`` describes this process."""

    def __init__(self, folder: Path, owner: str) -> None:
        self._folder = folder
        self._owner = owner
        self._lock = OsLock(folder / "lock")
        self._holder = folder / "holder.json"
        self._want = folder / "want"
        self._ticket: Path | None = None

    def acquire(self, wait_seconds: float) -> None:
        """Take the lock, after all processes that wait already.

        Raises ShardBusy, naming the holder, after ``wait_seconds``; StorageFailed where no lock
        file can be written.
        """
        try:
            self._want.mkdir(parents=True, exist_ok=True)
            if self._queue() or not self._lock.acquire():
                self._wait(wait_seconds)
            write_holder(self._holder, self._owner)
        except OSError as error:
            self._lock.release()
            raise StorageFailed(
                f"{self._folder}: the index cannot be locked: {error.strerror or error}; "
                "make the folder writable",
                path=str(self._folder),
            ) from error

    def release(self) -> None:
        with suppress(OSError):
            self._holder.unlink(missing_ok=True)
        self._lock.release()

    def is_requested(self) -> bool:
        """Whether another process waits."""
        return bool(self._queue())

    def busy(self, reason: str | None = None) -> ShardBusy:
        """The error that names the holder of the shard."""
        name = self._folder.name
        try:
            holder = json.loads(self._holder.read_text(encoding="utf-8"))
            since = datetime.fromisoformat(holder["since"]).astimezone()
            pid, what = int(holder["pid"]), str(holder["what"])
        except (OSError, ValueError, KeyError, TypeError):
            return ShardBusy(
                f"{name}: the index is {reason or 'held by another process'}; try again",
                collection=name,
            )
        return ShardBusy(
            f"{name}: the index is {reason or 'held'} by process {pid} ({what}) "
            f"since {since:%H:%M}; wait until it is done, or stop it",
            collection=name,
            pid=pid,
            holder=what,
            since=holder["since"],
        )

    def _wait(self, seconds: float) -> None:
        told_at = time.monotonic() + _SILENT
        deadline = time.monotonic() + seconds
        ticket = self._want / f"{time.time_ns():020d}-{os.getpid()}-{uuid4().hex[:8]}"
        self._ticket = ticket
        try:
            while True:
                self._touch(ticket)
                first = all(other > ticket.name for other in self._queue())
                if first and self._lock.acquire():
                    return
                if time.monotonic() >= deadline:
                    raise self.busy()
                if time.monotonic() >= told_at:
                    _log.warning("waiting for %.3g s at most: %s", seconds, self.busy().message)
                    told_at = deadline
                time.sleep(POLL_SECONDS)
        finally:
            self._ticket = None
            with suppress(OSError):
                ticket.unlink(missing_ok=True)

    def _touch(self, ticket: Path) -> None:
        self._want.mkdir(parents=True, exist_ok=True)
        ticket.touch()

    def _queue(self) -> list[str]:
        """Tickets of all other waiting processes; those of dead ones are removed."""
        own_ticket = self._ticket.name if self._ticket else None
        now = time.time()
        tickets: list[str] = []
        try:
            with os.scandir(self._want) as entries:
                for entry in entries:
                    if entry.name == own_ticket:
                        continue
                    with suppress(OSError):
                        if abs(now - entry.stat().st_mtime) <= TICKET_LIFETIME:
                            tickets.append(entry.name)
                        else:
                            Path(entry.path).unlink()
        except FileNotFoundError:
            pass
        return tickets
