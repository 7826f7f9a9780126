"""Which file system a folder lies on."""

from pathlib import Path

from support.cases import each

from citeloom.infrastructure.watch import file_system_type

MOUNTS = """/dev/sda1 / ext4 rw 0 0
server:/home /home nfs4 rw 0 0
/dev/sdb1 /home/her/disk ext4 rw 0 0
//nas/papers /mnt/our\\040papers cifs rw 0 0
tmpfs /home/her/disk tmpfs rw 0 0
broken
"""


@each(
    ("folder", "kind"),
    [
        ("/etc", "ext4"),
        ("/home/her", "nfs4"),
        ("/homes", "ext4"),
        ("/home/her/disk/papers", "tmpfs"),
        ("/mnt/our papers/2020", "cifs"),
    ],
)
def test_the_deepest_mount_above_counts_and_of_several_the_last(folder: str, kind: str) -> None:
    assert file_system_type(Path(folder), MOUNTS) == kind


def test_without_mounts_nothing_is_known() -> None:
    assert file_system_type(Path("/etc"), "") is None
