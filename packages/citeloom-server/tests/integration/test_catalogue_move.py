"""The catalogue moved to PostgreSQL and back: whole or not at all, and the same rows."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import create_engine, text
from support.command_line import inside
from support.servers.postgresql import PostgresServer
from support.stores.catalogues import HERE, a_project
from support.stores.filled_catalogue import fill

from citeloom.application.ports.system import LockHeld
from citeloom.domain.errors import InvalidRequest, ProjectExists, StorageFailed
from citeloom.domain.projects.project import ProjectId
from citeloom.infrastructure.storage.catalogue import SqlCatalogue
from citeloom.infrastructure.storage.database import sqlite
from citeloom.infrastructure.system.locks import FileLocks
from citeloom.infrastructure.system.workspace import Workspace
from citeloom_server.infrastructure.database import postgresql as pool
from citeloom_server.infrastructure.database import transfer as tables
from citeloom_server.infrastructure.database.transfer import CatalogueMoved, CatalogueMover

pytestmark = pytest.mark.server
SECRET = "s3cr3t-of-the-database"


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    path = tmp_path_factory.mktemp("filled") / "catalogue.sqlite"
    fill(f"sqlite:///{path}")
    return path.read_bytes()


@pytest.fixture
def workspace(tmp_path: Path, filled: bytes) -> Workspace:
    """With rows in all tables, and converted documents beside them."""
    workspace = Workspace(tmp_path / "w")
    (workspace.bundles / "ab").mkdir(parents=True)
    (workspace.bundles / "ab" / "x.json.gz").write_bytes(b"x")
    workspace.catalogue.write_bytes(filled)
    return workspace


@pytest.fixture
def url(postgres_server: PostgresServer) -> Iterator[str]:
    name = postgres_server.new_database()
    yield postgres_server.url(name)
    postgres_server.drop_database(name)


def move(workspace: Workspace, source: str, to: str, **options: bool) -> CatalogueMoved:
    locks = FileLocks(workspace.locks, "citeloom catalogue move")
    return CatalogueMover(source, workspace.catalogue, locks, wait_seconds=0)(to, **options)


def there(workspace: Workspace, url: str, **options: bool) -> CatalogueMoved:
    return move(workspace, workspace.catalogue_url, url, **options)


def dump(path: Path) -> list[str]:
    """All tables, indexes and rows of a SQLite file. A server keeps no order of rows."""
    with closing(sqlite3.connect(path)) as connection:
        return sorted(connection.iterdump())


def count(url: str) -> int:
    """Rows of all tables, as others see them at this moment."""
    engine = create_engine(url)
    with engine.connect() as connection:
        statements = (f"SELECT COUNT(*) FROM {one.name}" for one in tables.TABLES)
        total = sum(int(connection.execute(text(one)).scalar_one()) for one in statements)
    engine.dispose()
    return total


def test_all_tables_come_back_from_postgresql_as_they_were(workspace: Workspace, url: str) -> None:
    before = dump(workspace.catalogue)
    moved = there(workspace, url)
    assert moved.copied
    assert not [one.table for one in moved.tables if not one.rows], "shows nothing"
    assert dump(workspace.catalogue) == before
    catalogue = SqlCatalogue(url)
    assert [one.title for one in catalogue.documents(HERE)] == ["On Ångström’s law – 法則"]
    catalogue.close()
    workspace.catalogue.rename(workspace.home / "original")
    back = move(workspace, url, "sqlite")
    assert back.tables == moved.tables
    assert dump(workspace.catalogue) == before
    assert not (workspace.home / "moving").exists()
    catalogue = SqlCatalogue(workspace.catalogue_url)
    catalogue.verify(deep=True)
    catalogue.close()


def test_a_move_that_was_done_is_done_again_without_copying(workspace: Workspace, url: str) -> None:
    first = there(workspace, url)
    assert there(workspace, url) == first.model_copy(update={"copied": False})
    assert not move(workspace, url, "sqlite").copied


def test_other_rows_at_the_target_are_kept_unless_they_are_to_be_replaced(
    workspace: Workspace, url: str
) -> None:
    catalogue = SqlCatalogue(url)
    catalogue.add_project(a_project(ProjectId.parse("else/where")))
    with pytest.raises(ProjectExists, match="holds 1 rows of another catalogue"):
        there(workspace, url)
    assert [one.id.value for one in catalogue.projects()] == ["else/where"]
    assert there(workspace, url, replace=True).copied
    assert HERE in [one.id for one in catalogue.projects()]
    assert len(catalogue.projects()) == 2
    catalogue.close()


def test_a_file_that_is_replaced_is_kept_as_a_snapshot(workspace: Workspace, url: str) -> None:
    there(workspace, url)
    server = SqlCatalogue(url)
    server.delete_project(HERE)
    server.close()
    before = dump(workspace.catalogue)
    with pytest.raises(ProjectExists):
        move(workspace, url, "sqlite")
    assert dump(workspace.catalogue) == before
    moved = move(workspace, url, "sqlite", replace=True)
    assert moved.kept is not None
    assert dump(moved.kept) == before
    assert dump(workspace.catalogue) != before


@pytest.mark.parametrize("direction", ["there", "back", "back into a file"])
def test_an_interrupted_move_leaves_the_target_as_it_was_and_the_next_one_ends_it(
    workspace: Workspace, url: str, monkeypatch: pytest.MonkeyPatch, direction: str
) -> None:
    source, to = workspace.catalogue_url, url
    if direction != "there":
        there(workspace, url)
        source, to = url, "sqlite"
        if direction == "back":
            workspace.catalogue.unlink()
        else:
            emptied = SqlCatalogue(workspace.catalogue_url)
            emptied.delete_project(HERE)
            emptied.close()
    left = dump(workspace.catalogue) if workspace.catalogue.exists() else None
    with monkeypatch.context() as patch:
        patch.setattr(tables, "_BATCH", 1)
        patch.setattr(tables, "RowSum", _Stopping)
        with pytest.raises(KeyboardInterrupt):
            move(workspace, source, to, replace=True)
    if to == "sqlite":
        assert (dump(workspace.catalogue) if workspace.catalogue.exists() else None) == left
    else:
        assert count(url) == 0
    assert move(workspace, source, to, replace=True).copied


class _Stopping(tables.RowSum):
    """Stops in the middle of the sources."""

    def add(self, row: Any) -> None:
        if self._table.name == "sources" and "path" in row:
            raise KeyboardInterrupt
        super().add(row)


def test_rows_that_arrive_otherwise_are_told_and_nothing_is_moved(
    workspace: Workspace, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def spoilt(source: Any, target: Any) -> Any:
        read = copy(source, target)
        target.run("UPDATE labels SET value = '\"other\"'", {})
        return read

    copy = tables.copy
    monkeypatch.setattr(tables, "copy", spoilt)
    with pytest.raises(StorageFailed, match=r"not as it was read \(labels\); nothing was moved"):
        there(workspace, url)
    assert count(url) == 0


def test_nobody_sees_a_part_and_nobody_writes_to_either_meanwhile(
    workspace: Workspace, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pool, "_SESSION", "SET lock_timeout = 100")
    monkeypatch.setattr(sqlite, "BUSY_SECONDS", 0.1)
    seen: list[int] = []

    def watched(source: Any, target: Any) -> Any:
        read = copy(source, target)
        seen.append(count(url))
        for place in (url, workspace.catalogue_url):
            other = SqlCatalogue(place)
            with pytest.raises(StorageFailed, match="another process"):
                other.add_project(a_project(ProjectId.parse("else/where")))
            other.close()
        with pytest.raises(LockHeld, match="citeloom catalogue move"):
            there(workspace, url)
        return read

    copy = tables.copy
    monkeypatch.setattr(tables, "copy", watched)
    moved = there(workspace, url)
    assert seen == [0]
    assert count(url) == moved.rows


def test_a_move_without_a_catalogue_or_to_the_same_place_is_refused(
    workspace: Workspace, tmp_path: Path, url: str
) -> None:
    with pytest.raises(InvalidRequest, match="is in use already"):
        move(workspace, workspace.catalogue_url, "sqlite")
    with pytest.raises(InvalidRequest, match="is moved to `sqlite`"):
        there(workspace, "mysql://host/database")
    empty = Workspace(tmp_path / "empty")
    with pytest.raises(InvalidRequest, match="there is no catalogue yet"):
        there(empty, url)
    assert not empty.home.joinpath("catalogue.sqlite").exists()


def test_the_command_says_which_setting_to_change_and_never_a_password(
    workspace: Workspace, url: str
) -> None:
    told = url.replace("postgres@", f"postgres:{SECRET}@")
    asked = f"{url}&password={SECRET}"
    moved = inside("catalogue", "move", "--to", told, workspace=workspace.root)
    assert moved.code == 0
    assert "copied and verified" in moved.out
    assert "CITELOOM_CATALOGUE__URL" in moved.err
    again = inside("catalogue", "move", "--to", asked, "--json", workspace=workspace.root)
    assert (again.code, again.json["copied"]) == (0, False)
    wrong = [
        inside("catalogue", "move", "--to", one, workspace=workspace.root)
        for one in (told.replace("/test_", "/none_"), f"mysql://u:{SECRET}@host/x", told + "=&%")
    ]
    assert all(one.code for one in wrong)
    environment = {"CITELOOM_CATALOGUE__URL": told}
    back = inside("catalogue", "move", "--to", "sqlite", workspace=workspace.root, **environment)
    assert back.code == 0
    assert "remove url under [catalogue]" in back.err
    for one in (moved, again, back, *wrong):
        assert SECRET not in one.out + one.err
