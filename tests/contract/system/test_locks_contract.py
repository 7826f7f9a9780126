"""Contract of locks between processes: as files, and as advisory locks of PostgreSQL."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from citeloom.application.ports.system import LockHeld, ProcessLocks
from citeloom.infrastructure.system.locks import FileLocks
from citeloom_server.infrastructure.database.postgresql import AdvisoryLocks

NAME = "index proj-local-thesis at http://qdrant.example:6333"
# Another process that holds the lock until it is killed, or its input ends.
HOLDER = """
import sys
from pathlib import Path
from citeloom_server.infrastructure.database.postgresql import AdvisoryLocks
from citeloom.infrastructure.system.locks import FileLocks

kind, place, name = sys.argv[1:]
owner = "citeloom ingest"
locks = FileLocks(Path(place), owner) if kind == "file" else AdvisoryLocks(place, owner)
with locks.hold(name, 5):
    print("held", flush=True)
    sys.stdin.read()
print("released", flush=True)
"""
Another = Callable[[], "subprocess.Popen[str]"]


@pytest.fixture(params=["file", pytest.param("advisory", marks=pytest.mark.server)])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[str, str]:
    """The kind of locks, and where they are."""
    if request.param == "file":
        return "file", str(tmp_path / "locks")
    return "advisory", request.getfixturevalue("postgres_url")


def opened(place: tuple[str, str], owner: str) -> ProcessLocks:
    kind, where = place
    return FileLocks(Path(where), owner) if kind == "file" else AdvisoryLocks(where, owner)


@pytest.fixture
def locks(place: tuple[str, str]) -> Iterator[ProcessLocks]:
    made = opened(place, "citeloom watch")
    yield made
    made.close()


@pytest.fixture
def another(place: tuple[str, str]) -> Iterator[Another]:
    started: list[subprocess.Popen[str]] = []

    def start() -> "subprocess.Popen[str]":
        process = subprocess.Popen(
            [sys.executable, "-c", HOLDER, *place, NAME],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        started.append(process)
        assert process.stdout is not None
        assert process.stdout.readline() == "held\n"
        return process

    yield start
    for process in started:
        process.kill()
        process.communicate()


def test_a_lock_of_another_process_is_refused_and_its_holder_named(
    locks: ProcessLocks, another: Another
) -> None:
    holder = another()
    with pytest.raises(LockHeld) as refused, locks.hold(NAME, 0):
        raise AssertionError("held twice")
    assert NAME in refused.value.message
    assert "citeloom ingest" in str(refused.value.holder)
    assert f"process {holder.pid}" in str(refused.value.holder)
    assert "since" in str(refused.value.holder)


def test_a_released_lock_is_had_by_who_waits(locks: ProcessLocks, another: Another) -> None:
    holder = another()
    threading.Timer(0.3, lambda: holder.communicate("")).start()
    with locks.hold(NAME, 30):
        holder.wait(30)


@pytest.mark.skipif(os.name == "nt", reason="needs SIGKILL")
def test_the_lock_of_a_killed_process_is_free(locks: ProcessLocks, another: Another) -> None:
    another().send_signal(signal.SIGKILL)
    with locks.hold(NAME, 30):
        pass


def test_a_lock_excludes_other_threads_and_the_same_one(locks: ProcessLocks) -> None:
    refused: list[LockHeld] = []

    def take() -> None:
        try:
            with locks.hold(NAME, 0.05):
                pass
        except LockHeld as error:
            refused.append(error)

    with locks.hold(NAME, 0):
        thread = threading.Thread(target=take)
        thread.start()
        thread.join()
        take()
    assert len(refused) == 2
    take()
    assert len(refused) == 2


def test_two_locks_and_two_objects_do_not_disturb_each_other(
    locks: ProcessLocks, place: tuple[str, str]
) -> None:
    other = opened(place, "citeloom serve")
    refused = pytest.raises(LockHeld)
    with locks.hold(NAME, 0), other.hold(f"{NAME}/other", 0), refused, other.hold(NAME, 0):
        pass
    with other.hold(NAME, 0):
        pass
    other.close()


def test_a_lock_is_released_by_an_error_in_its_block(locks: ProcessLocks) -> None:
    with pytest.raises(ZeroDivisionError), locks.hold(NAME, 0):
        raise ZeroDivisionError
    with locks.hold(NAME, 0):
        pass


def test_of_many_that_wait_each_has_it_once_and_alone(locks: ProcessLocks) -> None:
    inside: list[int] = []
    most: list[int] = []

    def take(number: int) -> None:
        with locks.hold(NAME, 30):
            inside.append(number)
            most.append(len(inside))
            time.sleep(0.005)
            inside.remove(number)

    threads = [threading.Thread(target=take, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert most == [1] * 8
