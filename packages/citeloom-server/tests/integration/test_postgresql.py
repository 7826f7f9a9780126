"""PostgreSQL beside the contracts: migrations from zero, two who come at once, no driver."""

import os
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from threading import Thread

import pytest
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from sqlalchemy import create_engine, inspect, text
from support.paths import TESTS
from support.research.records import complete
from support.servers import postgresql
from support.stores.catalogue_schema import OLD_SCHEMA, described
from support.stores.catalogues import HERE, THERE, a_document, a_project

from citeloom.domain.errors import StorageFailed
from citeloom.domain.resources.metadata import ResourceLabel
from citeloom.infrastructure.storage.catalogue import SqlCatalogue
from citeloom.infrastructure.storage.database.database import HEAD, READ_REVISION
from citeloom.infrastructure.storage.database.upgrade import upgrade, upgrade_sqlite
from citeloom.infrastructure.storage.research.record import SqlResearchRecord
from citeloom.infrastructure.storage.schema import metadata
from citeloom.infrastructure.storage.stores import SqlLabelStore
from citeloom_server.infrastructure.database import postgresql as pool
from citeloom_server.infrastructure.database.postgresql import AdvisoryLocks, ServerDatabase

pytestmark = pytest.mark.server


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


def test_two_processes_that_start_at_once_on_an_empty_database_both_can(empty: str) -> None:
    """One makes the tables; the other waits until they are whole."""
    code = (
        "import sys; from citeloom.infrastructure.storage.catalogue import SqlCatalogue; "
        "from support.stores.catalogues import a_project, HERE, THERE; "
        "sys.stdin.readline(); catalogue = SqlCatalogue(sys.argv[1]); "
        "catalogue.add_project(a_project({'1': HERE, '2': THERE}[sys.argv[2]]))"
    )
    environment = os.environ | {"PYTHONPATH": str(TESTS)}
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", code, empty, name],
            stdin=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=environment,
        )
        for name in "12"
    ]
    for process in processes:
        assert process.stdin is not None
        process.stdin.write("\n")
        process.stdin.flush()
    for process in processes:
        assert process.communicate(timeout=60)[1] == ""
    catalogue = SqlCatalogue(empty)
    assert len(catalogue.projects()) == 2
    catalogue.close()


def test_a_migration_that_another_process_does_is_waited_for_and_told(
    empty: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pool, "_SESSION", "SET lock_timeout = 100")
    engine = create_engine(empty)
    with engine.begin() as connection:
        upgrade(connection)
        with pytest.raises(StorageFailed, match="another process has been writing, or preparing"):
            migrate(empty)
    migrate(empty)
    engine.dispose()


def test_two_who_remove_the_same_documents_in_another_order_do_not_deadlock(
    postgres_url: str,
) -> None:
    """Both are stopped at the second of three; then the first would want what the other has."""
    ids = ["aa" * 32, "bb" * 32, "cc" * 32]
    catalogue = SqlCatalogue(postgres_url)
    catalogue.add_project(a_project(HERE))
    for id in ids:
        catalogue.put_document(a_document(id))
    engine = create_engine(postgres_url, isolation_level="AUTOCOMMIT")
    waiting = "SELECT COUNT(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'"
    with engine.connect() as held, engine.connect() as looking, ThreadPoolExecutor(2) as threads:
        held.exec_driver_sql("BEGIN")
        held.execute(text("UPDATE documents SET pages = 1 WHERE document_id = :id"), {"id": ids[1]})
        removals = [threads.submit(catalogue.remove_documents, HERE, ids)]
        removals.append(threads.submit(catalogue.remove_documents, HERE, ids[::-1]))
        until = time.monotonic() + 30
        while looking.execute(text(waiting)).scalar() != 2 and time.monotonic() < until:
            time.sleep(0.01)
        held.exec_driver_sql("COMMIT")
        for removal in removals:
            removal.result()
    assert catalogue.documents(HERE) == []
    catalogue.close()
    engine.dispose()


def test_two_who_set_the_same_label_at_once_both_can(postgres_url: str) -> None:
    catalogue, labels = SqlCatalogue(postgres_url), SqlLabelStore(postgres_url)
    catalogue.add_project(a_project(HERE))
    target = "ndk://file/thesis/a/$body"
    with ThreadPoolExecutor(8) as threads:
        puts = [
            threads.submit(
                labels.put, HERE, None, ResourceLabel(name="topic", target=target, value=f"{n}")
            )
            for n in range(80)
        ]
        for put in puts:
            put.result()
    assert len(labels.labels(HERE)) == 1
    catalogue.close()
    labels.close()


def test_a_restarted_server_is_used_again(
    postgres_server: postgresql.PostgresServer, postgres_url: str
) -> None:
    """Also by a lock; a statement that comes while it starts waits."""
    catalogue, locks = SqlCatalogue(postgres_url), AdvisoryLocks(postgres_url, "citeloom serve")
    catalogue.add_project(a_project(HERE))
    with locks.hold("a", 0):
        pass
    postgres_server.halt()
    postgres_server.start()
    catalogue.add_project(a_project(THERE))
    assert len(catalogue.projects()) == 2
    with locks.hold("a", 0):
        pass
    catalogue.close()
    locks.close()


def test_a_lock_that_was_lost_with_its_connection_is_told(
    postgres_server: postgresql.PostgresServer, postgres_url: str
) -> None:
    locks = AdvisoryLocks(postgres_url, "citeloom serve")
    end = (
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
        "WHERE application_name LIKE 'citeloom serve%'"
    )
    lost = pytest.raises(StorageFailed, match=r"the lock was lost.*run it again")
    with lost, locks.hold("a", 0):
        postgres_server.execute(end)
    with locks.hold("a", 0):
        pass
    locks.close()


def test_the_stores_of_a_process_share_few_connections(
    postgres_server: postgresql.PostgresServer, postgres_url: str
) -> None:
    stores = [kind(postgres_url) for kind in (SqlCatalogue, SqlLabelStore, SqlResearchRecord) * 4]
    with ThreadPoolExecutor(24) as threads:
        for one in stores * 20:
            threads.submit(one._rows, "SELECT pg_sleep(0.01)", {})
    engine = create_engine(postgres_url, isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:

        def connections() -> int:
            of_stores = "SELECT COUNT(*) FROM pg_stat_activity WHERE application_name = 'citeloom'"
            return int(connection.execute(text(of_stores)).scalar_one())

        assert 1 <= connections() <= pool.POOLED
        for one in stores:
            one.close()
        until = time.monotonic() + 30
        while connections() and time.monotonic() < until:
            time.sleep(0.02)  # a connection ends a moment after it was closed
        assert connections() == 0
    engine.dispose()


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
