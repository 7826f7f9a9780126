"""Copies of the catalogue, backups of a workspace, and what they bring back."""

import shutil
import sqlite3
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest

from citeloom.domain.errors import InvalidSource, StorageFailed
from citeloom.domain.messages import Action, NextStep
from citeloom.domain.projects.project import (
    EmbeddingModel,
    IndexPlace,
    Project,
    ProjectId,
    RetrievalSettings,
)
from citeloom.infrastructure.backup import ArchiveWriter, Recovered
from citeloom.infrastructure.composition.application import Application, open_application
from citeloom.infrastructure.storage.catalogue import SqlCatalogue
from citeloom.infrastructure.storage.database import sqlite
from citeloom.infrastructure.storage.database.sqlite import KEPT, Reason, take_snapshot
from citeloom.infrastructure.storage.database.sqlite_errors import snapshots
from citeloom.infrastructure.system.locks import OsLock
from citeloom.infrastructure.system.workspace import Workspace

NOW = datetime(2026, 1, 1, tzinfo=UTC)


def a_project(name: str) -> Project:
    id = ProjectId.parse(name)
    return Project(
        id=id,
        collection=id.collection,
        embedding_model=EmbeddingModel(name="m", dimension=3, digest="d", max_tokens=9),
        sparse_model="bm25",
        created_at=NOW,
    )


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    """With one project, written by another process."""
    workspace = Workspace(tmp_path / "w")
    add(workspace, "first")
    sqlite._VETTED.clear()
    return workspace


def add(workspace: Workspace, name: str) -> None:
    catalogue = SqlCatalogue(workspace.catalogue_url)
    catalogue.add_project(a_project(name))
    catalogue.close()


def names(path: Path) -> list[str]:
    catalogue = SqlCatalogue(f"sqlite:///{path}")
    found = [one.id.name for one in catalogue.projects()]
    catalogue.close()
    return found


def application(workspace: Workspace) -> Application:
    return open_application(workspace.root)


