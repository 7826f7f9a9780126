"""A move to a server or home, while the command or the server is killed: nothing is half there."""

import os
import random
import signal
import subprocess
import sys
import threading
import time
from contextlib import closing
from pathlib import Path

import pytest
from support.command_line import environment, inside
from support.once import copied, made_once
from support.servers.qdrant import KINDS, qdrant_server
from support.servers.qdrant_double import QdrantDouble
from support.servers.qdrant_node import KILLS, needs_program, qdrant_node
from support.stores.indexed_library import answers, asked, content, indexed_library

from citeloom.infrastructure.composition.application import open_application

pytestmark = pytest.mark.server

DIRECTIONS = ("there", "home")
SEED = 24


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return made_once(tmp_path_factory, "indexed", lambda folder: indexed_library(folder, 4))


@pytest.fixture(scope="module")
def long_library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return made_once(tmp_path_factory, "long", lambda folder: indexed_library(folder, 80))


class Move:
    """``project move`` of a copy of the library; undisturbed, it takes ``seconds``. Each time the
    project is at the old place or at the new one, whole, with the same answers."""

    def __init__(self, library: Path, folder: Path, url: str, key: str = "") -> None:
        self.workspace = copied(library, folder / "workspace")
        self.settings = {"index": {"api_key": key}, "query": {"rerank": False}}
        self._key = key
        self._url = url
        self.home, self.passages = content(self.workspace, self.settings)
        self.answers = answers(self.workspace, self.settings)

    def place(self, direction: str) -> str:
        return self._url if direction == "there" else self.home

    def command(self, direction: str) -> list[str]:
        return ["project", "move", "p", "--to", self.place(direction), "--drop-old"]

    def environment(self) -> dict[str, str]:
        return environment(CITELOOM_INDEX__API_KEY=self._key, CITELOOM_INDEX__TIMEOUT_SECONDS="20")

    def begin(self, direction: str) -> "subprocess.Popen[bytes]":
        return subprocess.Popen(
            [sys.executable, "-m", "citeloom", *self.command(direction), "--workspace",
             str(self.workspace)],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=self.environment(),
        )  # fmt: skip

    def finish(self, direction: str) -> float:
        """The same command again, to its end; seconds."""
        began = time.monotonic()
        done = inside(
            *self.command(direction), workspace=self.workspace, CITELOOM_INDEX__API_KEY=self._key
        )
        assert done.code == 0, done.err
        self.check()
        assert content(self.workspace, self.settings)[0] == self.place(direction)
        return time.monotonic() - began

    def check(self) -> None:
        place, passages = content(self.workspace, self.settings)
        assert place in (self._url, self.home)
        assert passages == self.passages, f"at {place}"
        assert answers(self.workspace, self.settings) == self.answers, f"at {place}"


@pytest.mark.parametrize("kind", KINDS)
def test_questions_during_a_move_have_the_answers_from_before(
    library: Path, tmp_path: Path, kind: str
) -> None:
    with qdrant_server(kind) as server:
        move = Move(library, tmp_path, server.url, server.api_key)
        for direction in DIRECTIONS:
            with closing(open_application(move.workspace, move.settings)) as application:
                assert asked(application) == move.answers
                process = move.begin(direction)
                while process.poll() is None:
                    assert asked(application) == move.answers
                assert process.returncode == 0
            move.check()


def test_a_move_that_is_killed_between_two_requests_is_finished_by_the_next(
    library: Path, tmp_path: Path
) -> None:
    with QdrantDouble() as double:
        move = Move(library, tmp_path, double.url)
        for direction, victim, request in (("there", "server", 35), ("home", "command", 12)):
            _killed_at(double, move, direction, victim, len(double.seen) + request)
            move.check()
            move.finish(direction)
        assert double.store.local.get_collections().collections == []


def _killed_at(double: QdrantDouble, move: Move, direction: str, victim: str, request: int) -> None:
    """``request`` is the number of the request before which it is killed."""
    process: list[subprocess.Popen[bytes]] = []
    killed = threading.Event()

    def kill(number: int) -> None:
        if number < request or killed.is_set():
            return
        killed.set()
        if victim == "command":
            os.kill(process[0].pid, signal.SIGKILL)
        else:
            threading.Thread(target=double.stop).start()

    double.on_request = kill
    process.append(move.begin(direction))
    code = process[0].wait(60)
    double.on_request = lambda _: None
    assert killed.is_set(), "the move had ended"
    assert code != 0
    if victim == "server":
        double.start()


@needs_program
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("victim", ["command", "server"])
def test_moves_killed_at_random_moments_lose_nothing(
    long_library: Path, tmp_path: Path, victim: str
) -> None:
    dice = random.Random(SEED)
    with qdrant_node(tmp_path / "server") as node:
        move = Move(long_library, tmp_path, node.server.url)
        seconds = {direction: move.finish(direction) for direction in DIRECTIONS}
        for number in range(2 * KILLS):
            direction = DIRECTIONS[number % 2]
            process = move.begin(direction)
            time.sleep(dice.uniform(0.2, 1.0) * seconds[direction])
            if victim == "command":
                process.kill()
                process.wait()
            else:
                node.kill()
                time.sleep(dice.uniform(0.0, 6.0))
                node.start()
                process.wait()
            move.check()
            move.finish(direction)
        assert node.server.collections() == set()
