"""Opening a SQLite catalogue: fast, without side effects, and with a sentence for trouble."""

import os
import shutil
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from support.cases import each

from citeloom.application.ports.catalogue import SourceStamp, StoredDocument
from citeloom.domain.errors import (
    ConfigurationError,
    StorageFailed,
    WorkspaceTooNew,
    WorkspaceTooOld,
)
from citeloom.domain.naming import path_name
from citeloom.domain.projects.project import EmbeddingModel, Project, ProjectId
from citeloom.infrastructure.storage.catalogue import SqlCatalogue
from citeloom.infrastructure.storage.database import sqlite, sqlite_errors
from citeloom.infrastructure.system.workspace import Workspace


def a_project(name: str = "x") -> Project:
    project_id = ProjectId.parse(name)
    return Project(
        id=project_id,
        collection=project_id.collection,
        embedding_model=EmbeddingModel(name="m", dimension=3, digest="d", max_tokens=9),
        sparse_model="bm25",
        created_at=datetime(2026, 1, 1, tzinfo=UTC),
    )


def a_document(path: str, size: int = 1) -> StoredDocument:
    return StoredDocument(
        project_id=ProjectId.parse("x"),
        document_id="5e" * 32,
        mime_type="application/pdf",
        pages=1,
        chunks=1,
        sources=(SourceStamp(path=path, size=size, mtime_ns=1),),
        conversion="a",
        chunking="b",
        embedding="c",
        stored_at=datetime(2026, 1, 1, tzinfo=UTC),
    )


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    return Workspace(tmp_path / "ein Ordner ü %20 #1?")


@pytest.fixture
def catalogue(workspace: Workspace) -> Iterator[SqlCatalogue]:
    catalogue = SqlCatalogue(workspace.catalogue_url)
    yield catalogue
    catalogue.close()


def execute(path: Path, *statements: str) -> list[object]:
    connection = sqlite3.connect(path)
    with connection:
        rows = [connection.execute(statement).fetchone() for statement in statements]
    connection.close()
    return rows


def test_reading_creates_nothing(catalogue: SqlCatalogue, workspace: Workspace) -> None:
    assert list(catalogue.projects()) == []
    catalogue.remove_documents(ProjectId.parse("x"), [])
    assert not workspace.root.exists()


def test_the_database_is_durable_and_shared(catalogue: SqlCatalogue, workspace: Workspace) -> None:
    catalogue.add_project(a_project())
    assert execute(workspace.catalogue, "PRAGMA journal_mode") == [("wal",)]
    with catalogue._database.reading() as transaction:
        [synchronous] = transaction.rows("PRAGMA synchronous", {})
        [references] = transaction.rows("PRAGMA foreign_keys", {})
    assert synchronous["synchronous"] == 2
    assert references["foreign_keys"] == 1


