"""Paths of attachments by their link mode."""

from pathlib import Path
from typing import Any

import pytest
from support.cases import each

from citeloom.domain.library import LinkMode
from citeloom.infrastructure.library.raw_items import LINK_MODES, AttachmentFolders, file_name
from citeloom.infrastructure.library.source import existing_file

PLACES = AttachmentFolders(data_dir=Path("/z"), linked_base=Path("/base"))


def test_link_modes_are_zoteros() -> None:
    assert [(mode.value, name) for name, mode in LINK_MODES.items()] == [
        (0, "imported_file"), (1, "imported_url"), (2, "linked_file"), (3, "linked_url"),
    ]  # fmt: skip
    assert set(LINK_MODES.values()) == set(LinkMode)


@each(
    ("mode", "fields", "path"),
    [
        ("imported_file", {"filename": "a b.pdf"}, "/z/storage/KEY00001/a b.pdf"),
        ("imported_file", {"path": "storage:é.pdf"}, "/z/storage/KEY00001/é.pdf"),
        ("imported_url", {"filename": "page.html"}, "/z/storage/KEY00001/page.html"),
        ("imported_file", {"filename": "../../etc/passwd"}, "/z/storage/KEY00001/passwd"),
        ("imported_file", {"filename": ".."}, None),
        ("imported_file", {}, None),
        ("linked_file", {"path": "/papers/a.pdf"}, "/papers/a.pdf"),
        ("linked_file", {"path": "attachments:sub/a.pdf"}, "/base/sub/a.pdf"),
        ("linked_file", {"path": "attachments:sub\\a.pdf"}, "/base/sub/a.pdf"),
        ("linked_file", {"path": "C:\\papers\\a.pdf"}, "C:\\papers\\a.pdf"),
        ("linked_file", {"path": "\\\\server\\share\\a.pdf"}, "\\\\server\\share\\a.pdf"),
        ("linked_file", {"path": "file:///C:/papers/a%20b.pdf"}, "C:/papers/a b.pdf"),
        ("linked_file", {"path": "file:///papers/a.pdf"}, "/papers/a.pdf"),
        ("linked_file", {"path": "somewhere.pdf"}, None),
        ("linked_file", {}, None),
        ("linked_url", {"url": "https://example.org", "path": "/x"}, None),
        ("unheard_of", {"filename": "a.pdf"}, None),
    ],
)
def test_an_attachment_has_its_path_by_link_mode(
    mode: str, fields: dict[str, Any], path: str | None
) -> None:
    assert PLACES.of({"key": "KEY00001", "linkMode": mode, **fields}) == path


def test_without_the_folders_there_is_no_path() -> None:
    nowhere = AttachmentFolders()
    stored = {"key": "KEY00001", "linkMode": "imported_file", "filename": "a.pdf"}
    linked = {"key": "KEY00001", "linkMode": "linked_file", "path": "attachments:a.pdf"}
    assert nowhere.of(stored) is None
    assert nowhere.of(linked) is None
    assert (file_name(stored), file_name(linked)) == ("a.pdf", "a.pdf")


NFC, NFD = "Müller é.pdf", "Mu\u0308ller e\u0301.pdf"


@pytest.mark.parametrize(("written", "there"), [(NFC, NFD), (NFD, NFC), (NFC, NFC)])
@pytest.mark.parametrize("is_stored", [True, False])
def test_a_name_is_found_in_either_unicode_form(
    tmp_path: Path, written: str, there: str, is_stored: bool
) -> None:
    (tmp_path / there).write_bytes(b"")
    (tmp_path / "other.pdf").write_bytes(b"")
    assert existing_file(tmp_path / written, is_stored=is_stored) == tmp_path / there


def test_a_folder_is_found_in_either_unicode_form(tmp_path: Path) -> None:
    (tmp_path / "Bu\u0308cher").mkdir()
    (tmp_path / "Bu\u0308cher" / NFD).write_bytes(b"")
    assert existing_file(tmp_path / "Bücher" / NFC, is_stored=False) is not None


def test_the_one_pdf_of_a_storage_folder_may_have_another_name(tmp_path: Path) -> None:
    (tmp_path / "renamed.PDF").write_bytes(b"")
    (tmp_path / ".zotero-ft-cache").write_bytes(b"")
    (tmp_path / "page.html").write_bytes(b"")
    assert existing_file(tmp_path / "a.pdf", is_stored=True) == tmp_path / "renamed.PDF"
    assert existing_file(tmp_path / "a.pdf", is_stored=False) is None
    assert existing_file(tmp_path / "a.html", is_stored=True) is None
    (tmp_path / "second.pdf").write_bytes(b"")
    assert existing_file(tmp_path / "a.pdf", is_stored=True) is None
    assert existing_file(tmp_path / "gone" / "a.pdf", is_stored=True) is None
