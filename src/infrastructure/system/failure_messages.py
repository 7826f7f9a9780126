"""Error messages for failures of the file system."""

import errno
import os
from pathlib import Path

from citeloom.domain.errors import StorageFailed
from citeloom.domain.messages import Action, NextStep

FULL = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})
FORBIDDEN = frozenset({errno.EROFS, errno.EACCES, errno.EPERM})

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
    """The error to raise for one of the system that nothing nearer has named."""
    if isinstance(error.filename, str | bytes):
        return storage_failed(Path(os.fsdecode(error.filename)), error, "used")
    return StorageFailed(f"the system refuses it ({_reason(error)}); check the disk and try again")


def shown_path(path: Path) -> str:
    """A path as messages name it: a very long one without its middle."""
    text = str(path)
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST // 2]}…{text[-_LONGEST // 2 :]}"


def _reason(error: OSError) -> str:
    return (error.strerror or type(error).__name__).lower()
