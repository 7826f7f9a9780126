"""Locks between the processes of a machine."""

import hashlib
import json
import os
import secrets
import socket
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import datetime
from pathlib import Path
from typing import Final

from citeloom.application.ports.system import LockHeld

from .files import storage_failed
from .processes import process_runs
from .workspace import make_folder

_NAMESPACE: Final = Path("/proc/self/ns/pid")


def new_process_name() -> str:
    """A name of this process that no other has: ``MACHINE:PID:RANDOM``."""
    return f"{_machine()}:{os.getpid()}:{secrets.token_hex(4)}"


def has_ended(name: str) -> bool:
    """Whether a process of this machine no longer runs; False where that is not known."""
    machine, _, rest = name.rpartition(":")[0].rpartition(":")
    # Windows has no harmless signal.
    if os.name == "nt" or machine != _machine() or not rest.isdecimal():
        return False
    return not process_runs(int(rest))


def _machine() -> str:
    """Containers may share the name of their host, and number processes for themselves."""
    with suppress(OSError):
        return f"{socket.gethostname()}/{_NAMESPACE.readlink()}"
    return socket.gethostname()


if sys.platform == "win32":
    import msvcrt

    def _lock(descriptor: int) -> None:
        msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)

    def _unlock(descriptor: int) -> None:
        os.lseek(descriptor, 0, os.SEEK_SET)
        msvcrt.locking(descriptor, msvcrt.LK_UNLCK, 1)

else:
    import fcntl

    def _lock(descriptor: int) -> None:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)

    def _unlock(descriptor: int) -> None:
        fcntl.flock(descriptor, fcntl.LOCK_UN)


class OsLock:
    """``flock`` or its Windows counterpart, taken without waiting.

    It excludes other processes and other ``OsLock`` objects of this one. A descriptor is
    not inherited by child processes.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._descriptor: int | None = None

    def acquire(self) -> bool:
        """Take the lock; False if it is held elsewhere. OSError if the file cannot be
        opened for writing."""
        descriptor = self._open()
        try:
            _lock(descriptor)
            if _still_there(self.path, descriptor):
                self._descriptor = descriptor
        except (BlockingIOError, PermissionError):
            pass
        finally:
            if self._descriptor is None:
                os.close(descriptor)
        return self._descriptor is not None

    @property
    def is_held(self) -> bool:
        return self._descriptor is not None

    def _open(self) -> int:
        return os.open(self.path, os.O_RDWR | os.O_CREAT, 0o666)

    def release(self) -> None:
        """Let go; no error if it is not held."""
        descriptor, self._descriptor = self._descriptor, None
        if descriptor is not None:
            with suppress(OSError):
                _unlock(descriptor)
            os.close(descriptor)


class ReadLock(OsLock):
    """The same lock for a process that may read the file, which exists, but not write it."""

    def _open(self) -> int:
        return os.open(self.path, os.O_RDONLY)


def _still_there(path: Path, descriptor: int) -> bool:
    """Whether the path still leads to the locked file: the last holder may have deleted it
    (a dropped collection) between our opening and our locking it."""
    try:
        found = path.stat()
    except FileNotFoundError:
        return False
    return os.path.samestat(found, os.fstat(descriptor))


_POLL_SECONDS: Final = 0.02


class FileLocks:
    """A file for each lock in ``folder``, which the kernel unlocks when its process dies, and a
    second file that names the holder. ``owner`` describes this process."""

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
        write_holder(_told(lock.path), self._owner)


def write_holder(path: Path, owner: str) -> None:
    """Write who holds a lock. It serves messages only, and the disk may be full."""
    since = datetime.now().astimezone().isoformat(timespec="seconds")
    with suppress(OSError):
        holder = {"pid": os.getpid(), "what": owner, "since": since}
        new = path.with_suffix(".new")
        new.write_text(json.dumps(holder), encoding="utf-8")
        new.replace(path)


def _told(path: Path) -> Path:
    return path.with_suffix(".json")


def _holder(path: Path) -> str | None:
    try:
        found = json.loads(_told(path).read_text(encoding="utf-8"))
        since = datetime.fromisoformat(found["since"]).astimezone()
        return f"process {int(found['pid'])} ({found['what']}) since {since:%H:%M}"
    except (OSError, ValueError, KeyError, TypeError):
        return None