def garble(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[4096 : 4096 + 20_000] = b"\xa5" * 20_000
    path.write_bytes(content)


def test_the_first_writer_of_a_day_copies_the_catalogue_once(workspace: Workspace) -> None:
    add(workspace, "second")
    add(workspace, "third")
    sqlite._VETTED.clear()
    add(workspace, "fourth")
    [copy] = [one for one in snapshots(workspace.catalogue) if one.reason == Reason.DAILY]
    assert names(copy.path) == ["first"]


def test_each_run_that_wrote_leaves_a_copy(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert names(snapshots(workspace.catalogue)[0].path) == ["first"]
    reader = SqlCatalogue(workspace.catalogue_url)
    reader.projects()
    before = snapshots(workspace.catalogue)
    reader.close()
    assert snapshots(workspace.catalogue) == before
    monkeypatch.setattr(sqlite, "_LARGE", 0)
    add(workspace, "second")
    assert names(snapshots(workspace.catalogue)[0].path) == ["first"]  # too large for so soon


def test_a_long_run_copies_what_it_wrote_so_far(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sqlite, "_LONG_RUN", 0.0)
    catalogue = SqlCatalogue(workspace.catalogue_url)
    catalogue.add_project(a_project("second"))
    assert names(snapshots(workspace.catalogue)[0].path) == ["first", "second"]
    catalogue.close()


def test_a_damaged_catalogue_is_as_in_the_newest_whole_copy(workspace: Workspace) -> None:
    older = take_snapshot(workspace.catalogue, Reason.DAILY)
    add(workspace, "second")
    newest = snapshots(workspace.catalogue)[0].path
    assert newest != older
    garble(newest)
    garble(workspace.catalogue)
    recovered = application(workspace).backups.recover()
    assert recovered is not None
    assert recovered.copied_from == older
    assert recovered.kept is not None
    assert names(workspace.catalogue) == ["first"]
    assert application(workspace).backups.recover() is None


def test_a_catalogue_without_a_whole_copy_is_empty(workspace: Workspace) -> None:
    for copy in snapshots(workspace.catalogue):
        garble(copy.path)
    garble(workspace.catalogue)
    recovered = application(workspace).backups.recover()
    assert recovered is not None
    assert recovered.copied_from is None
    assert names(workspace.catalogue) == []


def test_a_catalogue_whose_filling_was_stopped_is_filled_on(workspace: Workspace) -> None:
    """A copy of it, made in between, is not whole either."""
    for copy in snapshots(workspace.catalogue):
        copy.path.unlink()
    garble(workspace.catalogue)
    assert application(workspace).backups.recover() is not None
    add(workspace, "second")  # and the process is killed
    assert [one.reason for one in snapshots(workspace.catalogue)] == [Reason.DAILY]
    with pytest.raises(StorageFailed, match="the catalogue is incomplete"):
        SqlCatalogue(workspace.catalogue_url).verify()
    again = application(workspace).backups.recover()
    assert again == Recovered(copied_from=None, kept=None)
    assert names(workspace.catalogue) == ["second"]
    assert list(application(workspace).ingest.rebuild()) == []
    assert application(workspace).backups.recover() is None


def test_only_the_newest_copies_of_a_kind_are_kept(workspace: Workspace) -> None:
    for day in range(1, 15):
        path = workspace.backups / f"catalogue-202501{day:02}T000000Z-daily.sqlite"
        workspace.backups.mkdir(exist_ok=True)
        path.write_bytes(b"")
    before = take_snapshot(workspace.catalogue, Reason.REPAIR)
    take_snapshot(workspace.catalogue, Reason.DAILY)
    found = snapshots(workspace.catalogue)
    daily = [one.path.name for one in found if one.reason == Reason.DAILY]
    assert len(daily) == KEPT[Reason.DAILY]
    assert daily[1].startswith("catalogue-20250114")
    assert before in [one.path for one in found]


def test_a_damaged_catalogue_is_not_written_and_names_its_backups(workspace: Workspace) -> None:
    before = snapshots(workspace.catalogue)
    garble(workspace.catalogue)
    with pytest.raises(StorageFailed, match=r"damaged .*; backups of it: 20..-") as caught:
        add(workspace, "second")
    assert caught.value.next_step == NextStep(Action.REPAIR)
    with pytest.raises(StorageFailed, match="damaged"):
        take_snapshot(workspace.catalogue, Reason.REPAIR)
    assert snapshots(workspace.catalogue) == before


@pytest.mark.parametrize("empty", [True, False])
def test_a_catalogue_that_is_gone_is_not_taken_for_a_new_workspace(
    workspace: Workspace, empty: bool
) -> None:
    (workspace.bundles / "aa").mkdir(parents=True)
    shutil.rmtree(workspace.backups)
    workspace.catalogue.unlink()
    if empty:
        workspace.catalogue.touch()
    for use in (lambda: names(workspace.catalogue), lambda: add(workspace, "second")):
        with pytest.raises(StorageFailed, match=r"gone or empty.*; there is no backup of it"):
            use()


def test_a_copy_of_the_catalogue_is_put_back_without_the_log_of_the_damaged_one(
    workspace: Workspace,
) -> None:
    copy = take_snapshot(workspace.catalogue, Reason.DAILY)
    with closing(sqlite3.connect(workspace.catalogue)) as open_elsewhere:
        open_elsewhere.execute("BEGIN")
        add(workspace, "second")
        garble(workspace.catalogue)
        restored = application(workspace).backups.restore(copy)
    assert names(workspace.catalogue) == ["first"]
    assert restored.kept is not None
    assert restored.kept.is_file()
    add(workspace, "third")
    assert names(workspace.catalogue) == ["first", "third"]


def test_a_damaged_copy_is_not_put_in_place(workspace: Workspace) -> None:
    copy = take_snapshot(workspace.catalogue, Reason.DAILY)
    garble(copy)
    with pytest.raises(InvalidSource, match="the backup is damaged"):
        application(workspace).backups.restore(copy)
    assert names(workspace.catalogue) == ["first"]


def test_a_workspace_comes_back_from_one_file_and_what_was_there_is_kept(
    workspace: Workspace, tmp_path: Path
) -> None:
    workspace.maps.mkdir()
    (workspace.maps / "a.json").write_text("{}")
    opened = application(workspace)
    with opened.stores.edge_index.open("proj-local-first", dimension=3):
        pass
    opened.close()
    done = application(workspace).backups.save(tmp_path)
    assert done.path.parent == tmp_path
    assert done.path.stat().st_mode & 0o077 == 0
    add(workspace, "second")
    (workspace.maps / "a.json").unlink()
    restored = application(workspace).backups.restore(done.path)
    assert restored.kept is not None
    assert names(restored.kept / "catalogue.sqlite") == ["first", "second"]
    assert names(workspace.catalogue) == ["first"]
    assert (workspace.maps / "a.json").read_text() == "{}"
    index = application(workspace).stores.edge_index
    with index.open("proj-local-first", dimension=3) as collection:
        assert collection.count() == 0
    elsewhere = Workspace(tmp_path / "elsewhere")
    assert application(elsewhere).backups.restore(done.path).kept is None
    assert names(elsewhere.catalogue) == ["first"]


def test_questions_go_on_while_an_index_is_compressed(
    workspace: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with closing(application(workspace)) as opened:
        with opened.stores.edge_index.open("proj-local-first", dimension=3):
            pass
        lock, free = OsLock(workspace.index / "proj-local-first" / "lock"), set()
        add = ArchiveWriter.add

        def asked(writer: ArchiveWriter, file: Path, name: str) -> None:
            if lock.acquire():
                free.add(name.partition("/")[0])
                lock.release()
            add(writer, file, name)

        monkeypatch.setattr(ArchiveWriter, "add", asked)
        opened.backups.save(tmp_path)
    assert "index" in free
    assert not [path for path in workspace.backups.iterdir() if path.is_dir()]


def test_a_backup_names_what_restorations_left(workspace: Workspace, tmp_path: Path) -> None:
    with closing(application(workspace)) as opened:
        done = opened.backups.save(tmp_path)
        assert done.notes == ()
        kept = opened.backups.restore(done.path).kept
        (workspace.root / ".citeloom.restoring").mkdir()
        stopped, replaced = opened.backups.save(tmp_path / "second.zip").notes
    assert ".citeloom.restoring is of a restoration that was stopped" in stopped
    assert replaced.startswith(str(kept))


def test_a_restoration_that_was_killed_between_the_two_folders_is_told(
    workspace: Workspace, tmp_path: Path
) -> None:
    done = application(workspace).backups.save(tmp_path / "b.zip")
    workspace.home.replace(workspace.root / ".citeloom.restoring")
    with pytest.raises(StorageFailed, match="a restoration was stopped before its end"):
        names(workspace.catalogue)
    application(workspace).backups.restore(done.path)
    assert names(workspace.catalogue) == ["first"]


def test_a_backup_says_of_each_project_on_a_server_that_its_index_is_there(
    workspace: Workspace,
) -> None:
    catalogue = SqlCatalogue(workspace.catalogue_url)
    place = IndexPlace(url="https://qdrant.example.org:6333")
    retrieval = RetrievalSettings(place=place)
    catalogue.add_project(a_project("afar").model_copy(update={"retrieval": retrieval}))
    catalogue.close()
    with closing(application(workspace)) as opened:
        [note] = opened.backups.save(None).notes
    assert note == (
        "local/afar: its index is on https://qdrant.example.org:6333 as proj-local-afar: a "
        "snapshot of it there restores it; without one it is rebuilt from the stored conversions"
    )
