"""An upgrade makes the tables that the code expects, to the end or not at all."""

import json
import re
import sqlite3
from hashlib import sha256
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from sqlalchemy import create_engine
from support.stores.catalogue_schema import OLD_SCHEMA, described

from citeloom.domain.errors import CiteLoomError, StorageFailed, WorkspaceTooNew, WorkspaceTooOld
from citeloom.infrastructure.storage.catalogue import SqlCatalogue
from citeloom.infrastructure.storage.database import upgrade as migrate
from citeloom.infrastructure.storage.database.database import HEAD, READ_REVISION
from citeloom.infrastructure.storage.database.upgrade import upgrade_sqlite
from citeloom.infrastructure.storage.schema import metadata


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "catalogue.sqlite"


def test_upgraded_tables_are_those_declared(path: Path) -> None:
    make_old(path)
    upgrade_sqlite(path)
    engine = create_engine(f"sqlite:///{path}")
    with engine.connect() as connection:
        context = MigrationContext.configure(
            connection, opts={"compare_type": True, "compare_server_default": True}
        )
        assert compare_metadata(context, metadata) == []
    engine.dispose()


def test_the_revision_is_written(path: Path) -> None:
    for make in (lambda _: None, make_old):
        path.unlink(missing_ok=True)
        make(path)
        upgrade_sqlite(path)
        connection = sqlite3.connect(path)
        assert connection.execute(READ_REVISION).fetchall() == [(HEAD,)]
        connection.close()


@pytest.mark.parametrize(
    ("revision", "error"), [("9999", WorkspaceTooNew), ("0007", WorkspaceTooOld)]
)
def test_another_revision_stays_as_it_is(
    path: Path, revision: str, error: type[CiteLoomError]
) -> None:
    make_old(path)
    connection = sqlite3.connect(path)
    with connection:
        connection.execute("UPDATE alembic_version SET version_num = ?", [revision])
    before = tables(path)
    with pytest.raises(error, match=f"^{re.escape(str(path))}: written by"):
        upgrade_sqlite(path)
    assert connection.execute(READ_REVISION).fetchall() == [(revision,)]
    assert tables(path) == before
    connection.close()


def test_upgrading_twice_changes_nothing(path: Path) -> None:
    upgrade_sqlite(path)
    before = path.read_bytes()
    upgrade_sqlite(path)
    assert path.read_bytes() == before


def test_new_tables_are_those_of_an_upgrade(path: Path) -> None:
    upgrade_sqlite(path)
    old = path.with_name("old.sqlite")
    make_old(old)
    upgrade_sqlite(old)
    with (
        create_engine(f"sqlite:///{path}").connect() as new,
        create_engine(f"sqlite:///{old}").connect() as before,
    ):
        assert described(new) == described(before)


def test_a_change_of_the_tables_is_a_new_revision(path: Path) -> None:
    """A database of the last revision is not upgraded, so it lacks what is declared later."""
    upgrade_sqlite(path)
    with create_engine(f"sqlite:///{path}").connect() as connection:
        tables = json.dumps(described(connection), sort_keys=True).encode()
    assert (HEAD, sha256(tables).hexdigest()[:8]) == ("0019", "55e49053")


def test_documents_of_the_oldest_revision_have_an_unknown_fidelity(path: Path) -> None:
    make_old(path)
    connection = sqlite3.connect(path)
    with connection:
        connection.execute(OLD_PROJECT)
        connection.execute(OLD_DOCUMENT)
    connection.close()
    catalogue = SqlCatalogue(f"sqlite:///{path}")
    (project,) = catalogue.projects()
    (document,) = catalogue.documents(project.id)
    catalogue.close()
    assert document.title == "Ponds"
    assert document.fidelity is None
    assert (document.authors, document.year) == ((), None)


def test_an_interrupted_upgrade_leaves_nothing(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    upgrade = migrate.upgrade

    def stop_at_the_end(connection: object) -> None:
        upgrade(connection)  # type: ignore[arg-type]
        raise KeyboardInterrupt

    monkeypatch.setattr(migrate, "upgrade", stop_at_the_end)
    with pytest.raises(KeyboardInterrupt):
        upgrade_sqlite(path)
    assert tables(path) == set()
    monkeypatch.undo()
    upgrade_sqlite(path)
    assert "documents" in tables(path)


def test_a_file_that_is_no_database_is_told(path: Path) -> None:
    path.write_bytes(b"not a database, but long enough to be taken for one" * 20)
    with pytest.raises(StorageFailed, match=r"catalogue\.sqlite: the catalogue is damaged"):
        upgrade_sqlite(path)


def tables(path: Path) -> set[str]:
    connection = sqlite3.connect(path)
    found = {
        row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type='table'")
    }
    connection.close()
    return found


OLD_PROJECT = """
INSERT INTO projects (id, folded_id, collection, model_name, model_dimension, model_digest,
    model_max_tokens, sparse_model, hybrid_enabled, created_at)
VALUES ('local/old', 'local/old', 'old', 'model', 3, 'digest', 128, 'bm25', 1,
    '2026-01-01T00:00:00+00:00')
"""
OLD_DOCUMENT = """
INSERT INTO documents (project_id, document_id, title, mime_type, pages, chunks, identifiers,
    conversion, chunking, embedding, warnings, stored_at)
VALUES ('local/old', 'abc', 'Ponds', 'application/pdf', 2, 3, '[]', 'rules', 'chunks', 'model',
    '[]', '2026-01-01T00:00:00+00:00')
"""


def make_old(path: Path) -> None:
    connection = sqlite3.connect(path)
    connection.executescript(OLD_SCHEMA)
    connection.close()
