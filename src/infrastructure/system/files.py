"""Files of a workspace: atomic, private, and with a reserve for a full disk.

Reading and deleting need some space: SQLite for shared memory and a log, an index for files that it
fills when it is opened. On a full disk the reserve is given back, so that they go on.
"""

import errno
import hashlib
import itertools
import os
import re
import shutil
import socket
import stat
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import cache
from io import BufferedReader
from pathlib import Path
from typing import Final

from citeloom.domain.errors import StorageFailed
from citeloom.domain.messages import Action, NextStep

from .processes import process_runs

FULL = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})
FORBIDDEN = frozenset({errno.EROFS, errno.EACCES, errno.EPERM})

# Opened without waiting for another process at the other end of a pipe.
_AT_ONCE: Final = (
    getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
)
SHORTER = "choose a folder with a shorter one"
_LONGEST = 200


def storage_failed(path: Path, error: OSError, action: str = "written") -> StorageFailed:
    """The error to raise when ``path`` could not be ``action`` (written, read, deleted)."""
    reason, next_step = f"cannot be {action} ({_reason(error)})", None
    if error.errno in FULL:
        reason, next_step = "the disk is full", NextStep(Action.FREE_SPACE)
    elif error.errno in FORBIDDEN:
        next_step = NextStep(Action.MAKE_WRITABLE)
    elif error.errno == errno.ENAMETOOLONG:
        reason = f"the path is too long for this file system; {SHORTER}"
    else:
        reason += "; check the folder and try again"
    return StorageFailed(
        f"{shown_path(path)}: {reason}", next_step, path=str(path), errno=error.errno
    )


def system_failed(error: OSError) -> StorageFailed:
    """The error for a system error that no other place has named."""
    if isinstance(error.filename, str | bytes):
        return storage_failed(Path(os.fsdecode(error.filename)), error, "used")
    return StorageFailed(f"the system refuses it ({_reason(error)}); check the disk and try again")


def shown_path(path: Path) -> str:
    """A path as messages name it: a very long one without its middle."""
    text = str(path)
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST // 2]}…{text[-_LONGEST // 2 :]}"


def _reason(error: OSError) -> str:
    return (error.strerror or type(error).__name__).lower()


# A living writer renames its file within seconds; an older file is a leftover, also one of
# another machine on a network share.
_STALE_SECONDS = 3600.0
_TEMPORARY = re.compile(r"\..+\.([0-9a-f]{8})-(\d+)-\d+\.tmp")
_serial = itertools.count()


@contextmanager
def ordinary_file(path: Path) -> Iterator[BufferedReader]:
    """``path`` opened to be read, if it is an ordinary file when it is open: a pipe or a device
    would never end. Raises OSError."""
    descriptor = os.open(path, os.O_RDONLY | _AT_ONCE)
    with os.fdopen(descriptor, "rb") as file:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise OSError(errno.EINVAL, "not an ordinary file", os.fspath(path))
        yield file


def file_sha256(path: Path) -> str:
    """The digest by which whole files are compared with what they are named for. Raises OSError."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def write_atomic(path: Path, content: bytes, mode: int | None = None) -> None:
    """Replace ``path`` by ``content``: readers see the old file or the new one.

    ``mode`` is that of the file; without one that of new files. The bytes are synced before the
    rename, and the folder after it. On failure the old file remains
    and no temporary file is left. Raises StorageFailed.
    """
    with atomic_path(path) as temporary:
        try:
            temporary.write_bytes(content)
            if mode is not None:
                temporary.chmod(mode)
        except OSError as error:
            raise storage_failed(path, error) from error


@contextmanager
def atomic_path(path: Path) -> Iterator[Path]:
    """A temporary path to write; on success it replaces ``path`` as in ``write_atomic``. Raises
    StorageFailed."""
    with scratch_path(path) as temporary:
        yield temporary
        try:
            with temporary.open("rb+") as file:
                os.fsync(file.fileno())
            temporary.replace(path)
            sync_folder(path.parent)
        except OSError as error:
            raise storage_failed(path, error) from error


@contextmanager
def scratch_path(path: Path) -> Iterator[Path]:
    """A temporary path beside ``path``, for a file or a folder, removed at the end of the block,
    and by ``remove_leftovers`` if the process is killed."""
    temporary = path.with_name(f".{path.name}.{_host()}-{os.getpid()}-{next(_serial)}.tmp")
    try:
        yield temporary
    finally:
        with suppress(OSError):  # what was renamed is not there to be removed
            _remove(temporary)


def _remove(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path)
    else:
        path.unlink()


def remove_leftovers(folder: Path) -> int:
    """Remove temporary files and folders in ``folder`` whose writers are dead; their number."""
    removed = 0
    with suppress(OSError):  # tidying must never make a write fail
        for path in folder.iterdir():
            if (match := _TEMPORARY.fullmatch(path.name)) and _dead(path, *match.groups()):
                _remove(path)
                removed += 1
    return removed


def _dead(path: Path, host: str, pid: str) -> bool:
    # On Windows only the age counts.
    if os.name == "nt" or host != _host():
        return time.time() - path.stat().st_mtime > _STALE_SECONDS
    return not process_runs(int(pid))


def _host() -> str:
    return hashlib.sha256(socket.gethostname().encode()).hexdigest()[:8]


def sync_folder(folder: Path) -> None:
    if os.name == "nt":  # folders cannot be opened there; NTFS journals the rename
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


_OTHERS = stat.S_IRWXG | stat.S_IRWXO
_HAS_MODES = os.name != "nt"
# The mask that the process began with comes first.
_user_masks: list[int] = []


def create_privately(home: Path) -> None:
    """From now on this process, and those that it starts, create files for their user alone,
    unless the workspace at ``home`` is shared."""
    if not _HAS_MODES or _is_shared(home):
        return
    before = os.umask(_OTHERS)
    os.umask(before | _OTHERS)
    _user_masks.append(before)


def public_mode() -> int | None:
    """The mode of a file outside the workspace, as the user's mask has it; None where it holds."""
    return 0o666 & ~_user_masks[0] if _user_masks else None


