"""Source files on the local file system, and their digests."""

import errno
import hashlib
import os
import stat
import time
from collections import Counter, OrderedDict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from threading import Lock
from typing import Final

from citeloom.application.ports.catalogue import SourceStamp
from citeloom.application.ports.ingest import FoundFile, FoundFiles
from citeloom.domain.errors import InvalidSource


class LocalFiles:
    """Walks folders in name order; paths come out absolute, links unresolved."""

    def find(self, sources: Sequence[str], accepts: Callable[[Path], bool]) -> FoundFiles:
        files: dict[Path, FoundFile] = {}
        folders: list[Path] = []
        skipped: Counter[str] = Counter()
        links: list[Path] = []
        for source in sources:
            path = Path(os.path.abspath(Path(source).expanduser()))
            if path.is_dir():
                folders.append(path)
                for file in self._walk(path, accepts, skipped, links):
                    files.setdefault(file.path, file)
            else:
                files[path] = self._found_file(path, named=True)
        missing = [f for f in files.values() if f.named and not os.path.lexists(f.path)]
        if missing and len(missing) == len(files) and not folders:
            raise InvalidSource(
                f"{missing[0].path}: no such file or folder; check the path",
                source=str(missing[0].path),
            )
        return FoundFiles(
            files=tuple(files.values()),
            folders=tuple(folders),
            skipped=tuple(sorted(skipped.items())),
            links=tuple(link for link in links if link not in folders),
        )

    def stamps(self, paths: Iterable[str]) -> Mapping[str, SourceStamp]:
        stamps = {}
        for path in paths:
            try:
                status = os.stat(path)  # noqa: PTH116 (a Path a file doubles the time)
            except (OSError, ValueError):
                continue
            if stat.S_ISREG(status.st_mode):
                stamps[path] = SourceStamp(
                    path=path, size=status.st_size, mtime_ns=status.st_mtime_ns
                )
        return stamps

    def sha256(self, path: Path) -> str:
        with path.open("rb") as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()

    def exists(self, path: str) -> bool:
        return Path(path).exists()

    def resolved(self, path: Path) -> Path:
        return Path(os.path.realpath(path))

    def _walk(
        self,
        folder: Path,
        accepts: Callable[[Path], bool],
        skipped: Counter[str],
        links: list[Path],
    ) -> Iterator[FoundFile]:
        for parent, names, files in os.walk(folder, onerror=_refuse_top(folder)):
            names[:] = sorted(n for n in names if not n.startswith("."))
            links += [path for name in names if (path := Path(parent) / name).is_symlink()]
            for name in sorted(files):
                if name.startswith((".", "~$")):
                    continue
                path = Path(parent) / name
                if accepts(path):
                    yield self._found_file(path)
                else:
                    skipped[path.suffix.lower() or name] += 1

    def _found_file(self, path: Path, *, named: bool = False) -> FoundFile:
        printable = os.fsencode(path).decode("utf-8", "replace")
        if printable != str(path):
            reason = "its name is not UTF-8 text; rename it (or set PYTHONUTF8=1)"
            return FoundFile(path=Path(printable), named=named, problem=reason)
        try:
            status = path.stat()
            problem = None if os.access(path, os.R_OK) else "no permission to read it"
            if not path.is_file():
                problem = "neither a file nor a folder"
        except FileNotFoundError:
            status, problem = None, "no such file or folder"
            if path.is_symlink():
                problem = f"a link to {path.readlink()}, which does not exist"
        except OSError as error:
            status, problem = None, error.strerror or str(error)
        stamp = (
            SourceStamp(path=str(path), size=status.st_size, mtime_ns=status.st_mtime_ns)
            if status and not problem
            else None
        )
        return FoundFile(path=path, stamp=stamp, named=named, problem=problem)


def _refuse_top(folder: Path) -> Callable[[OSError], None]:
    """Raise for the unreadable ``folder`` itself; skip unreadable folders below it."""

    def on_error(error: OSError) -> None:
        if error.filename and Path(error.filename) == folder:
            raise InvalidSource(
                f"{folder}: the folder cannot be read ({error.strerror}); check its permissions"
            ) from error

    return on_error


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
