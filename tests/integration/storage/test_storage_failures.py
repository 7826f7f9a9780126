"""Real disks that are full or read-only. They need the right to mount; where that is
missing, the same sentences are tested with simulated errors in the unit tests."""

import random
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

import pytest

from citeloom.application.ports.catalogue import SourceStamp, StoredDocument
from citeloom.application.ports.ingest import JournalEntry
from citeloom.domain.documents.conversion import ConversionResult, Structure
from citeloom.domain.errors import StorageFailed
from citeloom.domain.messages import Action, NextStep
from citeloom.domain.naming import file_name
from citeloom.domain.projects.project import EmbeddingModel, Project, ProjectId
from citeloom.infrastructure.ingest.bundles import FileBundleStore, FileIngestJournal
from citeloom.infrastructure.storage.blobs import FolderBlobs
from citeloom.infrastructure.storage.catalogue import SqlCatalogue
from citeloom.infrastructure.system.workspace import Workspace

HERE = ProjectId.parse("x")
NOW = datetime(2026, 1, 1, tzinfo=UTC)


@contextmanager
def mounted(folder: Path, size: str) -> Iterator[Path]:
    """A file system of its own at ``folder``, in memory."""
    if sys.platform != "linux":
        pytest.skip("mounts a tmpfs, which only Linux has")
    command = ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(folder)]
    if subprocess.run(command, capture_output=True, check=False).returncode:
        pytest.skip("no right to mount a tmpfs")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)


@contextmanager
def read_only(folder: Path) -> Iterator[None]:
    subprocess.run(["mount", "-o", "remount,ro", str(folder)], check=True)
    yield


def a_project() -> Project:
    return Project(
        id=HERE,
        collection=HERE.collection,
        embedding_model=EmbeddingModel(name="m", dimension=3, digest="d", max_tokens=9),
        sparse_model="bm25",
        created_at=NOW,
    )


def a_document(number: int) -> StoredDocument:
    return StoredDocument(
        project_id=HERE,
        document_id=f"{number:064x}",
        title="t" * 2000,
        mime_type="application/pdf",
        pages=1,
        chunks=1,
        sources=(SourceStamp(path=f"/{number}.pdf", size=1, mtime_ns=1),),
        conversion="a",
        chunking="b",
        embedding="c",
        stored_at=NOW,
    )


def a_result(characters: int = 100) -> ConversionResult:
    return ConversionResult(
        doc_id="5e" * 32,
        structure=Structure(heading_tree=(), page_map=()),
        plain_text=random.Random(1).randbytes(characters // 2).hex(),  # hardly compressible
    )


def a_record() -> JournalEntry:
    return JournalEntry(correlation_id="r", timestamp=NOW, project_id="x", warnings=("w" * 9000,))


FULL = "the disk is full"


def test_a_full_disk_stops_documents_and_keeps_those_before(tmp_path: Path) -> None:
    with mounted(tmp_path, "1m") as folder:
        workspace = Workspace(folder)
        catalogue = SqlCatalogue(workspace.catalogue_url)
        catalogue.add_project(a_project())
        stored = 0

        def fill() -> None:
            nonlocal stored
            for stored in range(2000):
                catalogue.put_document(a_document(stored))

        with pytest.raises(StorageFailed, match=FULL):
            fill()
        catalogue.close()
        again = SqlCatalogue(workspace.catalogue_url)
        assert len(again.documents(HERE)) == stored > 0
        again.close()


def test_a_full_disk_at_first_use(tmp_path: Path) -> None:
    with mounted(tmp_path, "64k") as folder:
        workspace = Workspace(folder)
        catalogue = SqlCatalogue(workspace.catalogue_url)
        with pytest.raises(StorageFailed, match=FULL):
            catalogue.add_project(a_project())
        assert list(catalogue.projects()) == []
        catalogue.close()


def test_a_full_disk_keeps_the_old_bundle(tmp_path: Path) -> None:
    with mounted(tmp_path, "256k") as folder:
        workspace = Workspace(folder)
        store = FileBundleStore(FolderBlobs(workspace.bundles), FolderBlobs(workspace.maps))
        store.save(a_result(), "old")
        with pytest.raises(StorageFailed, match=FULL):
            store.save(a_result(2_000_000), "new")
        assert store.load("5e" * 32, "old") == a_result()
        assert list(workspace.bundles.rglob("*.tmp")) == []


def test_a_full_disk_and_the_ingest_journal(tmp_path: Path) -> None:
    with mounted(tmp_path, "64k") as folder:
        log = FileIngestJournal(Workspace(folder).ingest_journal)

        def fill() -> None:
            for _ in range(20):
                log.append(a_record())

        with pytest.raises(StorageFailed, match=FULL):
            fill()


def test_the_journal_is_read_over_its_rotation_and_past_lines_cut_short(tmp_path: Path) -> None:
    path = Workspace(tmp_path).ingest_journal
    log = FileIngestJournal(path, max_bytes=10_000)
    assert list(log.entries()) == []
    log.append(a_record())
    log.append(a_record().model_copy(update={"reference_files": ("a.bib",)}))
    with path.open("ab") as file:
        file.write(b'{"correlation_id":"r","time')
    log.append(a_record())
    assert path.with_name(f"{path.name}.1").exists()
    assert [one.reference_files for one in log.entries()] == [None, ("a.bib",), None]


def test_a_read_only_workspace_can_be_read_and_says_why_it_cannot_be_written(
    tmp_path: Path,
) -> None:
    with mounted(tmp_path, "4m") as folder:
        workspace = Workspace(folder)
        catalogue = SqlCatalogue(workspace.catalogue_url)
        catalogue.add_project(a_project())
        catalogue.put_document(a_document(1))
        catalogue.close()
        store = FileBundleStore(FolderBlobs(workspace.bundles), FolderBlobs(workspace.maps))
        store.save(a_result(), "f")
        with read_only(folder):
            assert catalogue.project(HERE) == a_project()
            assert catalogue.find_documents(HERE, [file_name("1.pdf")])
            assert store.load("5e" * 32, "f") == a_result()
            writes: list[Callable[[], None]] = [
                lambda: catalogue.put_document(a_document(2)),
                lambda: store.save(a_result(), "g"),
                lambda: store.delete("5e" * 32),
                lambda: FileIngestJournal(workspace.ingest_journal).append(a_record()),
            ]
            for write in writes:
                with pytest.raises(StorageFailed) as told:
                    write()
                assert told.value.next_step == NextStep(Action.MAKE_WRITABLE)
                assert str(workspace.home) in told.value.message
            assert len(catalogue.documents(HERE)) == 1
            catalogue.close()


def test_a_read_only_folder_without_a_workspace(tmp_path: Path) -> None:
    with mounted(tmp_path, "1m") as folder, read_only(folder):
        catalogue = SqlCatalogue(Workspace(folder).catalogue_url)
        assert list(catalogue.projects()) == []
        with pytest.raises(StorageFailed, match=r"cannot be created \(read-only file system"):
            catalogue.add_project(a_project())
