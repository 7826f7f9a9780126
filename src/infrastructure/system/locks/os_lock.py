"""An exclusive lock on a file that the kernel releases when its process dies."""

import os
import sys
from contextlib import suppress
from pathlib import Path

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
