"""PostgreSQL beside the contracts: migrations from zero, two who come at once, no driver."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from threading import Thread

import pytest
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from sqlalchemy import create_engine, inspect, text
from support.research.records import complete
from support.servers import postgresql
from support.stores.catalogue_schema import OLD_SCHEMA, described

from citeloom.domain.errors import StorageFailed
from citeloom.infrastructure.storage.catalogue import SqlCatalogue
from citeloom.infrastructure.storage.database.database import HEAD, READ_REVISION
from citeloom.infrastructure.storage.database.postgresql import ServerDatabase
from citeloom.infrastructure.storage.database.upgrade import upgrade_sqlite
from citeloom.infrastructure.storage.research.record import SqlResearchRecord
from citeloom.infrastructure.storage.research.schema import metadata

pytestmark = pytest.mark.postgresql


@pytest.fixture
def empty(postgres_server: postgresql.PostgresServer) -> Iterator[str]:
    """The URL of a database without tables."""
    name = postgres_server.new_database()
    yield postgres_server.url(name)
    postgres_server.drop_database(name)


def migrate(url: str) -> None:
    database = ServerDatabase(url)
    with database.writing():
        pass
    database.close()


def test_migrations_from_zero_make_the_declared_tables(empty: str, tmp_path: Path) -> None:
    """And the same as those of a SQLite file of the eighth migration, upgraded."""
    migrate(empty)
    engine = create_engine(empty)
    with engine.connect() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True})
        assert compare_metadata(context, metadata) == []
        assert connection.execute(text(READ_REVISION)).scalar() == HEAD
        made = described(connection)
    engine.dispose()
    old = tmp_path / "old.sqlite"
    with closing(sqlite3.connect(old)) as connection:
        connection.executescript(OLD_SCHEMA)
    upgrade_sqlite(old)
    with create_engine(f"sqlite:///{old}").connect() as connection:
        assert made == described(connection)


def test_reading_an_empty_database_makes_no_tables(empty: str) -> None:
    catalogue, record = SqlCatalogue(empty), SqlResearchRecord(empty)
    assert list(catalogue.projects()) == []
    assert record.find("") == ()
    catalogue.close()
    record.close()
    engine = create_engine(empty)
    assert inspect(engine).get_table_names() == []
    engine.dispose()


def test_two_who_open_an_empty_database_at_once_both_can(empty: str) -> None:
    failed: list[BaseException] = []

    def open_it() -> None:
        try:
            migrate(empty)
        except BaseException as error:
            failed.append(error)

    threads = [Thread(target=open_it) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failed == []


def test_catalogue_and_record_share_a_database(postgres_url: str) -> None:
    record = SqlResearchRecord(postgres_url)
    session = complete(record)
    record.close()
    engine = create_engine(postgres_url)
    with engine.connect() as connection:
        count = "SELECT COUNT(*) FROM projects"
        assert connection.execute(text(count)).scalar() == 0
        [found] = connection.execute(text("SELECT id FROM research_sessions")).scalars()
        assert found == str(session.id)
    engine.dispose()


def test_a_server_that_went_away_is_told(postgres_server: postgresql.PostgresServer) -> None:
    record = SqlResearchRecord(postgres_server.url("no_such_database"))
    with pytest.raises(StorageFailed, match=r"no_such_database.*`catalogue\.url` is right"):
        record.find("")
    record.close()