def test_a_current_schema_is_opened_without_sqlalchemy(
    catalogue: SqlCatalogue, workspace: Workspace
) -> None:
    catalogue.add_project(a_project())
    code = (
        "import sys\n"
        "from citeloom.infrastructure.storage.catalogue import SqlCatalogue\n"
        "from citeloom.infrastructure.storage.research.record import SqlResearchRecord\n"
        "SqlResearchRecord(sys.argv[1]).find('')\n"
        "print(len(SqlCatalogue(sys.argv[1]).projects()))\n"
        "print([m for m in ('sqlalchemy', 'alembic', 'filelock') if m in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, workspace.catalogue_url],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.split("\n")[:2] == ["1", "[]"]


def test_a_newer_workspace_is_refused(catalogue: SqlCatalogue, workspace: Workspace) -> None:
    catalogue.add_project(a_project())
    catalogue.close()
    execute(workspace.catalogue, "UPDATE alembic_version SET version_num = '9999'")
    for call in (catalogue.projects, lambda: catalogue.add_project(a_project("y"))):
        with pytest.raises(WorkspaceTooNew) as raised:
            call()
        assert raised.value.message == (
            f"{workspace.home}: written by a newer CiteLoom (schema 9999); upgrade CiteLoom"
        )


@pytest.mark.parametrize("revision", ["0001", "0007"])
def test_an_older_workspace_is_refused(
    catalogue: SqlCatalogue, workspace: Workspace, revision: str
) -> None:
    catalogue.add_project(a_project())
    catalogue.close()
    execute(workspace.catalogue, f"UPDATE alembic_version SET version_num = '{revision}'")
    before = workspace.catalogue.read_bytes()
    for call in (catalogue.projects, lambda: catalogue.add_project(a_project("y"))):
        with pytest.raises(WorkspaceTooOld) as raised:
            call()
        assert raised.value.message == (
            f"{workspace.home}: written by an older CiteLoom (schema {revision}), which cannot be "
            "upgraded; ingest the documents in a new workspace"
        )
    assert workspace.catalogue.read_bytes() == before


def test_an_interrupted_first_use_is_taken_up(
    catalogue: SqlCatalogue, workspace: Workspace
) -> None:
    workspace.home.mkdir(parents=True)
    workspace.catalogue.touch()
    assert list(catalogue.projects()) == []
    catalogue.add_project(a_project())
    assert len(catalogue.projects()) == 1


@pytest.mark.parametrize("content", [b"no database " * 100, None])
def test_a_damaged_catalogue_is_told(
    catalogue: SqlCatalogue, workspace: Workspace, content: bytes | None
) -> None:
    catalogue.add_project(a_project())
    catalogue.close()
    whole = workspace.catalogue.read_bytes()
    workspace.catalogue.write_bytes(content or whole[:8192] + b"\xff" * (len(whole) - 8192))
    for call in (catalogue.projects, lambda: catalogue.add_project(a_project("y"))):
        with pytest.raises(StorageFailed, match=r"damaged.*; backups of it: ") as raised:
            call()
        assert str(workspace.catalogue) in raised.value.message


def test_a_catalogue_that_was_removed_is_made_anew(
    catalogue: SqlCatalogue, workspace: Workspace
) -> None:
    catalogue.add_project(a_project())
    for path in workspace.home.glob("catalogue.sqlite*"):
        path.unlink()
    assert list(catalogue.projects()) == []
    catalogue.add_project(a_project())
    assert len(catalogue.projects()) == 1


@pytest.mark.skipif(os.name == "nt", reason="there, an open file cannot be removed")
def test_a_catalogue_that_another_process_made_anew_is_seen(
    catalogue: SqlCatalogue, workspace: Workspace
) -> None:
    catalogue.add_project(a_project("old"))
    shutil.rmtree(workspace.home)
    other = SqlCatalogue(workspace.catalogue_url)
    other.add_project(a_project("new"))
    other.close()
    assert [one.id.name for one in catalogue.projects()] == ["new"]


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (sqlite, sqlite_errors):
        monkeypatch.setattr(module, "BUSY_SECONDS", 0.2)


@pytest.mark.usefixtures("impatient")
def test_a_writer_that_waits_in_vain_says_so(catalogue: SqlCatalogue, workspace: Workspace) -> None:
    catalogue.add_project(a_project())
    catalogue.close()
    other = sqlite3.connect(workspace.catalogue, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(StorageFailed, match=r"another process has been writing for 0\.2 s"):
        catalogue.add_project(a_project("y"))
    assert len(catalogue.projects()) == 1
    other.close()
    catalogue.add_project(a_project("y"))


def test_a_full_disk_is_told_and_loses_nothing(
    catalogue: SqlCatalogue, workspace: Workspace
) -> None:
    catalogue.add_project(a_project())
    with catalogue._database.reading() as transaction:
        [pages] = transaction.rows("PRAGMA page_count", {})
        transaction.rows(f"PRAGMA max_page_count = {pages['page_count']}", {})

    def fill() -> None:
        for number in range(1000):
            catalogue.add_project(a_project(f"p{number}"))

    with pytest.raises(StorageFailed, match=r"catalogue\.sqlite: the disk is full"):
        fill()
    kept = len(catalogue.projects())
    catalogue.add_project(a_project("y"))
    assert len(catalogue.projects()) == kept + 1


def test_a_put_that_fails_half_way_changes_nothing(catalogue: SqlCatalogue) -> None:
    catalogue.add_project(a_project())
    catalogue.put_document(document := a_document("/a.pdf"))
    with pytest.raises(OverflowError):
        catalogue.put_document(a_document("/b.pdf", size=1 << 70))
    assert list(catalogue.documents(document.project_id)) == [document]
    named = catalogue.find_documents(document.project_id, [path_name("/a.pdf")])
    assert list(named) == [document]


@pytest.mark.usefixtures("impatient")
def test_a_locked_catalogue_is_never_read_past_its_lock(
    catalogue: SqlCatalogue, workspace: Workspace
) -> None:
    catalogue.add_project(a_project())
    catalogue.close()
    other = sqlite3.connect(workspace.catalogue, isolation_level=None)
    other.execute("PRAGMA locking_mode = EXCLUSIVE")
    other.execute("BEGIN EXCLUSIVE")
    with pytest.raises(StorageFailed, match="another process"):
        catalogue.projects()
    other.close()


def test_threads_share_a_catalogue(catalogue: SqlCatalogue) -> None:
    failed: list[BaseException] = []

    def write(name: str) -> None:
        try:
            for number in range(10):
                catalogue.add_project(a_project(f"{name}{number}"))
                catalogue.projects()
        except BaseException as error:
            failed.append(error)

    threads = [threading.Thread(target=write, args=(name,)) for name in "abcd"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failed == []
    assert len(catalogue.projects()) == 40


@each("url", ["nonsense", "mango://x/y", "", "mysql+nothing://x"])
def test_a_url_that_cannot_be_meant_is_refused(url: str) -> None:
    with pytest.raises(ConfigurationError, match=r"^catalogue\.url: "):
        SqlCatalogue(url)
