"""Zotero's database by version, Better BibTeX's store beside it, and what can go wrong."""

import errno
import json
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from support.zotero.library import annotation, attachment, key, many, note, work, write_database

from citeloom.domain.errors import LibraryUnavailable
from citeloom.domain.library import KeySource, LibraryKind, LibraryRef, LibraryScope
from citeloom.infrastructure.library import database_copy
from citeloom.infrastructure.library.database import ZoteroDatabase, ZoteroLocation
from citeloom.infrastructure.library.raw_items import AttachmentFolders
from citeloom.infrastructure.library.snapshot import RawLibrary

OWN = LibraryScope()


def source(database: Path, base: Path | None = None) -> ZoteroDatabase:
    return ZoteroDatabase(ZoteroLocation(database, AttachmentFolders(database.parent, base)))


def small(*more: dict[str, Any]) -> list[RawLibrary]:
    return [RawLibrary(LibraryRef(), [work(1), attachment(1, key(1, "W")), *more])]


@pytest.mark.parametrize("zotero", [5, 6, 7, 8, 9, 10])
def test_each_version_is_read(tmp_path: Path, zotero: int) -> None:
    (raw,) = small(note(1, None, "<p>x</p>"))
    if zotero >= 6:
        raw = replace(raw, items=[*raw.items, annotation(1, key(1, "F"))])
    database = write_database(tmp_path / "zotero.sqlite", [raw], zotero=zotero)
    snapshot = source(database).snapshot(OWN)
    assert [len(part) for part in (snapshot.items, snapshot.attachments, snapshot.notes)] == [1] * 3
    assert len(snapshot.annotations) == (zotero >= 6)
    assert source(database).status().annotations == (zotero >= 6)


def test_columns_that_are_missing_are_not_asked_for(tmp_path: Path) -> None:
    database = write_database(tmp_path / "zotero.sqlite", small(annotation(1, key(1, "F"))))
    with closing(sqlite3.connect(database)) as direct, direct:
        direct.execute("ALTER TABLE itemAttachments DROP COLUMN storageHash")
        direct.execute("ALTER TABLE itemAnnotations DROP COLUMN authorName")
        for table in ("fieldsCombined", "itemTypesCombined", "retractedItems", "feeds"):
            direct.execute(f"DROP TABLE {table}")
    snapshot = source(database).snapshot(OWN)
    assert snapshot.items[0].citation.title == "On the winter ecology of ponds, part 1"
    assert snapshot.attachments[0].md5 is None
    assert snapshot.annotations[0].author is None


def test_feeds_are_no_library(tmp_path: Path) -> None:
    database = write_database(tmp_path / "zotero.sqlite", [*small(), many(2)])
    with closing(sqlite3.connect(database)) as direct, direct:
        direct.execute("UPDATE libraries SET type = 'feed' WHERE libraryID = 2")
    assert source(database).status().items == 1
    assert len(source(database).snapshot(LibraryScope(groups=("*",))).items) == 1


def test_pictures_in_notes_are_no_attachments(tmp_path: Path) -> None:
    raw = small(note(1, None, "<p>x</p>"), attachment(2, key(1, "N"), linkMode="embedded_image"))
    database = write_database(tmp_path / "zotero.sqlite", raw)
    snapshot = source(database).snapshot(OWN)
    assert [entry.key for entry in snapshot.attachments] == [key(1, "F")]
    assert source(database).status().attachments == 1


def test_a_retracted_item_stays_and_is_told(tmp_path: Path) -> None:
    database = write_database(tmp_path / "zotero.sqlite", small())
    with closing(sqlite3.connect(database)) as direct, direct:
        direct.execute("INSERT INTO retractedItems (itemID, data) VALUES (1, '{}')")
    snapshot = source(database).snapshot(OWN)
    assert len(snapshot.items) == 1
    assert any("1 retracted" in warning for warning in snapshot.warnings)


def test_linked_files_count_from_zoteros_base_directory(tmp_path: Path) -> None:
    raw = small(attachment(2, key(1, "W"), linkMode="linked_file", path="attachments:sub/a.pdf"))
    database = write_database(tmp_path / "zotero.sqlite", raw)
    base = tmp_path / "papers"
    linked = source(database, base).snapshot(OWN).attachments[1]
    assert linked.path == str(base / "sub" / "a.pdf")
    assert source(database).snapshot(OWN).attachments[1].path is None
    assert source(database).status().state != source(database, base).status().state


def test_broken_text_is_read_all_the_same(tmp_path: Path) -> None:
    database = write_database(tmp_path / "zotero.sqlite", small())
    with closing(sqlite3.connect(database)) as direct, direct:
        direct.execute(
            "UPDATE itemDataValues SET value = CAST(x'506f6e6473ff' AS TEXT) "
            "WHERE value LIKE 'On the winter%'"
        )
    assert source(database).snapshot(OWN).items[0].citation.title == "Ponds\ufffd"


def bibtex_store(path: Path, rows: list[tuple[int, str, str]], *, old: bool = False) -> None:
    with closing(sqlite3.connect(path)) as store, store:
        if old:
            data = [{"libraryID": n, "itemKey": item, "citekey": key} for n, item, key in rows]
            store.execute('CREATE TABLE "better-bibtex" (name TEXT PRIMARY KEY, data TEXT)')
            row = ("better-bibtex.citekey", json.dumps({"data": data}))
            store.execute('INSERT INTO "better-bibtex" VALUES (?, ?)', row)
        else:
            store.execute(
                "CREATE TABLE citationkey (itemID PRIMARY KEY, itemKey, libraryID, citationKey, "
                "pinned)"
            )
            store.executemany(
                "INSERT INTO citationkey (libraryID, itemKey, citationKey) VALUES (?, ?, ?)", rows
            )


