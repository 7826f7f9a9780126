"""The trash after the FreeDesktop.org specification."""

import sys
from pathlib import Path
from urllib.parse import unquote

import pytest

from citeloom.domain.errors import StorageFailed
from citeloom.infrastructure.system.trash import DesktopTrash

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the trash of Linux desktops")


def test_a_file_is_moved_with_what_restores_it(tmp_path: Path) -> None:
    paper = tmp_path / "Grün & blau.pdf"
    paper.write_bytes(b"1")
    trash = DesktopTrash(tmp_path / "Trash")
    trash.check(paper)
    trash.put(paper)
    assert not paper.exists()
    assert (tmp_path / "Trash/files/Grün & blau.pdf").read_bytes() == b"1"
    info = (tmp_path / "Trash/info/Grün & blau.pdf.trashinfo").read_text(encoding="ascii")
    head, path, date = info.splitlines()
    assert (head, unquote(path)) == ("[Trash Info]", f"Path={paper}")
    assert date.startswith("DeletionDate=20")


def test_files_of_one_name_are_all_kept(tmp_path: Path) -> None:
    trash = DesktopTrash(tmp_path / "Trash")
    paper = tmp_path / "a.pdf"
    for content in ("1", "2", "3"):
        paper.write_text(content)
        trash.put(paper)
    found = {one.name: one.read_text() for one in (tmp_path / "Trash/files").iterdir()}
    assert sorted(found.values()) == ["1", "2", "3"]
    infos = {one.name.removesuffix(".trashinfo") for one in (tmp_path / "Trash/info").iterdir()}
    assert infos == found.keys()


def test_where_no_trash_can_be_made_the_reason_is_told(tmp_path: Path) -> None:
    (tmp_path / "Trash").write_text("no folder")
    paper = tmp_path / "a.pdf"
    paper.write_text("1")
    trash = DesktopTrash(tmp_path / "Trash")
    for refused in (trash.check, trash.put):
        with pytest.raises(StorageFailed, match=r"a\.pdf"):
            refused(paper)
    assert paper.exists()


def test_a_file_that_is_gone_leaves_nothing_in_the_trash(tmp_path: Path) -> None:
    with pytest.raises(StorageFailed):
        DesktopTrash(tmp_path / "Trash").put(tmp_path / "gone.pdf")
    assert list((tmp_path / "Trash/info").iterdir()) == []
