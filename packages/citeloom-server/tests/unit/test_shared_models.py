"""Models that one machine has fetched: taken by others whole, compared with their digests."""

import json
from pathlib import Path

import pytest

from citeloom.domain.errors import StorageFailed
from citeloom.infrastructure.storage.blobs import FolderBlobs
from citeloom_server.infrastructure.shared_files import SharedModels

NAME = "models--qdrant--small-onnx"


@pytest.fixture
def share(tmp_path: Path) -> SharedModels:
    return SharedModels(FolderBlobs(tmp_path / "shared"))


@pytest.fixture
def fetched(tmp_path: Path) -> Path:
    """A model as huggingface_hub lays it out: the snapshot links to blobs."""
    folder = tmp_path / "one" / NAME
    for name, text in {
        "blobs/1f": "weights",
        "refs/main": "c0ffee",
        "snapshots/c0ffee/config.json": "{}",
        "files_metadata.json": "{}",
    }.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    (folder / "snapshots/c0ffee/model.onnx").symlink_to("../../blobs/1f")
    return folder


def contents(folder: Path) -> dict[str, str]:
    files = (path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_text() for path in files}


def test_a_shared_model_is_taken_whole_and_without_links(
    share: SharedModels, fetched: Path, tmp_path: Path
) -> None:
    share.keep(fetched)
    share.keep(fetched)
    taken = tmp_path / "two" / NAME
    (taken / "snapshots").mkdir(parents=True)  # of a fetch that did not end
    assert share.take(taken)
    assert contents(taken) == {
        "refs/main": "c0ffee",
        "snapshots/c0ffee/config.json": "{}",
        "snapshots/c0ffee/model.onnx": "weights",
        "files_metadata.json": "{}",
    }
    assert not (taken / "snapshots/c0ffee/model.onnx").is_symlink()
    assert not share.take(tmp_path / "two" / "models--qdrant--another")


@pytest.mark.parametrize("damage", ["other", "gone"])
def test_a_file_that_is_not_the_one_of_the_list_leaves_nothing(
    share: SharedModels, fetched: Path, tmp_path: Path, damage: str
) -> None:
    share.keep(fetched)
    files = json.loads((tmp_path / "shared" / f"{NAME}.json").read_text())["files"]
    (digest,) = (one["sha256"] for one in files if one["path"].endswith("model.onnx"))
    blob = tmp_path / "shared" / digest[:2] / digest
    blob.write_text("other weights") if damage == "other" else blob.unlink()
    with pytest.raises(StorageFailed, match=r"damaged .* fetch the model again"):
        share.take(tmp_path / "two" / NAME)
    assert list((tmp_path / "two").iterdir()) == []


@pytest.mark.parametrize("path", ["../out", "/etc/out", "a/../../out", "", "a\\..\\out", "C:out"])
def test_a_list_leads_to_no_other_folder(
    share: SharedModels, fetched: Path, tmp_path: Path, path: str
) -> None:
    share.keep(fetched)
    listed = tmp_path / "shared" / f"{NAME}.json"
    files = json.loads(listed.read_text())["files"]
    listed.write_text(json.dumps({"files": [{**files[0], "path": path}]}))
    with pytest.raises(StorageFailed, match="no list of a model's files"):
        share.take(tmp_path / "two" / NAME)
    assert not (tmp_path / "two").exists()
