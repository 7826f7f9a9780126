"""A PostgreSQL of one's own, from Debian's packages: in a temporary folder, on a socket in it.

Nothing of it is there before it is asked for, and nothing of it is left behind. PostgreSQL
refuses to run as root; it runs as ``postgres`` or ``nobody`` then.
"""

import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
from importlib.util import find_spec
from itertools import count
from pathlib import Path

INSTALLED = Path("/usr/lib/postgresql")
_SECONDS = 30.0


def missing() -> str | None:
    """Why no server can run here, if none can."""
    if os.name == "nt" or _programs() is None:
        return "no PostgreSQL server is installed (Debian: apt-get install postgresql)"
    if find_spec("psycopg") is None:
        return 'the driver psycopg is not installed (pip install "citeloom[postgresql]")'
    return None


class PostgresServer:
    """Runs from its making until ``stop``."""

    def __init__(self) -> None:
        self._programs = _programs()
        assert self._programs is not None
        # Short: the path of a socket has 107 bytes at most.
        self._home = Path(tempfile.mkdtemp(prefix="pg-", dir="/tmp"))
        self._owner = _owner()
        if self._owner is not None:
            os.chown(self._home, pwd.getpwnam(self._owner).pw_uid, -1)
        self._numbers = count(1)
        data = self._home / "data"
        try:
            self._run(
                "initdb", "--pgdata", data, "--username", "postgres", "--auth", "trust",
                "--encoding", "UTF8", "--locale", "C.UTF-8", "--no-sync", "--no-instructions",
            )  # fmt: skip
            settings = {
                "listen_addresses": "",
                "unix_socket_directories": self._home,
                "fsync": "off",
                "full_page_writes": "off",
                "synchronous_commit": "off",
                "max_wal_size": "128MB",
                "shared_buffers": "32MB",
            }
            options = [part for item in settings.items() for part in ("-c", "{}={}".format(*item))]
            self._command = [self._programs / "postgres", "-D", data, *options]
            self.start()
            self._await()
        except BaseException:
            shutil.rmtree(self._home, ignore_errors=True)
            raise

    def url(self, database: str) -> str:
        return f"postgresql://postgres@/{database}?host={self._home}"

    def new_database(self) -> str:
        """The name of a database that nobody has used."""
        name = f"test_{next(self._numbers)}"
        self.execute(f"CREATE DATABASE {name}")
        return name

    def drop_database(self, name: str) -> None:
        self.execute(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")

    def execute(self, statement: str, database: str = "postgres") -> None:
        import psycopg

        with psycopg.connect(self.url(database), autocommit=True) as connection:
            connection.execute(statement)

    def start(self) -> None:
        """Begin to start; whoever connects at once is refused."""
        self._server = subprocess.Popen(
            self._command,
            stdout=subprocess.DEVNULL,
            stderr=(self._home / "log").open("ab"),
            user=self._owner,
            cwd=self._home,
        )

    def halt(self) -> None:
        """End all connections and the server; ``start`` brings it back with its data."""
        self._server.send_signal(signal.SIGINT)  # without waiting for clients (pg_ctl: fast)
        try:
            self._server.wait(timeout=10)
        except subprocess.TimeoutExpired:
            self._server.kill()
            self._server.wait()

    def stop(self) -> None:
        self.halt()
        shutil.rmtree(self._home, ignore_errors=True)

    def _run(self, program: str, *arguments: str | Path) -> None:
        assert self._programs is not None
        subprocess.run(
            [self._programs / program, *arguments],
            check=True,
            capture_output=True,
            user=self._owner,
            cwd=self._home,
            timeout=_SECONDS,
        )

    def _await(self) -> None:
        until = time.monotonic() + _SECONDS
        while True:
            try:
                self.execute("SELECT 1")
                return
            except Exception:
                if self._server.poll() is not None or time.monotonic() > until:
                    self._server.kill()
                    raise
            time.sleep(0.05)


def _programs() -> Path | None:
    """The folder with the programs of the latest version."""
    found = [path.parent for path in INSTALLED.glob("*/bin/postgres")]
    return max(found, key=lambda path: float(path.parent.name), default=None)


def _owner() -> str | None:
    if os.geteuid() != 0:
        return None
    names = {one.pw_name for one in pwd.getpwall()}
    return next((name for name in ("postgres", "nobody") if name in names), None)
