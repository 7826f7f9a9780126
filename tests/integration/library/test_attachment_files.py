"""Files of attachments: where Zotero has them, or fetched, whole or not at all."""

from pathlib import Path

import pytest
from support.zotero.account import articles, attachment, key_of
from support.zotero.api_double import API_KEY, Fault, ZoteroDouble

from citeloom.domain.errors import LibraryUnavailable
from citeloom.domain.library import LibraryAttachment, LibraryScope

from .conftest import Open

PDF = b"%PDF-1.7 " + bytes(range(256)) * 800
WHERE = LibraryScope(groups=("*",))


def found(opened: Open, zotero: ZoteroDouble, key: str, kind: str = "web") -> LibraryAttachment:
    snapshot = opened(kind, zotero).snapshot(WHERE)
    return next(one for one in snapshot.attachments if one.key == key)


@pytest.fixture
def stored(zotero: ZoteroDouble) -> ZoteroDouble:
    zotero.user.put(*articles(1), attachment("PDFAAAAA", key_of(1), "Päper: 1.pdf"))
    zotero.user.store("PDFAAAAA", PDF)
    zotero.group(7, "Ponds").put(attachment("PDFBBBBB", None, "b.pdf"))
    zotero.groups[7].store("PDFBBBBB", b"%PDF-1.4")
    return zotero


def left_over(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file() and path.suffix != ".json"]


def test_a_file_is_fetched_when_it_is_wanted_and_once(
    stored: ZoteroDouble, opened: Open, tmp_path: Path
) -> None:
    wanted = found(opened, stored, "PDFAAAAA")
    assert not stored.requests("/file")
    path = opened("web", stored).file(wanted)
    assert path is not None
    assert path.read_bytes() == PDF
    assert path.name == "Päper_ 1.pdf"
    assert opened("web", stored).file(wanted) == path
    assert len(stored.requests("/file")) == 1
    assert left_over(tmp_path) == [path]
    shared = opened("web", stored).file(found(opened, stored, "PDFBBBBB"))
    assert shared is not None
    assert shared.read_bytes() == b"%PDF-1.4"


def test_the_key_is_not_given_to_the_storage(stored: ZoteroDouble, opened: Open) -> None:
    opened("web", stored).file(found(opened, stored, "PDFAAAAA"))
    for target, headers in zip(stored.seen, stored.headers, strict=True):
        if target.startswith("/storage"):
            assert API_KEY not in str(headers)
            break
    else:
        pytest.fail("the storage was not asked")


def test_a_changed_file_is_fetched_again(stored: ZoteroDouble, opened: Open) -> None:
    first = opened("web", stored).file(found(opened, stored, "PDFAAAAA"))
    stored.user.store("PDFAAAAA", b"%PDF-1.7 new")
    second = opened("web", stored).file(found(opened, stored, "PDFAAAAA"))
    assert first == second
    assert second is not None
    assert second.read_bytes() == b"%PDF-1.7 new"


@pytest.mark.parametrize("fault", [{"cut": True}, {"garble": True}], ids=["cut", "half"])
def test_a_file_never_lies_there_half(
    fault: dict[str, bool], stored: ZoteroDouble, opened: Open, tmp_path: Path
) -> None:
    wanted = found(opened, stored, "PDFAAAAA")
    stored.faults = [Fault(only="/storage", times=2, **fault)]
    with pytest.raises(LibraryUnavailable, match="file"):
        opened("web", stored).file(wanted)
    assert not left_over(tmp_path)
    stored.faults = [Fault(only="/storage", **fault)]
    path = opened("web", stored).file(wanted)
    assert path is not None
    assert path.read_bytes() == PDF


def test_a_failed_fetch_leaves_the_file_of_before(stored: ZoteroDouble, opened: Open) -> None:
    path = opened("web", stored).file(found(opened, stored, "PDFAAAAA"))
    stored.user.store("PDFAAAAA", b"%PDF-1.7 new")
    wanted = found(opened, stored, "PDFAAAAA")
    stored.faults = [Fault(only="/storage", times=9, status=403)]
    with pytest.raises(LibraryUnavailable):
        opened("web", stored).file(wanted)
    assert path is not None
    assert path.read_bytes() == PDF


def test_what_the_storage_does_not_have_is_none(stored: ZoteroDouble, opened: Open) -> None:
    stored.user.put(
        attachment("PDFCCCCC", key_of(1), "c.pdf"),
        attachment("LNKAAAAA", key_of(1), "", linkMode="linked_url", url="https://example.org"),
        attachment("LNKBBBBB", key_of(1), "", linkMode="linked_file", path="/nowhere/b.pdf"),
    )
    for key in ("PDFCCCCC", "LNKAAAAA", "LNKBBBBB"):
        assert opened("web", stored).file(found(opened, stored, key)) is None
    assert len(stored.requests("/file")) == 1


def test_a_stored_page_comes_out_of_its_archive(stored: ZoteroDouble, opened: Open) -> None:
    page = attachment("HTMAAAAA", key_of(1), "page.html", linkMode="imported_url")
    stored.user.put(page)
    stored.user.store("HTMAAAAA", b"<p>Mud</p>", zipped=True)
    path = opened("web", stored).file(found(opened, stored, "HTMAAAAA"))
    assert path is not None
    assert path.name == "page.html"
    assert path.read_bytes() == b"<p>Mud</p>"


@pytest.mark.parametrize("name", ["../../escape.pdf", "..", "/etc/passwd", "a" * 300 + ".pdf", ""])
def test_a_name_stays_in_its_folder(
    name: str, stored: ZoteroDouble, opened: Open, tmp_path: Path
) -> None:
    stored.user.put(attachment("PDFDDDDD", key_of(1), name))
    stored.user.store("PDFDDDDD", b"%PDF-1.4")
    path = opened("web", stored).file(found(opened, stored, "PDFDDDDD"))
    assert path is not None
    assert path.resolve().parent == tmp_path / "zotero" / "files" / "user-475425" / "PDFDDDDD"
    assert len(path.name) < 150


def test_the_local_api_tells_where_a_file_is(
    stored: ZoteroDouble, opened: Open, tmp_path: Path
) -> None:
    linked = attachment("LNKAAAAA", key_of(1), "", linkMode="linked_file", path="attachments:l.pdf")
    stored.user.put(linked)
    for name, key in (("Päper #1.pdf", "PDFAAAAA"), ("l.pdf", "LNKAAAAA")):
        stored.user.paths[key] = tmp_path / name
        wanted = found(opened, stored, key, "local")
        assert opened("local", stored).file(wanted) is None
        (tmp_path / name).write_bytes(b"%PDF-1.4")
        assert opened("local", stored).file(wanted) == tmp_path / name
    assert not stored.requests("/storage")


def test_the_local_api_tells_beforehand_where_stored_files_are(
    stored: ZoteroDouble, opened: Open, tmp_path: Path
) -> None:
    stored.data_dir = tmp_path / "Zotero"
    wanted = found(opened, stored, "PDFAAAAA", "local")
    assert wanted.path == str(tmp_path / "Zotero" / "storage" / "PDFAAAAA" / "Päper: 1.pdf")
