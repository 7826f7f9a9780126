"""Digests of files, cached while the files are unchanged."""

import errno
import os
import stat
import time
from collections import OrderedDict
from pathlib import Path
from threading import Lock
from typing import Final

from citeloom.infrastructure.ingest.source_files import LocalFiles

# File times have a resolution: a file may change again within one tick of the clock.
_SETTLED_NS: Final = 2_000_000_000
_REMEMBERED: Final = 1024

_FileStamp = tuple[int, int, int, int, int]


class DigestCachingFiles(LocalFiles):
    """``LocalFiles`` that read an unchanged file once. Unchanged: device, inode, size, and times
    of modification and status change (no program can set back the latter; Windows has none).
    For long-lived processes; methods may be called from several threads."""

    def __init__(self) -> None:
        self._digests: OrderedDict[Path, tuple[_FileStamp, str]] = OrderedDict()
        self._lock = Lock()

    def sha256(self, path: Path) -> str:
        before = _file_stamp(path)
        with self._lock:
            cached = self._digests.get(path)
        if cached and cached[0] == before:
            return cached[1]
        digest = super().sha256(path)
        after = _file_stamp(path)
        if before == after and time.time_ns() - max(after[2], after[3]) > _SETTLED_NS:
            with self._lock:
                self._digests[path] = (after, digest)
                while len(self._digests) > _REMEMBERED:
                    self._digests.popitem(last=False)
        return digest


def _file_stamp(path: Path) -> _FileStamp:
    """Raises OSError, also for anything but a regular file: a pipe would never end."""
    status = path.stat()
    if not stat.S_ISREG(status.st_mode):
        raise OSError(errno.EINVAL, "no ordinary file", os.fspath(path))
    return (status.st_dev, status.st_ino, status.st_mtime_ns, status.st_ctime_ns, status.st_size)
