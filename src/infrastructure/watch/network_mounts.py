"""Detection of network file systems, which notify of no remote changes."""

import sys
from pathlib import Path
from typing import Final

# Types of file systems as Linux names them in /proc/self/mounts (filesystems(5) and those of
# FUSE); what virtual machines share with their hosts counts as well.
_REMOTE: Final = frozenset(
    {"9p", "afs", "ceph", "cifs", "davfs", "fuse.davfs2", "fuse.glusterfs", "fuse.rclone",
     "fuse.s3fs", "fuse.sshfs", "fuse.vmhgfs-fuse", "glusterfs", "ncpfs", "nfs", "nfs4",
     "prl_fs", "smb3", "smbfs", "vboxsf", "virtiofs"}
)  # fmt: skip
_ESCAPES: Final = {"\\040": " ", "\\011": "\t", "\\012": "\n", "\\134": "\\"}


def is_remote(folder: Path) -> bool:
    """Whether ``folder`` is on a network file system; always False outside Linux."""
    if not sys.platform.startswith("linux"):
        return False
    try:
        mounts = Path("/proc/self/mounts").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return False
    return file_system_type(folder.resolve(), mounts) in _REMOTE


def file_system_type(folder: Path, mounts: str) -> str | None:
    """Type of the file system of an absolute folder, by the lines of ``/proc/self/mounts``: that of
    the deepest mount above it, and the last of several there."""
    best: tuple[int, str] | None = None
    for line in mounts.splitlines():
        fields = line.split()
        if len(fields) < 3:
            continue
        mount_point = Path(_unescaped(fields[1]))
        depth = len(mount_point.parts)
        if folder.is_relative_to(mount_point) and (best is None or depth >= best[0]):
            best = (depth, fields[2])
    return best[1] if best else None


def _unescaped(text: str) -> str:
    for escape, letter in _ESCAPES.items():
        text = text.replace(escape, letter)
    return text
