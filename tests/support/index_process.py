"""Fixtures of an index on disk, and of another process that uses it."""

import json
import subprocess
import sys

import pytest
from support.paths import WORKERS

from citeloom.infrastructure.search.edge.index import EdgeIndex

WORKER = WORKERS / "index_worker.py"


class Worker:
    """Another process with an index on the same folder."""

    def __init__(self, root, owner):
        self.process = subprocess.Popen(
            [sys.executable, str(WORKER), str(root), owner],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            encoding="utf-8",
        )

    @property
    def pid(self):
        return self.process.pid

    def tell(self, command):
        self.process.stdin.write(command + "\n")
        self.process.stdin.flush()

    def hear(self):
        line = self.process.stdout.readline()
        return json.loads(line) if line else None

    def ask(self, command):
        self.tell(command)
        return self.hear()

    def kill(self):
        """As kill -9 does."""
        self.process.kill()
        said = [json.loads(line) for line in self.process.stdout if line.endswith("\n")]
        self.process.wait()
        return said


@pytest.fixture
def root(tmp_path):
    return tmp_path / "index"


@pytest.fixture
def worker(root):
    started = []

    def start(owner="citeloom mcp"):
        started.append(Worker(root, owner))
        return started[-1]

    yield start
    for each in started:
        each.kill()
        each.process.stdin.close()
        each.process.stdout.close()


@pytest.fixture
def index(root):
    made = EdgeIndex(root, owner="citeloom ingest")
    yield made
    made.close()
