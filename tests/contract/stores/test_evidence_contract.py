"""Evidence is made once, whole, and never outside its folder: here, and where machines share it."""

from collections.abc import Callable, Sequence
from pathlib import Path
from uuid import uuid4

import pytest

from citeloom.application.ports.maps import EvidenceStore
from citeloom.domain.errors import InvalidRequest, StorageFailed
from citeloom.infrastructure.maps.evidence.store import FileEvidenceStore
from citeloom.infrastructure.storage.blobs import FolderBlobs
from citeloom_server.infrastructure.object_store import ObjectBlobs
from citeloom_server.infrastructure.shared_files import SharedEvidence

NOT_NAMES = ["../a.pdf", "/a.pdf", "b/a.pdf", ".a.pdf", "", "..", "a/..", "..\\a.pdf"]


@pytest.fixture(
    params=["workspace", "folder", "objects", pytest.param("s3", marks=pytest.mark.server)]
)
def reopen(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[[], EvidenceStore]:
    """Opens the same evidence as another process of this machine would."""
    local = FileEvidenceStore(tmp_path / "home" / "evidence")
    if request.param == "workspace":
        return lambda: local
    if request.param == "folder":
        (tmp_path / "shared").mkdir()
        folder = FolderBlobs(tmp_path / "shared" / "evidence")
        return lambda: SharedEvidence(local, folder, max_bytes=2**20)
    url = f"memory://{uuid4().hex}"
    if request.param == "s3":
        url = request.getfixturevalue("bucket")
    return lambda: SharedEvidence(local, ObjectBlobs(f"{url}/evidence"), max_bytes=2**20)


@pytest.fixture
def store(reopen: Callable[[], EvidenceStore]) -> EvidenceStore:
    return reopen()


def test_a_file_is_made_once_and_its_warnings_are_told_again(
    reopen: Callable[[], EvidenceStore],
) -> None:
    asked: list[Path] = []

    def make(path: Path) -> Sequence[str]:
        asked.append(path)
        assert not path.exists()
        path.write_bytes(b"pages")
        return ["page 99 is not there"]

    first, again = reopen().keep("a.pdf", make), reopen().keep("a.pdf", make)
    assert first == again == reopen().find("a.pdf")
    assert first.path.name == "a.pdf"
    assert first.path.read_bytes() == b"pages"
    assert again.warnings == ("page 99 is not there",)
    assert len(asked) == 1
    assert asked[0].parent == first.path.parent


def test_what_fails_leaves_nothing(store: EvidenceStore, tmp_path: Path) -> None:
    def make(path: Path) -> Sequence[str]:
        path.write_bytes(b"half")
        raise InvalidRequest("no such page")

    with pytest.raises(InvalidRequest):
        store.keep("a.pdf", make)
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []
    assert store.find("a.pdf") is None


def test_a_maker_that_writes_nothing_is_told(store: EvidenceStore) -> None:
    with pytest.raises(StorageFailed):
        store.keep("a.pdf", lambda path: ())


@pytest.mark.parametrize("name", NOT_NAMES[:-1])
def test_names_with_folders_are_refused(store: EvidenceStore, tmp_path: Path, name: str) -> None:
    with pytest.raises(ValueError, match="not a name of evidence"):
        store.keep(name, lambda path: ())
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []


@pytest.mark.parametrize("name", NOT_NAMES)
def test_no_file_of_another_folder_is_found(
    store: EvidenceStore, tmp_path: Path, name: str
) -> None:
    for folder in (tmp_path / "home", tmp_path / "home" / "evidence" / "b", tmp_path / "shared"):
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "a.pdf").write_bytes(b"of others")
    assert store.find(name) is None
