"""A real database of Zotero: every item, file, note and annotation is read."""

import shutil
import sqlite3
import subprocess
import sys
from collections import Counter
from contextlib import closing
from pathlib import Path

import pytest
from support.paths import SHARED, WORKERS

from citeloom.domain.library import LibraryScope, LibrarySnapshot
from citeloom.infrastructure.library.database import ZoteroDatabase, find_zotero
from citeloom.infrastructure.references.formats.zotero_json import to_csl

DATABASE = SHARED / "zotero" / "zotero.sqlite"
WRITER = WORKERS / "zotero_writer.py"
ALL = LibraryScope(groups=("*",))

pytestmark = [
    pytest.mark.real,
    pytest.mark.skipif(not DATABASE.is_file(), reason="needs ../shared/data beside the checkout"),
]

# Entries of libraries (feeds apart), without those in the bin.
ENTRIES = """
    FROM items JOIN itemTypes USING (itemTypeID) JOIN libraries USING (libraryID)
    WHERE libraries.type <> 'feed' AND itemID NOT IN (SELECT itemID FROM deletedItems)
"""


@pytest.fixture
def database(tmp_path: Path) -> Path:
    return Path(shutil.copyfile(DATABASE, tmp_path / "zotero.sqlite"))


def read(database: Path) -> LibrarySnapshot:
    return ZoteroDatabase(find_zotero(str(database))).snapshot(ALL)


def test_every_entry_of_each_type_is_read(database: Path) -> None:
    with closing(sqlite3.connect(database)) as direct:
        types = dict(direct.execute(f"SELECT typeName, count(*) {ENTRIES} GROUP BY 1"))
        keys = {key for (key,) in direct.execute(f"SELECT key {ENTRIES}")}
        csl = {name: to_csl({"itemType": name})["type"] for name in types}
    snapshot = read(database)
    assert len(snapshot.attachments) == types.pop("attachment", 0)
    assert len(snapshot.notes) == types.pop("note", 0)
    assert len(snapshot.annotations) == types.pop("annotation", 0)
    by_type: Counter[str] = Counter()
    for name, count in types.items():
        by_type[csl[name]] += count
    assert Counter(item.citation.type for item in snapshot.items) == by_type
    found = (*snapshot.items, *snapshot.attachments, *snapshot.notes, *snapshot.annotations)
    assert {entry.key for entry in found} == keys
    assert snapshot.warnings == ()


def test_every_field_and_name_is_read(database: Path) -> None:
    with closing(sqlite3.connect(database)) as direct:
        titles = {
            title
            for (title,) in direct.execute(
                f"SELECT value {ENTRIES.replace('WHERE', _FIELDS)} AND fieldName = 'title' "
                "AND typeName NOT IN ('attachment')"
            )
        }
        keys = {
            key
            for (key,) in direct.execute(
                f"SELECT value {ENTRIES.replace('WHERE', _FIELDS)} AND fieldName = 'citationKey'"
            )
        }
        people = direct.execute(
            f"SELECT count(*) {ENTRIES.replace('WHERE', 'JOIN itemCreators USING (itemID) WHERE')}"
        ).fetchone()[0]
    snapshot = read(database)
    assert {item.citation.csl["title"] for item in snapshot.items} == titles
    assert {item.citation.citekey for item in snapshot.items} == keys
    named = sum(
        len(value)
        for item in snapshot.items
        for value in item.citation.csl.values()
        if isinstance(value, list)
    )
    assert named == people


_FIELDS = (
    "JOIN itemData USING (itemID) JOIN fields USING (fieldID) "
    "JOIN itemDataValues USING (valueID) WHERE"
)


def test_it_is_read_while_another_process_holds_and_writes_it(database: Path) -> None:
    before = read(database)
    command = [sys.executable, str(WRITER), str(database), "wal", "commit"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stdout.readline() == b"ready\n"
        files = [database, database.with_name("zotero.sqlite-wal")]
        held = [(path.read_bytes(), path.stat().st_mtime_ns) for path in files]
        during = read(database)
        assert [(path.read_bytes(), path.stat().st_mtime_ns) for path in files] == held
        process.stdin.close()
        process.wait(20)
    entries = [len((*s.items, *s.attachments, *s.notes)) for s in (before, during)]
    assert entries[1] == entries[0] + 1
    assert before.state != during.state


def test_the_original_keeps_its_bytes() -> None:
    before = (DATABASE.read_bytes(), DATABASE.stat().st_mtime_ns, sorted(DATABASE.parent.iterdir()))
    read(DATABASE)
    after = (DATABASE.read_bytes(), DATABASE.stat().st_mtime_ns, sorted(DATABASE.parent.iterdir()))
    assert after == before
