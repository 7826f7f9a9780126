"""Evidence that one machine has cut is opened on others, and bounded where they share it."""

import os
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from citeloom.domain.errors import StorageFailed
from citeloom.infrastructure.maps.evidence.store import FileEvidenceStore
from citeloom.infrastructure.storage.blobs import FolderBlobs
from citeloom_server.infrastructure import shared_files as module
from citeloom_server.infrastructure.shared_files import EVIDENCE_SPARED_SECONDS as SPARED_SECONDS
from citeloom_server.infrastructure.shared_files import SharedEvidence

Machine = Callable[[str], SharedEvidence]


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    """Machines by name, each with a folder of its own."""
    shared = FolderBlobs(tmp_path / "shared")
    return lambda name: SharedEvidence(FileEvidenceStore(tmp_path / name), shared, max_bytes=100)


def pages(path: Path) -> Sequence[str]:
    path.write_bytes(b"pages")
    return ["page 99 is not there"]


def never(path: Path) -> Sequence[str]:
    raise AssertionError(f"{path} was cut again")


def test_what_one_machine_has_cut_others_find_and_need_not_cut(
    machine: Machine, tmp_path: Path
) -> None:
    kept = machine("one").keep("a.pdf", pages)
    found = machine("two").find("a.pdf")
    assert found is not None
    assert found.path == tmp_path / "two" / "a.pdf"
    assert found.path.read_bytes() == kept.path.read_bytes()
    assert found.warnings == kept.warnings == ("page 99 is not there",)
    assert machine("three").keep("a.pdf", never).warnings == kept.warnings
    assert machine("two").find("b.pdf") is None


def test_what_was_cut_before_there_was_a_storage_is_shared_when_it_is_asked_for(
    machine: Machine, tmp_path: Path
) -> None:
    FileEvidenceStore(tmp_path / "one").keep("a.pdf", pages)
    machine("one").keep("a.pdf", never)
    found = machine("two").find("a.pdf")
    assert found is not None
    assert found.warnings == ("page 99 is not there",)


def test_what_goes_while_it_is_taken_is_not_found(
    machine: Machine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    machine("one").keep("a.pdf", pages)
    monkeypatch.setattr(FolderBlobs, "take", lambda self, name, target: False)
    assert machine("two").find("a.pdf") is None
    assert list((tmp_path / "two").glob("*")) == []


def test_a_storage_that_is_away_is_told(
    machine: Machine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def away(self: FolderBlobs, name: str, source: Path) -> None:
        raise StorageFailed("the share is away")

    monkeypatch.setattr(FolderBlobs, "keep", away)
    with pytest.raises(StorageFailed, match="the share is away"):
        machine("one").keep("a.pdf", pages)


def put(shared: Path, name: str, size: int, *, hours_ago: float) -> None:
    shared.mkdir(exist_ok=True)
    (shared / name).write_bytes(b"x" * size)
    at = time.time() - SPARED_SECONDS * hours_ago
    os.utime(shared / name, (at, at))


def test_the_oldest_go_with_their_warnings_and_none_of_the_last_hour(
    machine: Machine, tmp_path: Path
) -> None:
    shared = tmp_path / "shared"
    put(shared, "oldest.pdf", 60, hours_ago=9)
    put(shared, "oldest.pdf.warnings.json", 5, hours_ago=9)
    put(shared, "older.pdf", 40, hours_ago=8)
    put(shared, "old.pdf", 20, hours_ago=7)
    put(shared, "new.pdf", 30, hours_ago=0.5)
    machine("one").keep("a.pdf", pages)
    left = {path.name for path in shared.iterdir()}
    assert left == {"old.pdf", "new.pdf", "a.pdf", "a.pdf.warnings.json"}


def test_the_storage_is_looked_through_once_an_hour(
    machine: Machine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = machine("one")
    store.keep("a.pdf", pages)
    put(tmp_path / "shared", "old.pdf", 200, hours_ago=2)
    store.keep("b.pdf", pages)
    assert (tmp_path / "shared" / "old.pdf").exists()
    monkeypatch.setattr(module, "_LOOK_EVERY", 0.0)
    store.keep("c.pdf", pages)
    assert not (tmp_path / "shared" / "old.pdf").exists()
