"""Evidence is made once, whole, and never outside its folder."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from citeloom.domain.errors import InvalidRequest, StorageFailed
from citeloom.infrastructure.storage.evidence import FileEvidenceStore


@pytest.fixture
def store(tmp_path: Path) -> FileEvidenceStore:
    return FileEvidenceStore(tmp_path / ".citeloom" / "evidence")


def test_a_file_is_made_once_and_its_warnings_are_told_again(
    store: FileEvidenceStore, tmp_path: Path
) -> None:
    asked: list[Path] = []

    def make(path: Path) -> Sequence[str]:
        asked.append(path)
        path.write_bytes(b"pages")
        return ["page 99 is not there"]

    first, again = store.keep("a.pdf", make), store.keep("a.pdf", make)
    assert first == again
    assert first.path == tmp_path / ".citeloom" / "evidence" / "a.pdf"
    assert first.path.read_bytes() == b"pages"
    assert again.warnings == ("page 99 is not there",)
    assert len(asked) == 1
    assert asked[0].parent == first.path.parent


def test_what_fails_leaves_nothing(store: FileEvidenceStore, tmp_path: Path) -> None:
    def make(path: Path) -> Sequence[str]:
        path.write_bytes(b"half")
        raise InvalidRequest("no such page")

    with pytest.raises(InvalidRequest):
        store.keep("a.pdf", make)
    assert list((tmp_path / ".citeloom" / "evidence").iterdir()) == []


def test_a_maker_that_writes_nothing_is_told(store: FileEvidenceStore) -> None:
    with pytest.raises(StorageFailed):
        store.keep("a.pdf", lambda path: ())


@pytest.mark.parametrize("name", ["../a.pdf", "/a.pdf", "b/a.pdf", ".a.pdf", "", "..", "a/.."])
def test_names_with_folders_are_refused(
    store: FileEvidenceStore, tmp_path: Path, name: str
) -> None:
    with pytest.raises(ValueError, match="no name of evidence"):
        store.keep(name, lambda path: ())
    assert list(tmp_path.iterdir()) == []
