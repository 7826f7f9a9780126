"""Evidence of a workspace is bounded: what was not asked for the longest goes."""

import os
import time
from collections.abc import Sequence
from pathlib import Path

import pytest

from citeloom.infrastructure.maps.evidence.store import SPARED_SECONDS, FileEvidenceStore


@pytest.fixture
def store(tmp_path: Path) -> FileEvidenceStore:
    return FileEvidenceStore(tmp_path / ".citeloom" / "evidence")


def put(
    store: FileEvidenceStore, name: str, size: int, *, hours_ago: float, told: bool = False
) -> Path:
    """A file of this size that was last asked for then; with warnings if there is something
    told."""

    def make(path: Path) -> Sequence[str]:
        path.write_bytes(b"x" * size)
        return ["a page is not there"] if told else []

    path = store.keep(name, make).path
    then = time.time() - hours_ago * SPARED_SECONDS
    os.utime(path, (then, then))
    return path


def names(folder: Path) -> list[str]:
    return sorted(one.name for one in folder.iterdir())


def test_what_nobody_asked_for_the_longest_goes_first(tmp_path: Path) -> None:
    store = FileEvidenceStore(tmp_path, max_bytes=250)
    put(store, "old.pdf", 100, hours_ago=9)
    asked = put(store, "older.pdf", 100, hours_ago=10)
    store.keep("older.pdf", lambda _: ())
    assert time.time() - asked.stat().st_mtime < 60
    put(store, "new.pdf", 100, hours_ago=0)
    assert names(tmp_path) == ["new.pdf", "older.pdf"]


def test_nothing_of_the_last_hour_goes_whatever_its_size(tmp_path: Path) -> None:
    store = FileEvidenceStore(tmp_path, max_bytes=10)
    for name in ("a.pdf", "b.pdf"):
        put(store, name, 100, hours_ago=0.5)
    other = FileEvidenceStore(tmp_path, max_bytes=10)
    put(other, "c.pdf", 100, hours_ago=0)
    assert names(tmp_path) == ["a.pdf", "b.pdf", "c.pdf"]


def test_warnings_go_with_their_file_and_count(tmp_path: Path) -> None:
    store = FileEvidenceStore(tmp_path, max_bytes=100)
    put(store, "told.pdf", 90, hours_ago=9, told=True)
    assert names(tmp_path) == ["told.pdf", "told.pdf.warnings.json"]
    warnings = tmp_path / "told.pdf.warnings.json"
    then = time.time() - 99 * SPARED_SECONDS
    os.utime(warnings, (then, then))
    left = tmp_path / "gone.pdf.warnings.json"
    left.write_text("[]")
    os.utime(left, (then, then))
    put(store, "new.pdf", 5, hours_ago=0)
    assert names(tmp_path) == ["new.pdf"]


def test_without_need_nothing_goes(tmp_path: Path) -> None:
    store = FileEvidenceStore(tmp_path, max_bytes=1000)
    (tmp_path / ".being-written.tmp").write_bytes(b"x" * 5000)
    put(store, "a.pdf", 400, hours_ago=99)
    put(store, "b.pdf", 600, hours_ago=0)
    assert names(tmp_path) == [".being-written.tmp", "a.pdf", "b.pdf"]