def tighten(home: Path) -> None:
    """Remove the rights of others from folders of an earlier version in ``home``, once for each
    process."""
    if _HAS_MODES:
        _tightened(home)


def is_readable_by_all(path: Path) -> bool:
    """Whether every user of the machine may read the file."""
    try:
        return _HAS_MODES and bool(path.stat().st_mode & stat.S_IROTH)
    except OSError:
        return False


def _is_shared(home: Path) -> bool:
    """Whether a group works on it: the folder, or the one it will be in, hands its group on."""
    folder = home if home.exists() else home.parent
    try:
        return bool(folder.stat().st_mode & stat.S_ISGID)
    except OSError:
        return False


@cache
def _tightened(home: Path) -> None:
    with suppress(OSError):  # of somebody else, or on a disk without modes
        if not home.stat().st_mode & _OTHERS or _is_shared(home):
            return
        home.chmod(0o700)
        for parent, folders, files in os.walk(home):
            for name in (*folders, *files):
                path = Path(parent, name)
                if not path.is_symlink():
                    path.chmod(stat.S_IMODE(path.stat().st_mode) & ~_OTHERS)


# Win32, "Naming Files, Paths, and Namespaces".
_DEVICE = re.compile(r"(?:con|prn|aux|nul|(?:com|lpt)[0-9¹²³])(?:[. ]|$)", re.IGNORECASE)


def not_a_device(name: str) -> str:
    """The name, after a low line where Windows would take it for a device (``com1.pdf``)."""
    return f"_{name}" if _DEVICE.match(name) else name


def folder_name(sources: Sequence[str | Path]) -> str:
    """The name of the innermost folder that holds all files and folders; empty without one."""
    paths = [Path(os.path.abspath(Path(source).expanduser())) for source in sources]
    folders = [path if path.is_dir() else path.parent for path in paths]
    try:
        return Path(os.path.commonpath(folders)).name
    except ValueError:  # none, or on several drives
        return ""


#: Free space below which the reserve is given back.
LOW_BYTES: Final = 56 * 2**20
# Free space above which there is room for a reserve.
_PLENTY_BYTES: Final = 1 << 30


def release_if_full(home: Path) -> None:
    """Delete the reserve in the folder ``home`` if nearly nothing else is free. Where that is not
    possible, what is done next says why."""
    with suppress(OSError):
        if shutil.disk_usage(home).free < LOW_BYTES:
            _reserve(home).unlink(missing_ok=True)


def keep_reserve(home: Path, megabytes: int) -> None:
    """Have a reserve of ``megabytes`` in the folder ``home``, if the folder is there and a lot of
    space is free; 0 for none. Without one only a full disk is harder to bear, so that no failure
    is raised."""
    reserve, wanted = _reserve(home), megabytes * 2**20
    with suppress(OSError):
        if not wanted:
            reserve.unlink(missing_ok=True)
        elif _size(reserve) != wanted and shutil.disk_usage(home).free > _PLENTY_BYTES:
            _allocate(reserve, wanted)


def _reserve(home: Path) -> Path:
    return home / "reserve"


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return 0


def _allocate(path: Path, count: int) -> None:
    """Make a file that has its blocks: no later write can take them."""
    with path.open("wb") as file:
        if hasattr(os, "posix_fallocate"):
            os.posix_fallocate(file.fileno(), 0, count)
        else:
            file.write(bytes(count))
