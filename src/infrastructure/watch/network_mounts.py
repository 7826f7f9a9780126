"""Which folders lie on a network: the system tells nothing of what others change there."""

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
    """Whether changes made elsewhere may go unnoticed; only Linux says so."""
    if not sys.platform.startswith("linux"):
        return False
    try:
        mounts = Path("/proc/self/mounts").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return False
    return kind_of(folder.resolve(), mounts) in _REMOTE


def kind_of(folder: Path, mounts: str) -> str | None:
    """The type of the file system that a folder (absolute) lies on, by the lines of
    ``/proc/self/mounts``: that of the deepest mount above it, and of several there the last."""
    best: tuple[int, str] | None = None
    for line in mounts.splitlines():
        fields = line.split()
        if len(fields) < 3:
            continue
        place = Path(_unescaped(fields[1]))
        depth = len(place.parts)
        if folder.is_relative_to(place) and (best is None or depth >= best[0]):
            best = (depth, fields[2])
    return best[1] if best else None


def _unescaped(text: str) -> str:
    for escape, letter in _ESCAPES.items():
        text = text.replace(escape, letter)
    return text