@pytest.mark.parametrize("old", [False, True])
def test_keys_of_better_bibtex_beside_the_database(tmp_path: Path, old: bool) -> None:
    group = LibraryRef(kind=LibraryKind.GROUP, id=7, name="Ponds")
    raw = [*small(work(2, citationKey="own")), RawLibrary(group, [work(1)])]
    database = write_database(tmp_path / "zotero.sqlite", raw)
    before = source(database).status().state
    rows = [(1, key(1, "W"), "bbt1"), (1, key(2, "W"), "bbt2"), (2, key(1, "W"), "group1")]
    bibtex_store(tmp_path / "better-bibtex.sqlite", rows, old=old)
    snapshot = source(database).snapshot(LibraryScope(groups=("*",)))
    assert [(item.citation.citekey, item.key_source) for item in snapshot.items] == [
        ("bbt1", KeySource.BETTER_BIBTEX),
        ("own", KeySource.NATIVE),
        ("group1", KeySource.BETTER_BIBTEX),
    ]
    assert snapshot.state != before


def test_without_better_bibtexs_keys_nothing_gets_another_key(tmp_path: Path) -> None:
    database = write_database(tmp_path / "zotero.sqlite", small())
    store = tmp_path / "better-bibtex.sqlite"
    store.write_bytes(b"garbage")
    message = refused(database)
    assert message.startswith("Better BibTeX: ")
    assert f"or move {store} away" in message


def refused(database: Path) -> str:
    with pytest.raises(LibraryUnavailable) as raised:
        source(database).snapshot(OWN)
    return raised.value.message


def test_what_is_no_library_is_refused_with_the_reason(tmp_path: Path) -> None:
    path = tmp_path / "zotero.sqlite"
    assert "is not there" in refused(path)
    path.write_bytes(b"")
    assert "is empty" in refused(path)
    path.write_bytes(b"\x8a\x11" * 4096)
    assert "is not an SQLite database, or is encrypted" in refused(path)
    path.unlink()
    with closing(sqlite3.connect(path)) as direct, direct:
        direct.execute("CREATE TABLE items (itemID)")
    assert "no library of Zotero 5 or later (without libraries" in refused(path)


def test_a_damaged_database_is_told(tmp_path: Path) -> None:
    database = write_database(tmp_path / "zotero.sqlite", [many(200)])
    content = database.read_bytes()
    database.write_bytes(content[:8192] + b"\xff" * (len(content) - 8192))
    message = refused(database)
    assert "is damaged" in message
    assert "zotero.sqlite.bak" in message
    assert database.read_bytes()[8192:] == b"\xff" * (len(content) - 8192)


class _Full:
    def __init__(self, number: int) -> None:
        self._number = number

    def write(self, block: bytes) -> None:
        raise OSError(self._number, "no")

    def __enter__(self) -> "_Full":
        return self

    def __exit__(self, *_: object) -> None:
        pass


@pytest.mark.parametrize(("number", "said"), [(errno.ENOSPC, "is full"), (errno.EIO, "error")])
def test_a_full_temporary_folder_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int, said: str
) -> None:
    database = write_database(tmp_path / "zotero.sqlite", small())
    usual = Path.open

    def opened(self: Path, mode: str = "r", *more: Any, **named: Any) -> Any:
        return _Full(number) if mode == "wb" else usual(self, mode, *more, **named)

    monkeypatch.setattr(Path, "open", opened)
    message = refused(database)
    assert "temporary folder" in message
    assert said in message
    assert "TMPDIR" in message


def test_no_temporary_folder_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    database = write_database(tmp_path / "zotero.sqlite", small())
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "nowhere"))
    assert "no temporary folder" in refused(database)


@pytest.fixture
def stamps(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[int]]:
    """What is seen of the original at each look at it, in turn."""
    seen: list[int] = []
    monkeypatch.setattr(database_copy, "_stamp", lambda _: (seen.pop(0) if seen else 0,))
    return seen


def test_a_change_while_copying_is_seen(tmp_path: Path, stamps: list[int]) -> None:
    database = write_database(tmp_path / "zotero.sqlite", small())
    stamps += [1, 2, 2, 2]
    assert len(source(database).snapshot(OWN).items) == 1
    stamps += [1, 2, 2, 3]
    assert "was written to while it was copied, twice" in refused(database)


def test_no_copy_is_left_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(temporary))
    database = write_database(tmp_path / "zotero.sqlite", small())
    source(database).snapshot(OWN)
    database.write_bytes(database.read_bytes()[:5000])
    refused(database)
    assert list(temporary.iterdir()) == []


def test_a_database_that_may_only_be_read_is_read(tmp_path: Path) -> None:
    database = write_database(tmp_path / "zotero.sqlite", small())
    database.chmod(0o444)
    tmp_path.chmod(0o555)
    try:
        assert len(source(database).snapshot(OWN).items) == 1
    finally:
        tmp_path.chmod(0o755)


def test_the_state_is_of_the_content_alone(tmp_path: Path) -> None:
    database = write_database(tmp_path / "zotero.sqlite", small())
    state = source(database).status().state
    again = tmp_path / "zotero.sqlite.copied"
    shutil.copyfile(database, again)
    again.replace(database)
    assert source(database).status().state == state
