"""Digests of files, remembered while the files stay as they are."""

import errno
import os
import stat
import time
from collections import OrderedDict
from pathlib import Path
from threading import Lock
from typing import Final

from citeloom.infrastructure.ingest.source_files import LocalFiles

# Clocks of file systems tick; what was changed a moment ago may change again within a tick.
_SETTLED_NS: Final = 2_000_000_000
_REMEMBERED: Final = 1024

_Look = tuple[int, int, int, int, int]


class SettledFiles(LocalFiles):
    """``LocalFiles`` that read an unchanged file once: unchanged are size, inode, and the
    times of modification and of change of status, which no program can set back (on
    Windows, where the latter is missing, those that are there). For a process that lives
    long; methods may be called from several threads."""

    def __init__(self) -> None:
        self._known: OrderedDict[Path, tuple[_Look, str]] = OrderedDict()
        self._lock = Lock()

    def sha256(self, path: Path) -> str:
        before = _look(path)
        with self._lock:
            known = self._known.get(path)
        if known and known[0] == before:
            return known[1]
        digest = super().sha256(path)
        after = _look(path)
        if before == after and time.time_ns() - max(after[2], after[3]) > _SETTLED_NS:
            with self._lock:
                self._known[path] = (after, digest)
                while len(self._known) > _REMEMBERED:
                    self._known.popitem(last=False)
        return digest


def _look(path: Path) -> _Look:
    """Raises OSError, also for what is no ordinary file: a pipe would never end."""
    found = path.stat()
    if not stat.S_ISREG(found.st_mode):
        raise OSError(errno.EINVAL, "no ordinary file", os.fspath(path))
    return (found.st_dev, found.st_ino, found.st_mtime_ns, found.st_ctime_ns, found.st_size)
