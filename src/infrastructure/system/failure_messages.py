"""Error messages for failures of the file system."""

import errno
from pathlib import Path

from citeloom.domain.errors import StorageFailed

FULL = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})
FORBIDDEN = frozenset({errno.EROFS, errno.EACCES, errno.EPERM})

FREE_SPACE = "free some space and run the same command again; what was stored is kept"
ELSEWHERE = "make it writable, or choose another folder with `--workspace` or CITELOOM_WORKSPACE"


def storage_failed(path: Path, error: OSError, action: str = "written") -> StorageFailed:
    """The error to raise when ``path`` could not be ``action`` (written, read, deleted)."""
    if error.errno in FULL:
        reason, step = "the disk is full", FREE_SPACE
    elif error.errno in FORBIDDEN:
        reason, step = f"cannot be {action} ({_reason(error)})", ELSEWHERE
    else:
        reason, step = (
            f"cannot be {action} ({_reason(error)})",
            "check the folder and try again",
        )
    return StorageFailed(f"{path}: {reason}; {step}", path=str(path), errno=error.errno)


def _reason(error: OSError) -> str:
    return (error.strerror or type(error).__name__).lower()
