"""Copies of papers: kept once by the digest of their content, taken under their own name."""

import hashlib
import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from citeloom.domain.errors import SourceChanged, StorageFailed
from citeloom.infrastructure.storage.blobs import FolderBlobs
from citeloom_server.infrastructure.shared_files import SPARED_SECONDS, SharedPapers

Machine = Callable[[str], SharedPapers]


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    shared = FolderBlobs(tmp_path / "shared")
    return lambda name: SharedPapers(shared, tmp_path / name, max_bytes=100)


def paper(folder: Path, content: bytes = b"a paper") -> tuple[str, Path]:
    path = folder / "paper.pdf"
    path.write_bytes(content)
    return hashlib.sha256(content).hexdigest(), path


def test_a_copy_is_found_on_other_machines_under_its_name(machine: Machine, tmp_path: Path) -> None:
    digest, path = paper(tmp_path)
    machine("one").keep(digest, path)
    for name in ("paper.pdf", "/home/ann/paper.pdf", "C:\\Users\\Ann\\paper.pdf"):
        found = machine("two").find(digest, name)
        assert found == tmp_path / "two" / digest / "paper.pdf"
        assert found.read_bytes() == b"a paper"
    assert machine("two").find("0" * 64, "paper.pdf") is None
    for odd in ("..", "/", "", "a/.."):
        found = machine("two").find(digest, odd)
        assert found == tmp_path / "two" / digest / "paper"


def test_an_unchanged_paper_is_kept_once(
    machine: Machine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    digest, path = paper(tmp_path)
    machine("one").keep(digest, path)
    one = machine("one")

    def never(self: FolderBlobs, name: str, source: Path) -> None:
        raise AssertionError(f"{name} was kept again")

    monkeypatch.setattr(FolderBlobs, "keep", never)
    one.keep(digest, path)
    assert [file.name for file in (tmp_path / "one").glob("*")] == []


def test_what_changed_since_it_was_read_is_not_kept(machine: Machine, tmp_path: Path) -> None:
    digest, path = paper(tmp_path)
    path.write_bytes(b"another version")
    with pytest.raises(SourceChanged):
        machine("one").keep(digest, path)
    assert machine("two").find(digest, "paper.pdf") is None


def test_a_deleted_copy_is_kept_again(machine: Machine, tmp_path: Path) -> None:
    digest, path = paper(tmp_path)
    one = machine("one")
    one.keep(digest, path)
    assert one.ids() == machine("two").ids() == {digest}
    one.delete(digest)
    assert one.ids() == machine("two").ids() == set()
    assert machine("two").find(digest, "paper.pdf") is None
    one.keep(digest, path)
    assert machine("two").find(digest, "paper.pdf") is not None


def test_a_damaged_copy_is_told_and_one_here_is_taken_again(
    machine: Machine, tmp_path: Path
) -> None:
    digest, path = paper(tmp_path)
    machine("one").keep(digest, path)
    found = machine("two").find(digest, "paper.pdf")
    assert found is not None
    found.write_bytes(b"half")
    assert machine("two").find(digest, "paper.pdf") == found
    assert found.read_bytes() == b"a paper"
    (tmp_path / "shared" / digest[:2] / digest).write_bytes(b"half")
    with pytest.raises(StorageFailed, match=f"{digest}: damaged .*on the machine that has it"):
        machine("three").find(digest, "paper.pdf")
    assert not list((tmp_path / "three").rglob("*.pdf"))


def test_the_longest_name_is_kept_and_what_goes_meanwhile_is_not_found(
    machine: Machine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    digest, path = paper(tmp_path)
    machine("one").keep(digest, path)
    name = f"{'x' * 251}.pdf"
    found = machine("two").find(digest, name)
    assert found is not None
    assert found.name == name
    monkeypatch.setattr(FolderBlobs, "take", lambda self, name, target: False)
    assert machine("three").find(digest, name) is None
    machine("two").delete(digest)
    assert not found.exists()


def test_copies_here_are_bounded_and_none_of_the_last_hour_goes(
    machine: Machine, tmp_path: Path
) -> None:
    digests = []
    for number, hours in enumerate((3.0, 2.0, 0.1)):
        digest, path = paper(tmp_path, bytes([number]) * 60)
        machine("one").keep(digest, path)
        found = machine("two").find(digest, "paper.pdf")
        assert found is not None
        at = time.time() - SPARED_SECONDS * hours
        os.utime(found, (at, at))
        digests.append(digest)
    digest, path = paper(tmp_path)
    machine("one").keep(digest, path)
    machine("two").find(digest, "paper.pdf")
    left = {folder.name for folder in (tmp_path / "two").iterdir()}
    assert left == {digests[2], digest}
