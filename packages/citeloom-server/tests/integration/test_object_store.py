"""Conversions and maps in an object store: what is written, and what a store that fails says."""

from pathlib import Path

import fsspec
import pytest
from support.world import PONDS

from citeloom.domain.errors import ConfigurationError, StorageFailed
from citeloom.domain.ingest import IngestRequest
from citeloom.domain.projects.project import ProjectId
from citeloom.infrastructure.composition.application import open_application
from citeloom_server.infrastructure.object_store import ObjectBlobs

pytestmark = pytest.mark.server


def test_the_same_content_is_not_written_again(
    bucket: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    blobs = ObjectBlobs(bucket)
    blobs.write("ab/x.gz", b"one")
    files = fsspec.filesystem("s3")
    before = files.info(f"{bucket}/ab/x.gz", refresh=True)["LastModified"]
    put: list[str] = []
    real = blobs._files.pipe_file

    def counted(path: str, value: bytes, **options: str) -> object:
        put.append(options.get("mode", "overwrite"))
        return real(path, value, **options)

    monkeypatch.setattr(blobs._files, "pipe_file", counted)
    blobs.write("ab/x.gz", b"one")
    assert put == ["create"]
    assert files.info(f"{bucket}/ab/x.gz", refresh=True)["LastModified"] == before
    blobs.write("ab/x.gz", b"two")
    assert put == ["create", "create", "overwrite"]
    assert blobs.read("ab/x.gz") == b"two"


def test_a_bucket_that_is_not_there_is_told(bucket: str) -> None:
    blobs = ObjectBlobs(f"{bucket}-not-made/papers")
    with pytest.raises(StorageFailed, match=r"not-made/papers/a: cannot be written.*bucket"):
        blobs.write("a", b"x")


def test_a_store_that_is_not_known_is_told() -> None:
    with pytest.raises(ConfigurationError, match="nosuch:// is not a known store"):
        ObjectBlobs("nosuch://papers")


def test_two_workspaces_share_conversions(
    bucket: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The second takes from the store what the first has converted."""
    monkeypatch.setenv("CITELOOM_STORAGE__URL", f"{bucket}/group")
    paper = tmp_path / "ponds.md"
    paper.write_text(PONDS, encoding="utf-8")
    ids = []
    for name in ("one", "two"):
        opened = open_application(tmp_path / name)
        request = IngestRequest(project_id=ProjectId.parse("t"), sources=(str(paper),))
        done = opened.ingest.files(request)
        ids += [one.document_id for one in done.documents]
        assert not (opened.workspace.bundles).exists()
        assert not (opened.workspace.maps).exists()
        assert list(opened.stores.bundles.ids()) == ids[:1]
        assert opened.stores.bundles.load_map(str(ids[0])) is not None
        notes = opened.backups.save(None).notes
        assert notes == (f"conversions and maps are in {bucket}/group: use its own backups",)
        opened.close()
    assert ids[0] == ids[1]
