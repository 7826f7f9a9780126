"""Errors of the file system name their cause."""

import sqlite3
from pathlib import Path

import pytest

from citeloom.domain.errors import StorageFailed
from citeloom.infrastructure.storage.database.sqlite_errors import sqlite_failed
from citeloom.infrastructure.system.files import shown_path, storage_failed
from citeloom.infrastructure.system.workspace import make_folder


def test_a_name_that_is_too_long_is_said_to_be(tmp_path: Path) -> None:
    with pytest.raises(StorageFailed, match="the path is too long for this file system"):
        make_folder(tmp_path / ("x" * 300))


def test_a_path_that_is_too_long_for_sqlite_is_said_to_be(tmp_path: Path) -> None:
    path = tmp_path.joinpath(*["y" * 200] * 3, "catalogue.sqlite")
    path.parent.mkdir(parents=True)
    with pytest.raises(sqlite3.OperationalError) as raised:
        sqlite3.connect(path)
    failed = sqlite_failed(path, raised.value)
    assert "the path is too long for SQLite" in failed.message
    assert len(failed.message) < 400


def test_a_long_path_is_shown_without_its_middle() -> None:
    long = Path("/" + "a" * 300 + "/end")
    assert shown_path(long).endswith("a/end")
    assert "…" in shown_path(long)
    assert shown_path(Path("/short")) == "/short"


@pytest.mark.parametrize(
    ("code", "reason"),
    [(28, "the disk is full"), (13, "cannot be written"), (36, "the path is too long")],
)
def test_the_reason_follows_the_error(code: int, reason: str) -> None:
    assert reason in storage_failed(Path("x"), OSError(code, "…")).message
