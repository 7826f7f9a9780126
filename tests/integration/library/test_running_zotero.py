"""The database of a Zotero that is running: locked, half-written, and left as it is."""

import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from support.paths import WORKERS
from support.zotero.library import many, write_database

from citeloom.domain.errors import LibraryUnavailable
from citeloom.domain.library import LibraryScope
from citeloom.infrastructure.library.database import ZoteroDatabase, ZoteroLocation
from citeloom.infrastructure.library.raw_items import AttachmentFolders

OWN = LibraryScope()
WRITER = WORKERS / "zotero_writer.py"


@pytest.fixture
def database(tmp_path: Path) -> Path:
    return write_database(tmp_path / "Zotero" / "zotero.sqlite", [many(40)])


@contextmanager
def zotero(database: Path, journal: str, what: str) -> Iterator[None]:
    """Zotero at work on ``database``."""
    command = [sys.executable, str(WRITER), str(database), journal, what]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            assert process.stdout.readline() == b"ready\n"
            yield
        finally:
            process.stdin.close()
            process.wait(20)


def source(database: Path) -> ZoteroDatabase:
    return ZoteroDatabase(ZoteroLocation(database, AttachmentFolders(data_dir=database.parent)))


def keys(database: Path) -> set[str]:
    return {item.key for item in source(database).snapshot(OWN).items}


def bytes_of(folder: Path) -> dict[str, tuple[bytes, int]]:
    return {
        path.name: (path.read_bytes(), path.stat().st_mtime_ns)
        for path in folder.iterdir()
        if path.is_file()
    }


@pytest.mark.parametrize("journal", ["wal", "delete"])
def test_a_locked_database_is_read_with_its_latest_items(database: Path, journal: str) -> None:
    before = source(database).status()
    with zotero(database, journal, "commit"):
        with (
            pytest.raises(sqlite3.OperationalError, match="locked"),
            sqlite3.connect(database, timeout=0) as direct,
        ):
            direct.execute("SELECT count(*) FROM items").fetchone()
        files = bytes_of(database.parent)
        assert ("zotero.sqlite-wal" in files) == (journal == "wal")
        assert "R0000000" in keys(database)
        status = source(database).status()
        assert bytes_of(database.parent) == files
    assert status.items == before.items + 1
    assert status.state != before.state


@pytest.mark.parametrize(("journal", "what"), [("wal", "leave"), ("delete", "spill")])
def test_what_is_not_finished_is_not_seen(database: Path, journal: str, what: str) -> None:
    before = source(database).snapshot(OWN)
    with zotero(database, journal, what):
        assert (b"(edited)" in database.read_bytes()) == (what == "spill")
        files = bytes_of(database.parent)
        during = source(database).snapshot(OWN)
        assert bytes_of(database.parent) == files
    assert during.items == before.items
    assert during.annotations == before.annotations


def test_each_read_of_a_busy_database_is_whole(database: Path) -> None:
    sizes: list[int] = []
    refusals: list[str] = []
    with zotero(database, "wal", "loop"):
        for _ in range(10):
            try:
                recent = sorted(key for key in keys(database) if key.startswith("R0"))
            except LibraryUnavailable as error:
                refusals.append(error.message)
                continue
            sizes.append(len(recent))
            assert recent == [f"R{number:07}" for number in range(len(recent))]
    assert sizes == sorted(sizes)
    assert all("was written to while it was copied" in message for message in refusals)
    assert "R0000000" in keys(database)
