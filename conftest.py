"""For all tests: no network, hypothesis without deadlines (machines are shared), and what takes
long first, so that no test process is left alone with it at the end."""

import gc
import os
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from support.servers import object_store, postgresql
from xdist.scheduler import LoadFileScheduling

# Compiled once: collection takes half the time, and hundreds of processes start faster.
sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
# Test items are a million objects that stay: they are not gone through again and again.
gc.set_threshold(50_000, 20, 100)
os.environ["HF_HUB_OFFLINE"] = "1"
os.environ["ORT_DISABLE_TELEMETRY"] = "1"  # for tests that load onnxruntime before us
for _name in list(os.environ):  # settings of whoever starts the tests, and of the terminal
    of_tests = _name.startswith(("CITELOOM_TEST_", "CITELOOM_FAULT_"))
    if _name in ("COLUMNS", "LINES") or (_name.startswith("CITELOOM_") and not of_tests):
        del os.environ[_name]
os.environ["CITELOOM_INGEST__DISK_RESERVE_MB"] = "0"  # hundreds of workspaces are made
# A second reading takes as long as the question before it; tests of it set it to true.
os.environ["CITELOOM_QUERY__RERANK"] = "false"

settings.register_profile(
    "default",
    deadline=None,
    max_examples=int(os.environ.get("CITELOOM_TEST_EXAMPLES", "25")),
    database=None,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("default")

pytest_plugins = (
    "support.index_process",
    "support.own_world",
    "support.quick_folders",
    "support.samples",
)

TESTS = Path(__file__).parent / "tests"
LONGEST = (
    "integration/packaging/test_pages.py",
    "real/test_jose.py",
    "real/test_marked_pages.py",
    "e2e/mcp/test_mcp_ending.py",
    "e2e/mcp/test_mcp_jobs.py",
    "contract/search/test_index_contract.py",
    "unit/infrastructure/ingest/conversion/pdf/ocr/test_ocr.py",
    "generated/test_latex_papers.py",
)
LONG = ("faults", "fuzz", "e2e", "integration", "generated", "real", "contract", "unit")


@cache
def _place(path: Path) -> tuple[bool, int]:
    parts = path.parts
    kind = parts[len(parts) - 1 - parts[::-1].index("tests") + 1]
    name = path.relative_to(TESTS).as_posix() if TESTS in path.parents else ""
    return name not in LONGEST, LONG.index(kind)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    items.sort(key=lambda item: _place(item.path))


class FilesAndBrowser(LoadFileScheduling):
    """One test process runs a file, and one all files that share a browser and its server."""

    def _split_scope(self, nodeid: str) -> str:
        return "browser" if nodeid.startswith("tests/e2e/http/") else super()._split_scope(nodeid)


def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    return FilesAndBrowser(config, log) if config.getvalue("dist") == "loadfile" else None


def pytest_collection_finish() -> None:
    gc.freeze()


@pytest.fixture(scope="session")
def sqlite_template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database file with all tables and no rows, to be copied: making one takes a second."""
    from citeloom.infrastructure.storage.database.sqlite import SqliteDatabase

    path = tmp_path_factory.mktemp("template") / "catalogue.sqlite"
    database = SqliteDatabase(path)
    with database.writing():
        pass
    database.close()
    return path


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[postgresql.PostgresServer]:
    """A PostgreSQL of this test process's own, where there can be one."""
    if (reason := postgresql.missing()) is not None:
        pytest.skip(reason)
    server = postgresql.PostgresServer()
    yield server
    server.stop()


@pytest.fixture(scope="session")
def postgres_database(postgres_server: postgresql.PostgresServer) -> str:
    """A database with all tables."""
    from citeloom_server.infrastructure.database.postgresql import ServerDatabase

    name = postgres_server.new_database()
    database = ServerDatabase(postgres_server.url(name))
    with database.writing():
        pass
    database.close()
    return name


@pytest.fixture
def postgres_url(postgres_server: postgresql.PostgresServer, postgres_database: str) -> str:
    """A database with all tables and no rows: emptied, which is faster than a new one."""
    from citeloom.infrastructure.storage.schema import metadata

    tables = [table.name for table in reversed(metadata.sorted_tables)]
    deleted = "; ".join(f"DELETE FROM {name}" for name in tables)
    postgres_server.execute(deleted, postgres_database)
    return postgres_server.url(postgres_database)


@pytest.fixture(scope="session")
def s3() -> Iterator[str]:
    """An object store of this test process's own."""
    with object_store.object_store() as address:
        yield address


@pytest.fixture
def bucket(s3: str) -> str:
    """The URL of an empty bucket."""
    return object_store.new_bucket()
