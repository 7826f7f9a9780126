"""Files of a workspace, which their user alone reads: 0600, and 0700 for folders."""

import os
import stat
from contextlib import suppress
from functools import cache
from pathlib import Path

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
    """Take the rights of others from what an earlier version made in ``home``, once a process."""
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
