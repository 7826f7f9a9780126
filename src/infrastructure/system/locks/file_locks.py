"""Locks of processes as files (port ``ProcessLocks``): for one machine."""

import hashlib
import json
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import datetime
from pathlib import Path
from typing import Final

from citeloom.application.ports.system import LockHeld
from citeloom.infrastructure.system.failure_messages import storage_failed
from citeloom.infrastructure.system.locks.os_lock import OsLock
from citeloom.infrastructure.system.workspace import make_folder

_POLL_SECONDS: Final = 0.02


class FileLocks:
    """A file for each lock in ``folder``, which the kernel unlocks when its process dies; beside it
    a file that says who holds it. ``owner`` describes this process."""

    def __init__(self, folder: Path, owner: str) -> None:
        self._folder = folder
        self._owner = owner

    @contextmanager
    def hold(self, name: str, wait_seconds: float) -> Iterator[None]:
        path = self._folder / f"{hashlib.sha256(name.encode()).hexdigest()[:32]}.lock"
        lock = OsLock(path)
        self._acquire(lock, name, time.monotonic() + wait_seconds)
        try:
            yield
        finally:
            with suppress(OSError):
                _told(path).unlink(missing_ok=True)
            lock.release()

    def close(self) -> None:
        """Does nothing: a lock is released at the end of its block."""

    def _acquire(self, lock: OsLock, name: str, deadline: float) -> None:
        try:
            make_folder(self._folder)
            while not lock.acquire():
                if time.monotonic() >= deadline:
                    raise LockHeld(name, _holder(lock.path))
                time.sleep(_POLL_SECONDS)
        except OSError as error:
            raise storage_failed(lock.path, error, "locked") from error
        holder = {
            "pid": os.getpid(),
            "what": self._owner,
            "since": datetime.now().astimezone().isoformat(timespec="seconds"),
        }
        with suppress(OSError):  # it serves messages only, and the disk may be full
            _told(lock.path).write_text(json.dumps(holder), encoding="utf-8")


def _told(path: Path) -> Path:
    return path.with_suffix(".json")


def _holder(path: Path) -> str | None:
    try:
        found = json.loads(_told(path).read_text(encoding="utf-8"))
        since = datetime.fromisoformat(found["since"]).astimezone()
        return f"process {int(found['pid'])} ({found['what']}) since {since:%H:%M}"
    except (OSError, ValueError, KeyError, TypeError):
        return None
